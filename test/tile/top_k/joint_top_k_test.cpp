// The best of ranges of every alignment and length.
#include <tessera/joint_top_k.hpp>
#include <tessera/operators.hpp>

#include <gtest/gtest.h>

#include "all_true.hpp"

namespace {

using namespace test;

/// 0 … 1023 in another order.
TESSERA_FN unsigned shuffled(unsigned i) {
  return (i * 2654435761u + 12345u) % 1024;
}

/// The K first of `n` elements from `from` on, by their images, with their indices: compared with a plain search.
template <unsigned K>
struct finds_the_first {
  unsigned const* memory;
  unsigned from, n;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    unsigned const* const first = memory + from;
    auto const best = tessera::joint_top_k<K>(tile, first, n);
    auto const least = tessera::joint_transform_top_k<K>(tile, first, n, tessera::less{}, [](unsigned x, unsigned i) {
      return tessera::with_index(static_cast<float>(x / 4), i);  // four are equal
    });
    bool right = true;
    for (unsigned i = 0; i < K && i < n; ++i) {
      unsigned more = 0, before = 0;
      auto const one = least[i];
      for (unsigned j = 0; j < n; ++j) {
        more += first[j] > best[i] ? 1u : 0u;
        float const value = static_cast<float>(first[j] / 4);
        before += value < one.value || (!(one.value < value) && j < one.index) ? 1u : 0u;
      }
      right = right && more == i && before == i && one.value == static_cast<float>(first[one.index] / 4);
    }
    return right ? 1u : 0u;
  }
};
/// Bytes, 16 of which a load has, by an order with ties: the first of the range are those of the first class.
struct keeps_the_ranges_order {
  unsigned char const* memory;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    auto const equal = tessera::joint_transform_top_k<2>(
        tile, memory + 3, 41, [](int, int) { return false; }, [](unsigned char, int i) { return i; });
    auto const best = tessera::joint_transform_top_k<6>(
        tile, memory + 3, 600, [](int a, int b) { return a % 2 > b % 2; }, [](unsigned char, int i) { return i; });
    bool right = equal[0] == 0 && equal[1] == 1;
    for (int i = 0; i < 6; ++i) right = right && best[static_cast<unsigned>(i)] == 2 * i + 1;
    return right ? 1u : 0u;
  }
};

template <unsigned N, unsigned K>
void check_ranges() {
  std::vector<unsigned> values(1024);
  for (unsigned i = 0; i < values.size(); ++i) values[i] = shuffled(i);
  backend::array<unsigned> memory(values);
  for (unsigned from : {0u, 1u, 3u})
    for (unsigned n : {0u, 1u, 5u, 37u, 300u}) check_all_true_in_block<N>(finds_the_first<K>{memory.data(), from, n});
}

TEST(JointTopK, Ranges) {
  SKIP_WITHOUT_BACKEND();
  check_ranges<1, 2>();
  check_ranges<8, 3>();
  check_ranges<32, 8>();
  check_ranges<64, 5>();
}
TEST(JointTopK, ManyValues) {
  SKIP_WITHOUT_BACKEND();
  check_ranges<32, 40>();
  check_ranges<128, 33>();
}
TEST(JointTopK, OrderOfTheRange) {
  SKIP_WITHOUT_BACKEND();
  backend::array<unsigned char> memory(std::vector<unsigned char>(1024));
  check_all_true_in_block<1>(keeps_the_ranges_order{memory.data()});
  check_all_true_in_block<8>(keeps_the_ranges_order{memory.data()});
  check_all_true_in_block<32>(keeps_the_ranges_order{memory.data()});
  check_all_true_in_block<256>(keeps_the_ranges_order{memory.data()});
}

struct never {
  TESSERA_FN bool operator()(unsigned, unsigned) const { return false; }
};

/// Positions of more elements than 32 bits count: the one that 32 bits have last exists, and the next comes after it.
TEST(JointTopK, CountsLongRanges) {
  namespace detail = tessera::detail;
  auto const of_long = [](auto const& before) {
    return detail::selection_form<unsigned, detail::count_t<long long>>(before);
  };
  auto const form = of_long(never{});
  using form_t = std::remove_const_t<decltype(form)>;
  using entry = form_t::entry;
  std::uint64_t const last_of_32_bits = 0xffffffffu;
  entry const a = form.encode(7, last_of_32_bits), b = form.encode(7, last_of_32_bits + 1);
  EXPECT_FALSE(form_t::is_open(a, 7));
  EXPECT_TRUE(form_t::is_open(form_t::nothing(), 7));
  EXPECT_TRUE(detail::comes_before(form.order(), a, b));
  EXPECT_FALSE(detail::comes_before(form.order(), b, a));
  EXPECT_TRUE(detail::comes_before(form.order(), b, form_t::nothing()));
}

}  // namespace

// The radix sort of whole arrays on host tiles: blocks in any order, against std::stable_sort.
#include <gtest/gtest.h>

#include <tessera/grid/sort/block_sort_agent.hpp>
#include <tessera/grid/sort/digit_counts_agent.hpp>
#include <tessera/grid/sort/onesweep_agent.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#if __has_include(<cuda_fp16.h>) && __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define HAS_HALVES 1
#endif

#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
using detail::key_form;

/// The order of less or, if `Falling`, greater: NaNs last and equal, −0 equal to +0.
template <bool Falling, class T>
bool comes_before(T const& a, T const& b) {
  if constexpr (tessera::detail::is_any_float<T>) {
    auto const x = static_cast<double>(a), y = static_cast<double>(b);
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return Falling ? x > y : x < y;
  } else {
    return Falling ? a > b : a < b;
  }
}
/// The indices of elements in order; equal ones as they are.
template <bool Falling, class T>
std::vector<std::size_t> sorted_places(std::vector<T> const& x) {
  std::vector<std::size_t> places(x.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t i, std::size_t j) { return comes_before<Falling>(x[i], x[j]); });
  return places;
}

/// Keys of any bits, of which many are equal. Floats have NaNs of both signs and of several payloads, zeros and
/// infinities.
template <class T>
std::vector<T> keys_to_sort(std::int64_t n, unsigned seed) {
  using bits = typename detail::unsigned_of<sizeof(T)>::type;
  random_engine random(seed);
  float const special[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY};
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i) {
    auto raw = static_cast<bits>(random());
    if (random() % 4 == 0) raw = static_cast<bits>(~bits{0} ^ (random() & 7));  // a NaN or a great integer
    if (random() % 2 == 0) raw = static_cast<bits>(raw & (~bits{0} >> 1));
    x.push_back(tessera::detail::from_bits<T>(raw));
    if (random() % 4 == 0) x.back() = static_cast<T>(static_cast<float>(random() % 50));
    if constexpr (tessera::detail::is_any_float<T>) {
      if (random() % 4 == 0) x.back() = static_cast<T>(special[random() % 6]);
    }
  }
  return x;
}

/// A value of so many bytes.
template <std::size_t Bytes>
struct bytes {
  unsigned char b[Bytes];
};
template <class V>
std::vector<V> drawn_values(std::size_t n) {
  random_engine random(n);
  std::vector<V> out(n);
  auto* const raw = reinterpret_cast<unsigned char*>(out.data());
  for (std::size_t i = 0; i < n * sizeof(V); ++i) raw[i] = static_cast<unsigned char>(random());
  return out;
}

template <class T>
constexpr key_form form_of = tessera::detail::is_any_float<T> ? key_form::in_order : key_form::flipped;

/// Keys, values and where they go. In place if the outputs are the inputs.
template <class T, key_form Form, class V>
struct sorted_arrays {
  using bits = typename detail::unsigned_of<sizeof(T)>::type;
  using task_t = detail::onesweep_task<bits, Form, V>;
  static constexpr bool has_values = task_t::has_values;
  static constexpr std::size_t guards = 3;

  std::vector<T> keys, keys_out, spare_keys;
  std::vector<V> values, values_out, spare_values;
  bool in_place;

  sorted_arrays(std::vector<T> x, bool in_place_)
      : keys(std::move(x)), keys_out(keys.size() + guards), spare_keys(keys.size()), in_place(in_place_) {
    keys.resize(keys.size() + guards);
    if constexpr (has_values) {
      values = drawn_values<V>(keys.size());
      values_out.resize(keys.size());
      spare_values.resize(keys.size());
    }
  }
  std::size_t size() const { return keys.size() - guards; }
  std::vector<T>& sorted_keys() { return in_place ? keys : keys_out; }
  std::vector<V>& sorted_values() { return in_place ? values : values_out; }
  static bits* raw(std::vector<T>& x) { return reinterpret_cast<bits*>(x.data()); }

  /// Sorts by sort(task), and holds the first n elements against the reference; the others stay as they are.
  template <bool Falling, class Sort>
  void check(std::size_t n, Sort const& sort, std::string const& what) {
    auto const x = keys;
    auto const v = values;
    detail::digit_coding<bits, Form> const coding(detail::key_coding<bits>::template of<T, Falling>());
    task_t const task{raw(keys), raw(sorted_keys()), values.data(), sorted_values().data(), coding};
    auto const rest = sorted_keys();
    sort(task);
    std::vector<T> const first(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
    auto const places = sorted_places<Falling>(first);
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t const from = places[i];
      ASSERT_EQ(std::memcmp(&sorted_keys()[i], &x[from], sizeof(T)), 0) << what << ", key " << i << " of " << n;
      if constexpr (has_values) {
        ASSERT_EQ(std::memcmp(&sorted_values()[i], &v[from], sizeof(V)), 0) << what << ", value " << i << " of " << n;
      }
    }
    for (std::size_t i = n; i < rest.size(); ++i)
      ASSERT_EQ(std::memcmp(&sorted_keys()[i], &rest[i], sizeof(T)), 0) << what << ", after " << n << ": " << i;
  }
};

tessera::host::options options_of(unsigned seed) {
  tessera::host::options how;
  how.seed = seed;
  return how;
}

/// Sorts by passes, as the launcher in onesweep.cuh does. Each pass has one block more than tiles.
template <class Shape, class Word, class Task>
struct passes;
template <class Shape, class Word, class Bits, key_form Form, class V>
struct passes<Shape, Word, detail::onesweep_task<Bits, Form, V>> {
  using task_t = detail::onesweep_task<Bits, Form, V>;
  static constexpr unsigned places = sizeof(Bits), digits = detail::radix_digits::count;

  std::int64_t n;
  Bits* spare_keys;
  V* spare_values;
  unsigned seed;

  void operator()(task_t const& task) const {
    std::int64_t const tiles = (n + Shape::elements - 1) / Shape::elements;
    std::vector<Word> counts(places * digits), begins(counts.size());
    std::vector<Word> words[2];
    for (auto& of : words) of.assign(static_cast<std::size_t>(tiles) * digits, 77);
    std::vector<Word> const cleared(words[0].size());
    std::vector<unsigned> numbers(places + 1);
    detail::digit_counts_memory<Word> const memory{counts.data(), begins.data(), &numbers[places], words[0].data(),
                                                   Shape::elements};
    count(task, memory);
    EXPECT_EQ(numbers[places], 0u);
    EXPECT_EQ(words[0], cleared);
    task_t next = task;
    for (unsigned place = 0; place < places; ++place) {
      bool const to_output = (places - 1 - place) % 2 == 0;
      next.keys_out = to_output ? task.keys_out : spare_keys;
      next.values_out = to_output ? task.values_out : spare_values;
      pass(next, place,
           {&begins[place * digits], words[place % 2].data(),
            place + 1 < places ? words[1 - place % 2].data() : nullptr, &numbers[place]},
           static_cast<unsigned>(tiles) + 1);
      if (place + 1 < places) {
        EXPECT_EQ(words[1 - place % 2], cleared) << "after place " << place;
      }
      next.keys = next.keys_out;
      next.values = next.values_out;
    }
  }

 private:
  void count(task_t const& task, detail::digit_counts_memory<Word> const& memory) const {
    auto const storage = std::make_unique<detail::digit_counts_storage<places>>();  // blocks take turns
    unsigned const blocks = 1 + seed % 3;
    tessera::host::launch_grid(blocks, detail::digit_counts_tuning::threads, options_of(seed),
                               [&](tessera::host::block block) {
                                 detail::digit_counts_agent<Bits, Form, Word, tessera::host::block> const agent(
                                     block, task.coding, task.keys, n, memory, *storage);
                                 agent.run(block.group_index().x, blocks);
                               });
  }
  void pass(task_t const& task, unsigned place, detail::onesweep_memory<Word> const& memory, unsigned blocks) const {
    using agent_t = detail::onesweep_agent<Shape, task_t, Word, tessera::host::block>;
    auto const storage = std::make_unique<typename agent_t::storage_t>();
    tessera::host::launch_grid(blocks, Shape::threads, options_of(seed + place), [&](tessera::host::block block) {
      agent_t(block, task, memory, place, *storage).run(n);
    });
  }
};

template <class Shape, class Word, bool Falling, class V, key_form Form, class T>
void check_passes(std::vector<T> const& x, unsigned seed, std::string const& what) {
  // Of one place, the launcher copies what is in place.
  sorted_arrays<T, Form, V> a(x, sizeof(T) > 1 && seed % 2 == 1);
  using task_t = typename decltype(a)::task_t;
  passes<Shape, Word, task_t> const sort{static_cast<std::int64_t>(x.size()), a.raw(a.spare_keys),
                                         a.spare_values.data(), seed};
  a.template check<Falling>(x.size(), sort, what + ", seed " + std::to_string(seed));
}

template <class Shape, bool Falling, class V, key_form Form, class T>
void check_block(std::vector<T> const& x, unsigned seed, std::string const& what) {
  sorted_arrays<T, Form, V> a(x, sizeof(V) <= detail::most_sorted_value && seed % 2 == 1);
  using task_t = typename decltype(a)::task_t;
  auto const sort = [&](task_t const& task) {
    using agent_t = detail::block_sort_agent<Shape, task_t, tessera::host::block>;
    auto const storage = std::make_unique<typename agent_t::storage_t>();
    tessera::host::launch_grid(1, Shape::threads, options_of(seed), [&](tessera::host::block block) {
      agent_t(block, task, *storage).run(static_cast<unsigned>(x.size()));
    });
  };
  a.template check<Falling>(x.size(), sort, what + " by a block, seed " + std::to_string(seed));
}

using small_shape = detail::radix_shape<256, 2>;
constexpr std::int64_t tile = small_shape::elements;

template <class T, bool Falling, class V, key_form Form = form_of<T>>
void check_sizes(std::string const& what) {
  unsigned seed = 1;
  for (std::int64_t n : {std::int64_t{1}, tile - 1, tile, tile + 1, 3 * tile + 7, 6 * tile}) {
    auto const x = keys_to_sort<T>(n, seed);
    check_passes<small_shape, std::uint32_t, Falling, V, Form>(x, seed, what);
    if (n <= tile) check_block<small_shape, Falling, V, Form>(x, seed, what);
    if (testing::Test::HasFatalFailure()) return;
    ++seed;
  }
}

TEST(GridOnesweep, Integers) {
  check_sizes<std::int32_t, false, detail::keys_alone>("int32");
  check_sizes<std::int32_t, true, std::uint32_t>("falling int32");
  check_sizes<std::uint32_t, false, std::uint64_t>("uint32");
  check_sizes<std::int64_t, true, detail::keys_alone>("falling int64");
  check_sizes<std::uint64_t, false, bytes<3>>("uint64");
  check_sizes<std::uint32_t, true, bytes<40>>("values of 40 bytes");
  check_sizes<std::int16_t, false, bytes<16>>("int16");
  check_sizes<std::uint16_t, true, detail::keys_alone>("falling uint16");
  check_sizes<std::int8_t, false, std::uint32_t>("int8");
  check_sizes<std::uint8_t, true, bytes<1>>("falling uint8");
}

TEST(GridOnesweep, Floats) {
  check_sizes<float, false, detail::keys_alone>("float");
  check_sizes<float, true, std::uint32_t>("falling float");
  check_sizes<float, false, bytes<12>>("float with values of 12 bytes");
  check_sizes<double, false, std::uint16_t>("double");
  check_sizes<double, true, detail::keys_alone>("falling double");
#ifdef HAS_HALVES
  check_sizes<__half, false, std::uint32_t>("half");
  check_sizes<__nv_bfloat16, true, detail::keys_alone>("falling bfloat16");
#endif
}

/// Keys whose digits are all equal, in all places or in some, and keys in order.
TEST(GridOnesweep, Patterns) {
  constexpr std::size_t n = 4 * tile + 100;
  std::vector<std::uint32_t> equal(n, 5u), greatest(n, ~0u), rising(n), falling(n), few(n);
  std::iota(rising.begin(), rising.end(), 0u);
  for (std::size_t i = 0; i < n; ++i) {
    falling[i] = static_cast<std::uint32_t>(n - i);
    few[i] = static_cast<std::uint32_t>(i / tile % 2 * 0x1000000 + i % 3);
  }
  for (auto const& x : {equal, greatest, rising, falling, few}) {
    check_passes<small_shape, std::uint32_t, false, std::uint32_t, key_form::flipped>(x, 2, "pattern");
    std::vector<std::uint32_t> const first(x.begin(), x.begin() + tile);
    check_block<small_shape, true, std::uint32_t, key_form::flipped>(first, 2, "pattern");
  }
}

/// Sorted keys needn't be stored, and values may be indices that no array holds.
TEST(GridOnesweep, Indices) {
  constexpr std::size_t n = tile - 5;
  auto const x = keys_to_sort<std::uint8_t>(n, 5);
  auto const places = sorted_places<false>(x);
  detail::digit_coding<std::uint8_t, key_form::flipped> const coding(
      detail::key_coding<std::uint8_t>::of<std::uint8_t, false>());
  auto const check = [&](std::vector<std::uint32_t> const& got) {
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got[i], places[i]) << i;
  };
  std::vector<std::uint32_t> numbers(n), out(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  using task_t = detail::onesweep_task<std::uint8_t, key_form::flipped, std::uint32_t>;
  passes<small_shape, std::uint32_t, task_t> const by_passes{static_cast<std::int64_t>(n), nullptr, nullptr, 1};
  by_passes(task_t{x.data(), nullptr, numbers.data(), out.data(), coding});
  check(out);
  using indices = detail::index_reader<std::uint32_t>;
  using indices_t = detail::onesweep_task<std::uint8_t, key_form::flipped, std::uint32_t, indices>;
  using agent_t = detail::block_sort_agent<small_shape, indices_t, tessera::host::block>;
  auto const storage = std::make_unique<typename agent_t::storage_t>();
  std::fill(out.begin(), out.end(), 7u);
  indices_t const task{x.data(), nullptr, indices{0}, out.data(), coding};
  tessera::host::launch_grid(1, small_shape::threads, options_of(1),
                             [&](tessera::host::block block) { agent_t(block, task, *storage).run(n); });
  check(out);
}

/// Words of 64 bits, blocks that have more threads than digits, and one word of a look-back at a time.
TEST(GridOnesweep, Shapes) {
  auto const x = keys_to_sort<float>(2 * 384 * 3 + 11, 7);
  auto const check = [&](auto shape, auto word) {
    check_passes<decltype(shape), decltype(word), false, std::uint32_t, key_form::in_order>(x, 4, "shape");
  };
  check(detail::radix_shape<384, 3, 1, 1>{}, std::uint32_t{});
  check(detail::radix_shape<512, 1>{}, std::uint64_t{});
  check(detail::short_onesweep_shape{}, std::uint32_t{});
  check_block<detail::radix_shape<384, 7>, true, bytes<5>, key_form::in_order>(x, 3, "shape");
}

/// Memory for so many elements serves fewer, whatever the shape of their passes is.
TEST(GridOnesweep, BytesRise) {
  for (unsigned key : {1u, 2u, 4u, 8u}) {
    for (unsigned value : {0u, 2u, 4u, 8u, 16u, 40u}) {
      unsigned const long_tile = detail::onesweep_tile(key, value);
      std::int64_t const most_short = detail::short_onesweep_most(long_tile);
      std::size_t before = 0;
      for (std::int64_t n : {std::int64_t{1}, std::int64_t{5000}, most_short - 1, most_short, most_short + 1,
                             2 * most_short, 9 * most_short, std::int64_t{1} << 29, std::int64_t{1} << 31}) {
        if (n < 1 || (n == most_short + 1 && most_short == 0)) continue;
        std::size_t const bytes = detail::onesweep_bytes(n, key, value);
        EXPECT_LE(before, bytes) << key << " " << value << " " << n;
        before = bytes;
        bool const is_short = n <= most_short;
        std::size_t const of_tile = is_short ? detail::short_onesweep_shape::elements : long_tile;
        std::size_t const tiles = (static_cast<std::size_t>(n) + of_tile - 1) / of_tile;
        EXPECT_GE(bytes, tiles * (key > 1 ? 2 : 1) * detail::radix_digits::count * detail::onesweep_word(n));
      }
    }
  }
}

/// Words of tiles that are far apart: the look-back adds those up to the last one that has all before it.
template <class Word>
void check_look_back() {
  constexpr unsigned digits = detail::radix_digits::count;
  std::vector<Word> words(40 * digits);
  detail::digit_words<Word> const of_digit(&words[3]);
  of_digit.publish_through(0, 5);
  EXPECT_EQ(of_digit.template look_back<4>(0), 0u);
  EXPECT_EQ(of_digit.template look_back<4>(1), 5u);
  for (unsigned tile_number = 1; tile_number < 30; ++tile_number) of_digit.publish_own(tile_number, tile_number);
  for (unsigned tile_number = 1; tile_number <= 30; ++tile_number) {
    Word const expected = 5 + tile_number * (tile_number - 1) / 2;
    EXPECT_EQ(of_digit.template look_back<4>(tile_number), expected);
    EXPECT_EQ(of_digit.template look_back<1>(tile_number), expected);
  }
  Word const most = (Word{1} << (8 * sizeof(Word) - 2)) - 1;
  of_digit.publish_through(20, most - 300);
  EXPECT_EQ(of_digit.template look_back<4>(22), static_cast<Word>(most - 300 + 21));
  EXPECT_EQ(of_digit.template look_back<8>(21), static_cast<Word>(most - 300));
}
TEST(GridOnesweep, LookBack) {
  check_look_back<std::uint32_t>();
  check_look_back<std::uint64_t>();
}

}  // namespace

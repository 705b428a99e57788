// Random arrays through grid::top_k and nth_element.
#include <tessera/grid/top_k.hpp>

#include "random_gpu.hpp"
#include "top_k_reference.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using GridRandomTopK = GridRandom;

template <class T>
void check_selection(GridRandom& test, std::uint64_t seed) {
  case_draw from(seed);
  std::int64_t const n = std::max<std::int64_t>(from.size(most_elements(from.chance(10) ? 1 << 23 : 1 << 17)), 1);
  std::int64_t const k = std::max<std::int64_t>(from.size(n), 1), rank = from.number(0, n - 1);
  auto const offset = static_cast<std::size_t>(from.chance(50) ? 0 : from.number(0, 40));
  bool const falling = from.chance(50);
  std::string text = std::to_string(k) + " of " + std::to_string(n) + " of " + std::to_string(sizeof(T)) +
                     " bytes, offset " + std::to_string(offset) + (falling ? ", greater" : ", less");
  std::vector<T> x;
  if (from.chance(40)) {
    values const how = all_values[static_cast<std::size_t>(from.number(0, std::size(all_values) - 1))];
    text += ", " + name_of(how);
    x = draw_values<T>(how, static_cast<std::size_t>(n), from.bits());
  } else {
    x = drawn<T>(from, n, text);
  }
  SCOPED_TRACE(text);
  device_array<T> const in(x, offset);
  auto const order = sorted_indices(x, falling);
  T* const no_values = nullptr;
  auto const top = [&](std::int64_t* out, grid::execution on) {
    return falling ? grid::top_k(in.data(), n, k, no_values, out, tessera::greater{}, on)
                   : grid::top_k(in.data(), n, k, no_values, out, tessera::less{}, on);
  };
  auto const indices = test.results<std::int64_t>(k, top, pending_error::either);
  for (std::size_t i = 0; i < indices.size(); ++i) ASSERT_EQ(indices[i], order[i]) << i;
  auto const value = test.results<T>(1, [&](T* out, grid::execution on) {
    std::int64_t* const no_index = nullptr;
    return falling ? grid::nth_element(in.data(), n, rank, out, no_index, tessera::greater{}, on)
                   : grid::nth_element(in.data(), n, rank, out, no_index, tessera::less{}, on);
  });
  auto const expected = x[static_cast<std::size_t>(order[static_cast<std::size_t>(rank)])];
  EXPECT_TRUE(same_bits(value[0], expected)) << "rank " << rank;
  EXPECT_TRUE(all_same_bits(in.to_host(), x)) << "the array has changed";
}

TEST_F(GridRandomTopK, Selections) {
  each_random_case(0.1, [&](std::uint64_t seed) {
    switch (seed % 8) {
      case 0:
        return check_selection<float>(*this, seed);
      case 1:
        return check_selection<double>(*this, seed);
      case 2:
        return check_selection<__half>(*this, seed);
      case 3:
        return check_selection<__nv_bfloat16>(*this, seed);
      case 4:
        return check_selection<std::int32_t>(*this, seed);
      case 5:
        return check_selection<std::uint32_t>(*this, seed);
      case 6:
        return check_selection<std::int64_t>(*this, seed);
      default:
        return check_selection<std::uint64_t>(*this, seed);
    }
  });
}

}  // namespace

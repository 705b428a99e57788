// Sorts of any type in as many bytes of the caller's memory as scratch_bytes says: CUB's merge sort, with values so
// long that its blocks sort few elements, and its radix sort with values of a user's.
#include <tessera/grid/sort.cuh>

#include <cstdint>

#include "gpu.hpp"
#include "scratch_on_gpu.hpp"

namespace {

using namespace scratch;

struct short_record {
  unsigned words[3];
};
struct alignas(16) long_record {
  unsigned words[8];
};
struct comes_before {
  TESSERA_FN bool operator()(short_record const& a, short_record const& b) const {
    return a.words[0] % 1000 < b.words[0] % 1000;
  }
};

/// So many that the arrays have room.
grid::array_sizes half(int64_t n) {
  return n / 2;
}
grid::array_sizes quarter(int64_t n) {
  return n / 4;
}

scratch_case const sorts[] = {
    {call::sort, "records", half, sizeof(short_record),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sort(a.in<short_record>(), n / 2, a.to<short_record>(), comes_before{}, on);
     }},
    {call::sort, "records in place", half, sizeof(short_record),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sort(a.to<short_record>(), n / 2, a.to<short_record>(), comes_before{}, on);
     }},
    {call::sort_by_key,
     "records with long ones",
     quarter,
     {sizeof(short_record), sizeof(long_record)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sort_by_key(a.in<short_record>(), a.beside<long_record>(), n / 4, a.to<short_record>(),
                                a.also_to<long_record>(), comes_before{}, on);
     }},
    {call::stable_sort_by_key,
     "bytes with records",
     half,
     {1, sizeof(short_record)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::stable_sort_by_key(a.in<std::uint8_t>(), a.beside<short_record>(), n / 2, a.to<std::uint8_t>(),
                                       a.also_to<short_record>(), tessera::less{}, on);
     }},
    {call::argsort,
     "records",
     half,
     {sizeof(short_record), sizeof(std::uint32_t)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argsort(a.in<short_record>(), n / 2, a.to<std::uint32_t>(), comes_before{}, on);
     }},
};

TEST(GridScratchSortsAny, SufficeForElementsOfAnySize) {
  SKIP_WITHOUT_GPU();
  check_all_scratch(sorts);
}

}  // namespace

// Sorts of any type in as many bytes of the caller's memory as scratch_bytes says: CUB's merge sort, with values so
// long that its blocks sort few elements, and its radix sort with values of a user's; by iterators, and of as many as
// the device knows.
#include <tessera/grid/sort.cuh>

#include <cstdint>
#include <optional>

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

/// Reads the elements of an array in another order.
struct descending {
  using value_type = int;
  int const* at;

  TESSERA_FN int operator*() const { return -*at; }
  TESSERA_FN descending operator+(int64_t i) const { return {at + i}; }
};
constexpr std::size_t optional_record = sizeof(std::optional<short_record>);

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
    {call::sort, "computed integers", n_alone, sizeof(int),
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sort(descending{a.in<int>()}, n, a.to<int>(), tessera::less{}, on);
     }},
    {call::stable_sort_by_key,
     "computed integers in place with doubles",
     n_alone,
     {sizeof(int), sizeof(double)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::stable_sort_by_key(descending{a.in<int>()}, a.also_to<double>(), n, a.to<int>(),
                                       a.also_to<double>(), tessera::less{}, on);
     }},
    {call::argsort,
     "computed integers",
     n_alone,
     {sizeof(int), sizeof(int64_t)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argsort(descending{a.in<int>()}, n, a.to<int64_t>(), tessera::less{}, on);
     }},
    {call::sort,
     "all integers that the device knows",
     n_alone,
     {sizeof(int), 0, sizeof(int)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sort(a.in<int>(), a.all(n), a.to<int>(), tessera::greater{}, on);
     }},
    {call::sort,
     "all records that the device knows",
     half,
     {sizeof(short_record), 0, optional_record},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sort(a.in<short_record>(), a.all(n / 2), a.to<short_record>(), comes_before{}, on);
     }},
    {call::sort_by_key,
     "all records that the device knows, in place",
     half,
     {sizeof(short_record), sizeof(int), optional_record},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::sort_by_key(a.to<short_record>(), a.also_to<int>(), a.all(n / 2), a.to<short_record>(),
                                a.also_to<int>(), comes_before{}, on);
     }},
    {call::argsort,
     "all records that the device knows",
     half,
     {sizeof(short_record), sizeof(std::uint32_t), optional_record},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argsort(a.in<short_record>(), a.all(n / 2), a.to<std::uint32_t>(), comes_before{}, on);
     }},
    {call::argsort,
     "all integers that the device knows",
     n_alone,
     {sizeof(int), sizeof(int64_t), sizeof(int)},
     [](arrays const& a, int64_t n, grid::execution on) {
       return grid::argsort(a.in<int>(), a.all(n), a.to<int64_t>(), tessera::less{}, on);
     }},
};

TEST(GridScratchSortsAny, SufficeForElementsOfAnySize) {
  SKIP_WITHOUT_GPU();
  check_all_scratch(sorts);
}

}  // namespace

// Scans by key and of segments of any types by any operator (scan_by_key.cuh, scan_segments.cuh), in order; and CUB's
// DeviceScan by key beside them.

#include <tessera/grid/scan_by_key.cuh>
#include <tessera/grid/scan_segments.cuh>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "backend.hpp"
#include "samples.hpp"
#include "segment_lengths.hpp"
#include "with_workspace.hpp"

#if TESSERA_TEST_HAS_PART(2)
#include <cub/device/device_scan.cuh>
#endif

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSegmentedScansAny = WithWorkspace;

/// Keys that are equal in all but the lowest bit are one run.
struct equal_pages {
  template <class Key>
  TESSERA_FN bool operator()(Key const& a, Key const& b) const {
    return a >> 1 == b >> 1;
  }
};

/// Scanned by a loop, each segment by itself.
template <class T, class Op>
std::vector<T> expected_scan(std::vector<T> const& x, segment_lengths const& what, Op const& op, bool exclusive,
                             T const& start) {
  std::vector<T> out(x);
  std::size_t i = 0;
  for (std::int64_t length : what.lengths) {
    T sum = start;
    for (std::int64_t k = 0; k < length; ++k, ++i) {
      T const before = sum;
      sum = exclusive || k > 0 ? op(sum, x[i]) : x[i];
      out[i] = exclusive ? before : sum;
    }
  }
  return out;
}

template <class T>
std::string bytes_of(T const& x) {
  return testing::PrintToString(
      std::vector<int>(reinterpret_cast<unsigned char const*>(&x), reinterpret_cast<unsigned char const*>(&x + 1)));
}

template <class T>
void expect_same(std::vector<T> const& got, std::vector<T> const& expected, segment_lengths const& what) {
  std::string wrong;
  std::size_t count = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&got[i], &expected[i], sizeof(T)) == 0 || ++count > 5) continue;
    wrong += "\n  " + std::to_string(i) + ": " + bytes_of(got[i]) + ", not " + bytes_of(expected[i]);
  }
  ASSERT_EQ(count, 0u) << sizeof(T) << " bytes, " << what.name << ", " << expected.size() << " elements" << wrong;
}

/// Bit for bit what a loop gives, by an operator without an identity.
template <class Key, class T, class Op>
void check_ordered(grid::workspace& memory, Op op, T (*make)(random_engine&)) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size() / 4)) continue;
    auto const n = what.items();
    if (sizeof(T) > 16 && n > 1'000'000) continue;  // smaller elements have such lengths
    random_engine random(5);
    std::vector<T> x;
    std::vector<Key> keys;
    unsigned number = 1;
    for (std::int64_t length : what.lengths) {
      if (length > 0) ++number;
      for (std::int64_t i = 0; i < length; ++i) {
        x.push_back(make(random));
        keys.push_back(static_cast<Key>(2 * number + i % 2));
      }
    }
    T const start = make(random);
    gpu_array<T> const in(x), out(x.size());
    gpu_array<Key> const all_keys(keys);
    gpu_array<std::int64_t> const begins(what.offsets<std::int64_t>(0));
    auto const segments = static_cast<std::int64_t>(what.lengths.size());
    ASSERT_EQ(grid::exclusive_scan_segments(in.data(), n, begins.data(), segments, out.data(), op, start, memory),
              cudaSuccess);
    expect_same(out.to_host(), expected_scan(x, what, op, true, start), what);
    if (sizeof(Key) == 1 && segments > 100) continue;  // neighbors would be equal
    ASSERT_EQ(grid::inclusive_scan_by_key(all_keys.data(), in.data(), n, out.data(), op, equal_pages{}, memory),
              cudaSuccess);
    expect_same(out.to_host(), expected_scan(x, what, op, false, start), what);
    ASSERT_EQ(grid::exclusive_scan_by_key(all_keys.data(), in.data(), n, out.data(), op, start, equal_pages{}, memory),
              cudaSuccess);
    expect_same(out.to_host(), expected_scan(x, what, op, true, start), what);
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridSegmentedScansAny, Matrices) {
  check_ordered<int, matrix>(memory, matrix_product{}, [](random_engine& random) { return sample<matrix>(random); });
}
#endif

#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridSegmentedScansAny, Strings) {
  check_ordered<std::int64_t, digits>(memory, digit_concatenation{}, sample<digits>);
}
/// Sizes that vectors don't divide.
TEST_F(GridSegmentedScansAny, StructsOfOddSizes) {
  check_ordered<std::uint8_t, row<3>>(memory, compose_rows<3>{}, sample<row<3>>);
  check_ordered<short, row<6>>(memory, compose_rows<6>{}, sample<row<6>>);
}
#endif

#if TESSERA_TEST_HAS_PART(2)
/// Sizes that a row can't hold.
TEST_F(GridSegmentedScansAny, Structs) {
  check_ordered<int, row<12>>(memory, compose_rows<12>{}, sample<row<12>>);
  check_ordered<int, row<64>>(memory, compose_rows<64>{}, sample<row<64>>);
}

/// What CUB gives of integers.
TEST_F(GridSegmentedScansAny, AsCub) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size()) || what.items() == 0) continue;
    std::vector<int> keys, x;
    random_engine random(6);
    int number = 0;
    for (std::int64_t length : what.lengths) {
      if (length > 0) ++number;
      for (std::int64_t i = 0; i < length; ++i) {
        keys.push_back(number);
        x.push_back(static_cast<int>(random() % 1000));
      }
    }
    auto const n = static_cast<int>(x.size());
    gpu_array<int> const all_keys(keys), in(x), ours(x.size()), theirs(x.size());
    std::size_t bytes = 0;
    ASSERT_EQ(cub::DeviceScan::ExclusiveSumByKey(nullptr, bytes, all_keys.data(), in.data(), theirs.data(), n),
              cudaSuccess);
    gpu_array<char> const storage(bytes);
    ASSERT_EQ(cub::DeviceScan::ExclusiveSumByKey(storage.data(), bytes, all_keys.data(), in.data(), theirs.data(), n),
              cudaSuccess);
    ASSERT_EQ(grid::exclusive_scan_by_key(all_keys.data(), in.data(), n, ours.data(), tessera::plus{}, memory),
              cudaSuccess);
    ASSERT_EQ(ours.to_host(), theirs.to_host()) << what.name;
  }
}
#endif

}  // namespace

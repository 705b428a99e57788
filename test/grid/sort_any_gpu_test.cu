// Sorts of arrays and segments of any type in any order (sort.cuh, sort_segments.cuh), and CUB beside them.
#include <cub/device/device_radix_sort.cuh>

#include <tessera/grid/sort.cuh>
#include <tessera/grid/sort_segments.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "../backend.hpp"
#include "../samples.hpp"
#include "segment_lengths.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

struct GridSortAny : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
  grid::workspace memory;
};

std::int64_t const sizes[] = {0, 1, 2, 33, 1000, 4095, 4097, 65537, 600011};

/// A type without default constructor and assignment, ordered by a part of it.
struct city {
  TESSERA_FN city(int p, int n, int m) : people(p), number(n), more(m) {}
  city(city const&) = default;
  city& operator=(city const&) = delete;
  int const people, number, more;
};
struct larger_city {
  TESSERA_FN bool operator()(city const& a, city const& b) const { return a.people > b.people; }
};
/// Of an odd size.
struct name {
  unsigned char letters[3];
};
struct in_the_alphabet {
  TESSERA_FN bool operator()(name const& a, name const& b) const {
    for (int i = 0; i < 2; ++i)  // the last letter doesn't count
      if (a.letters[i] != b.letters[i]) return a.letters[i] < b.letters[i];
    return false;
  }
};

template <class T>
T drawn_one(random_engine& random, int number);
template <>
city drawn_one<city>(random_engine& random, int number) {
  return {static_cast<int>(random() % 50), number, -number};
}
template <>
name drawn_one<name>(random_engine& random, int) {
  return {{static_cast<unsigned char>(random() % 3), static_cast<unsigned char>(random() % 3),
           static_cast<unsigned char>(random())}};
}
template <>
std::int16_t drawn_one<std::int16_t>(random_engine& random, int) {
  return static_cast<std::int16_t>(random());
}
template <>
std::uint8_t drawn_one<std::uint8_t>(random_engine& random, int) {
  return static_cast<std::uint8_t>(random());
}

template <class T>
std::vector<unsigned char> bytes_of(T const* x, std::size_t n) {
  std::vector<unsigned char> out(n * sizeof(T));
  if (n > 0) std::memcpy(out.data(), static_cast<void const*>(x), out.size());
  return out;
}

/// The GPU's copy of elements, as bytes: T may have no default constructor.
template <class T>
class array_of {
 public:
  explicit array_of(std::vector<T> const& x) : bytes_(bytes_of(x.data(), x.size())) {}
  T* data() const { return reinterpret_cast<T*>(bytes_.data()); }
  std::vector<unsigned char> to_host() const { return bytes_.to_host(); }

 private:
  gpu_array<unsigned char> bytes_;
};

template <class T, class Before>
void check_arrays(grid::workspace& memory, Before before) {
  for (std::int64_t n : sizes) {
    if (!is_worth(n)) continue;
    auto const size = static_cast<std::size_t>(n);
    random_engine random(static_cast<std::uint64_t>(n));
    std::vector<T> x;
    for (std::int64_t i = 0; i < n; ++i) x.push_back(drawn_one<T>(random, static_cast<int>(i)));
    std::vector<std::int64_t> places(size);
    std::iota(places.begin(), places.end(), std::int64_t{0});
    std::stable_sort(places.begin(), places.end(), [&](std::int64_t i, std::int64_t j) {
      return before(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
    });
    std::vector<T> expected;
    for (auto place : places) expected.push_back(x[static_cast<std::size_t>(place)]);
    array_of<T> const in(x), out(x), own(x), keys_out(x);
    gpu_array<std::int64_t> const numbers(places), indices(size);
    std::vector<row<12>> rows(size);
    for (std::size_t i = 0; i < size; ++i) std::memcpy(&rows[i], &i, sizeof(i));
    gpu_array<row<12>> const values(rows), values_out(rows);
    ASSERT_EQ(grid::stable_sort(in.data(), n, out.data(), before, nullptr, &memory), cudaSuccess);
    ASSERT_EQ(grid::sort(own.data(), n, own.data(), before), cudaSuccess);
    ASSERT_EQ(grid::argsort(in.data(), n, indices.data(), before, nullptr, &memory), cudaSuccess);
    ASSERT_EQ(grid::stable_sort_by_key(in.data(), values.data(), n, keys_out.data(), values_out.data(),
                                       before, nullptr, &memory),
              cudaSuccess);
    auto const bytes = bytes_of(expected.data(), size);
    EXPECT_EQ(out.to_host(), bytes) << n;
    EXPECT_EQ(own.to_host(), bytes) << n;
    EXPECT_EQ(keys_out.to_host(), bytes) << n;
    EXPECT_EQ(indices.to_host(), places) << n;
    auto const moved = values_out.to_host();
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_EQ(std::memcmp(&moved[i], &rows[static_cast<std::size_t>(places[i])], 12), 0) << n;
  }
}

template <class T, class Before>
void check_segments(grid::workspace& memory, Before before) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size())) continue;
    auto const offsets = what.offsets<int>(1);
    auto const size = static_cast<std::size_t>(offsets.back()) + 1;
    auto const n = static_cast<std::int64_t>(size), segments = static_cast<std::int64_t>(what.lengths.size());
    random_engine random(5);
    std::vector<T> x;
    for (std::size_t i = 0; i < size; ++i) x.push_back(drawn_one<T>(random, static_cast<int>(i)));
    std::vector<std::int64_t> places(size);
    std::iota(places.begin(), places.end(), std::int64_t{0});
    for (std::size_t s = 0; s < what.lengths.size(); ++s)
      std::stable_sort(places.begin() + offsets[s], places.begin() + offsets[s + 1],
                       [&](std::int64_t i, std::int64_t j) {
                         return before(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
                       });
    std::vector<T> expected;
    for (auto place : places) expected.push_back(x[static_cast<std::size_t>(place)]);
    std::vector<std::int64_t> numbers(size);
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    array_of<T> const in(x), out(x), keys_out(x);
    gpu_array<std::int64_t> const values(numbers), values_out(numbers);
    gpu_array<int> const begins(offsets);
    ASSERT_EQ(
        grid::sort_segments(in.data(), n, begins.data(), segments, out.data(), before, nullptr, &memory),
        cudaSuccess);
    ASSERT_EQ(grid::sort_segments_by_key(in.data(), values.data(), n, begins.data(), segments,
                                         keys_out.data(), values_out.data(), before, nullptr, &memory),
              cudaSuccess);
    auto const bytes = bytes_of(expected.data(), size);
    EXPECT_EQ(out.to_host(), bytes) << what.name;
    EXPECT_EQ(keys_out.to_host(), bytes) << what.name;
    EXPECT_EQ(values_out.to_host(), places) << what.name;
  }
}

TEST_F(GridSortAny, Structs) {
  check_arrays<city>(memory, larger_city{});
  check_arrays<name>(memory, in_the_alphabet{});
}
TEST_F(GridSortAny, SmallNumbers) {
  check_arrays<std::int16_t>(memory, tessera::greater{});
  check_arrays<std::uint8_t>(memory, tessera::less{});
}
TEST_F(GridSortAny, SegmentsOfStructs) {
  check_segments<city>(memory, larger_city{});
  check_segments<name>(memory, in_the_alphabet{});
}

/// Floats without NaN: to the bit what CUB gives, with -0 and +0 in their order.
TEST_F(GridSortAny, AsCub) {
  for (std::int64_t n : sizes) {
    if (!is_worth(n)) continue;
    auto const size = static_cast<std::size_t>(n);
    random_engine random(6);
    std::vector<float> x(size);
    for (auto& value : x)
      value = random() % 8 == 0 ? (random() % 2 == 0 ? 0.0f : -0.0f) : sample<float>(random);
    gpu_array<float> const in(x), ours(size), cubs(size);
    std::size_t bytes = 0;
    ASSERT_EQ(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in.data(), cubs.data(), n), cudaSuccess);
    gpu_array<char> const scratch(bytes + 1);
    ASSERT_EQ(cub::DeviceRadixSort::SortKeys(scratch.data(), bytes, in.data(), cubs.data(), n), cudaSuccess);
    ASSERT_EQ(grid::stable_sort(in.data(), n, ours.data(), tessera::less{}, nullptr, &memory), cudaSuccess);
    auto const a = ours.to_host(), b = cubs.to_host();
    EXPECT_TRUE(n == 0 || std::memcmp(a.data(), b.data(), size * sizeof(float)) == 0) << n;
  }
}

}  // namespace

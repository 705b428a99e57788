// Segments of arrays of any type by any operator (segments.cuh), in order; and CUB's DeviceSegmentedReduce beside it.
#include <cub/device/device_segmented_reduce.cuh>

#include <tessera/grid/segments.cuh>

#include <cstdint>
#include <vector>

#include "backend.hpp"
#include "samples.hpp"
#include "segment_lengths.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSegmentsAny = WithWorkspace;

/// Bit for bit what a loop gives.
template <class T, class Op>
void check_ordered(grid::workspace& memory, Op op, T identity, T (*make)(random_engine&)) {
  auto const combine = tessera::make_operator(op, identity);
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size() / 4)) continue;
    auto const offsets = what.offsets<int>(1);
    random_engine random(5);
    std::vector<T> x(static_cast<std::size_t>(what.items()) + 1, identity);
    for (auto& value : x) value = make(random);
    gpu_array<T> const in(x), out(what.lengths.size() + 1);
    gpu_array<int> const begins(offsets);
    ASSERT_EQ(grid::reduce_segments(in.data(), begins.data(), static_cast<std::int64_t>(what.lengths.size()),
                                    out.data(), combine, memory),
              cudaSuccess);
    auto const got = out.to_host();
    for (std::size_t s = 0; s < what.lengths.size(); ++s) {
      T expected = identity;
      for (int i = offsets[s]; i < offsets[s + 1]; ++i) expected = op(expected, x[static_cast<std::size_t>(i)]);
      ASSERT_EQ(std::memcmp(&got[s], &expected, sizeof(T)), 0)
          << sizeof(T) << " bytes, " << what.name << ", segment " << s;
    }
  }
}

TEST_F(GridSegmentsAny, Matrices) {
  check_ordered<matrix>(memory, matrix_product{}, matrix_one,
                        [](random_engine& random) { return sample<matrix>(random); });
}
TEST_F(GridSegmentsAny, Brackets) {
  check_ordered<brackets>(memory, bracket_concatenation{}, test::brackets{0, 0}, [](random_engine& random) {
    return random() % 2 != 0 ? test::brackets{1, 0} : test::brackets{0, 1};
  });
}
TEST_F(GridSegmentsAny, OddSizes) {
  check_ordered<row<3>>(memory, compose_rows<3>{}, row<3>{{1, 0, 0}}, [](random_engine& random) {
    return row<3>{{static_cast<unsigned char>(random() | 1), static_cast<unsigned char>(random()), 0}};
  });
  check_ordered<row<12>>(memory, compose_rows<12>{}, row<12>{{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}},
                         [](random_engine& random) {
                           row<12> x;
                           for (auto& byte : x.scale_and_offset) byte = static_cast<unsigned char>(random());
                           return x;
                         });
}

/// A type without a default constructor.
struct money {
  long long cents;
  TESSERA_FN explicit money(long long c) : cents(c) {}
};
struct sum_of_money {
  TESSERA_FN money operator()(money a, money b) const { return money(a.cents + b.cents); }
};
TEST_F(GridSegmentsAny, WithoutDefaultConstructor) {
  std::vector<int> const offsets{0, 3, 3, 1000};
  gpu_array<long long> const in(std::vector<long long>(1000, 7)), out(std::size_t{3});
  gpu_array<int> const begins(offsets);
  ASSERT_EQ(grid::reduce_segments(reinterpret_cast<money const*>(in.data()), begins.data(), 3,
                                  reinterpret_cast<money*>(out.data()),
                                  tessera::make_operator(sum_of_money{}, money(0)), memory),
            cudaSuccess);
  EXPECT_EQ(out.to_host(), (std::vector<long long>{21, 0, 6979}));
}

/// Sums of small integers are exact: CUB's to the bit.
TEST_F(GridSegmentsAny, AsCub) {
  for (auto const& what : all_segment_lengths()) {
    if (what.lengths.empty() || !is_worth(what.size() / 4)) continue;
    random_engine random(6);
    std::vector<float> x(static_cast<std::size_t>(what.items()) + 1);
    for (auto& value : x) value = static_cast<float>(random() % 3);
    gpu_array<float> const in(x), ours(what.lengths.size()), cubs(what.lengths.size());
    gpu_array<int> const begins(what.offsets<int>(0));
    std::size_t bytes = 1 << 20;
    gpu_array<char> const scratch(bytes);
    auto const segments = static_cast<std::int64_t>(what.lengths.size());
    ASSERT_EQ(cub::DeviceSegmentedReduce::Sum(scratch.data(), bytes, in.data(), cubs.data(), segments, begins.data(),
                                              begins.data() + 1),
              cudaSuccess);
    ASSERT_EQ(grid::reduce_segments(in.data(), begins.data(), segments, ours.data(), tessera::plus{}, memory),
              cudaSuccess);
    EXPECT_EQ(ours.to_host(), cubs.to_host()) << what.name;
  }
}

}  // namespace

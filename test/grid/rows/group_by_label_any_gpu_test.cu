// group_by_label on the GPU: one block and several, of one tile and of more, against plain loops; refusals; graphs.
#include <tessera/grid/group_by_label.cuh>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "backend.hpp"
#include "route_reference.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridGroupByLabelAny = WithWorkspace;

template <class Index, class Label>
void check(std::int64_t n, int bins, std::int64_t pad_to, unsigned kind, grid::workspace& memory) {
  SCOPED_TRACE(testing::Message() << n << " labels, " << bins << " bins, padded to " << pad_to << ", kind " << kind);
  random_engine random(static_cast<std::uint64_t>(n * 31 + bins));
  auto const labels = drawn_labels<Label>(n, bins, kind, random);
  grouped_labels<Index> want(labels, bins, pad_to);
  auto const size = static_cast<std::size_t>(grid::grouped_size(n, bins, pad_to));
  gpu_array<Label> const in(labels);
  gpu_array<Index> const offsets(static_cast<std::size_t>(bins) + 1), order(std::vector<Index>(size + 1, -7)),
      counts(static_cast<std::size_t>(bins)), inverse(std::vector<Index>(labels.size() + 1, -7));
  gpu_array<std::int32_t> const block_labels(
      std::vector<std::int32_t>(size / static_cast<std::size_t>(pad_to) + 1, -7));
  grid::group_options<Index> options;
  options.pad_to = pad_to;
  ASSERT_EQ(grid::group_by_label(in.data(), n, bins, offsets.data(), order.data(), options, memory), cudaSuccess);
  ASSERT_EQ(offsets.to_host(), want.offsets) << "without options";
  options.counts = counts.data();
  options.inverse = inverse.data();
  options.block_labels = block_labels.data();
  ASSERT_EQ(grid::group_by_label(in.data(), n, bins, offsets.data(), order.data(), options, memory), cudaSuccess);
  ASSERT_EQ(offsets.to_host(), want.offsets);
  ASSERT_EQ(counts.to_host(), want.counts);
  want.inverse.push_back(-7);
  ASSERT_TRUE(inverse.to_host() == want.inverse);
  want.order.resize(size + 1, -7);
  ASSERT_TRUE(order.to_host() == want.order);
  want.block_labels.resize(size / static_cast<std::size_t>(pad_to) + 1, -7);
  ASSERT_TRUE(block_labels.to_host() == want.block_labels);
}

TEST_F(GridGroupByLabelAny, Sizes) {
  unsigned kind = 0;
  for (std::int64_t n : {0, 1, 31, 512, 513, 4095, 4096, 4097, 5000, 65'536, 131'073, 600'001, 2'100'000, 9'000'000}) {
    if (!is_worth(n)) continue;
    for (int bins : {1, 8, 256, 500, 1000, 1024}) {
      if (n > 1'000'000 && bins != 256 && bins != 500 && bins != 1000) continue;
      check<std::int32_t, std::int32_t>(n, bins, 1, kind % 4, memory);
      if (n <= 200'000) check<std::int32_t, std::int32_t>(n, bins, 1 + kind % 3 * 63, (kind + 1) % 4, memory);
      if (HasFatalFailure()) return;
      ++kind;
    }
  }
}
TEST_F(GridGroupByLabelAny, OtherTypes) {
  check<std::int64_t, std::int64_t>(100'000, 60, 16, 3, memory);
  check<std::int64_t, std::int16_t>(70'001, 300, 1, 0, memory);
  check<std::int32_t, std::uint8_t>(30'000, 256, 1, 0, memory);
}
/// Other kernels use the words of the workspace in between, by other numbers of parts.
TEST_F(GridGroupByLabelAny, SharedWorkspace) {
  for (int i = 0; i < 20; ++i) {
    check<std::int32_t, std::int32_t>(5000 + i * 3001, 40 + i * 13, 1 + i % 2 * 7, static_cast<unsigned>(i) % 4,
                                      memory);
    if (HasFatalFailure()) return;
  }
}

/// As many labels as the device knows: what comes after their results stays as it is.
template <class Index, class Label>
void check_counted(std::int64_t at_most, int bins, std::int64_t pad_to, grid::workspace& memory) {
  random_engine random(static_cast<std::uint64_t>(at_most + bins));
  auto const labels = drawn_labels<Label>(at_most, bins, 0, random);
  auto const size = static_cast<std::size_t>(grid::grouped_size(at_most, bins, pad_to));
  gpu_array<Label> const in(labels);
  for (std::int64_t count :
       {std::int64_t{0}, std::int64_t{1}, at_most / 300, at_most / 3, at_most, at_most + 5, std::int64_t{-7}}) {
    SCOPED_TRACE(testing::Message() << count << " labels, at most " << at_most << ", " << bins << " bins, padded to "
                                    << pad_to);
    std::int64_t const n = std::min(std::max(count, std::int64_t{0}), at_most);
    grouped_labels<Index> want(std::vector<Label>(labels.begin(), labels.begin() + n), bins, pad_to);
    gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count});
    gpu_array<Index> const offsets(static_cast<std::size_t>(bins) + 1), order(std::vector<Index>(size, -7)),
        counts(static_cast<std::size_t>(bins)), inverse(std::vector<Index>(labels.size(), -7));
    gpu_array<std::int32_t> const block_labels(std::vector<std::int32_t>(size / static_cast<std::size_t>(pad_to), -7));
    grid::group_options<Index> options;
    options.pad_to = pad_to;
    options.counts = counts.data();
    options.inverse = inverse.data();
    options.block_labels = block_labels.data();
    ASSERT_EQ(grid::group_by_label(in.data(), grid::count_on_device(number.data(), at_most), bins, offsets.data(),
                                   order.data(), options, memory),
              cudaSuccess);
    ASSERT_EQ(offsets.to_host(), want.offsets);
    ASSERT_EQ(counts.to_host(), want.counts);
    want.inverse.resize(labels.size(), -7);
    ASSERT_TRUE(inverse.to_host() == want.inverse);
    want.order.resize(size, -7);
    ASSERT_TRUE(order.to_host() == want.order);
    want.block_labels.resize(size / static_cast<std::size_t>(pad_to), -7);
    ASSERT_TRUE(block_labels.to_host() == want.block_labels);
  }
}
TEST_F(GridGroupByLabelAny, Counted) {
  for (std::int64_t at_most : {1, 512, 5000, 131'073, 2'100'000, 9'000'000}) {
    if (!is_worth(at_most)) continue;
    check_counted<std::int32_t, std::int32_t>(at_most, 8, 1, memory);
    check_counted<std::int64_t, std::int16_t>(at_most, 500, 64, memory);
    check_counted<std::int32_t, std::int64_t>(at_most, 1000, 3, memory);
    if (HasFatalFailure()) return;
  }
}

TEST_F(GridGroupByLabelAny, Refusals) {
  gpu_array<std::int32_t> const labels(std::vector<std::int32_t>(100, 1)), offsets(20), order(400), more(400);
  std::int32_t* const nowhere = nullptr;
  auto const status = [&](std::int64_t n, int bins, auto change) {
    grid::group_options<std::int32_t> options;
    change(options);
    return grid::group_by_label(labels.data(), n, bins, offsets.data(), order.data(), options, memory);
  };
  auto const nothing = [](auto&) {};
  EXPECT_EQ(status(100, 3, nothing), cudaSuccess);
  EXPECT_EQ(status(-1, 3, nothing), cudaErrorInvalidValue);
  EXPECT_EQ(status(100, 0, nothing), cudaErrorInvalidValue);
  EXPECT_EQ(status(100, 1025, nothing), cudaErrorInvalidValue);
  EXPECT_EQ(status((std::int64_t{1} << 31) + 1, 3, nothing), cudaErrorInvalidValue);
  EXPECT_EQ(status(std::int64_t{1} << 31, 3, nothing), cudaErrorInvalidValue);  // no std::int32_t
  EXPECT_EQ(status(100, 3, [](auto& o) { o.pad_to = 0; }), cudaErrorInvalidValue);
  EXPECT_EQ(status(100, 3, [](auto& o) { o.pad_to = std::int64_t{1} << 30; }), cudaErrorInvalidValue);
  EXPECT_EQ(status(0, 3, [](auto& o) { o.pad_to = std::int64_t{1} << 31; }), cudaErrorInvalidValue);
  EXPECT_EQ(status(100, 3, [&](auto& o) { o.counts = offsets.data() + 3; }), cudaErrorInvalidValue);
  EXPECT_EQ(status(100, 3, [&](auto& o) { o.inverse = order.data() + 99; }), cudaErrorInvalidValue);
  EXPECT_EQ(status(100, 3, [&](auto& o) { o.inverse = labels.data(); }), cudaErrorInvalidValue);
  EXPECT_EQ(status(100, 3, [&](auto& o) { o.block_labels = order.data(); }), cudaErrorInvalidValue);
  EXPECT_EQ(status(100, 3, [&](auto& o) { o.inverse = more.data(), o.counts = more.data() + 100; }), cudaSuccess);
  EXPECT_EQ(grid::group_by_label(nowhere, 100, 3, offsets.data(), order.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::group_by_label(labels.data(), 100, 3, nowhere, order.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::group_by_label(labels.data(), 100, 3, offsets.data(), nowhere), cudaErrorInvalidValue);
  EXPECT_EQ(grid::group_by_label(labels.data(), 100, 3, offsets.data(), offsets.data() + 3), cudaErrorInvalidValue);
  gpu_array<std::int64_t> const wide(400);
  auto const counted = [&](std::int64_t const* count, std::int64_t at_most, std::int64_t* inverse) {
    grid::group_options<std::int64_t> options;
    options.inverse = inverse;
    return grid::group_by_label(labels.data(), grid::count_on_device(count, at_most), 3, wide.data(), wide.data() + 10,
                                options, memory);
  };
  EXPECT_EQ(counted(wide.data() + 200, 100, nullptr), cudaSuccess);
  EXPECT_EQ(counted(nullptr, 100, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(counted(wide.data() + 200, -1, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(counted(wide.data() + 3, 100, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(counted(wide.data() + 109, 100, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(counted(wide.data() + 299, 100, wide.data() + 200), cudaErrorInvalidValue);
  EXPECT_EQ(grid::group_by_label(nowhere, 0, 3, offsets.data(), nowhere), cudaSuccess);
  EXPECT_EQ(offsets.to_host()[3], 0);
}

}  // namespace

// route_rows on the GPU: choices and weights of every option against plain loops, the bits of host tiles, other numbers
// of rows and addresses; the permutation in one launch and in two; refusals; graphs.
#include <tessera/grid/route_rows.cuh>
#include <tessera/host/launch.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "backend.hpp"
#include "route_reference.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
namespace host = tessera::host;
using grid::route_options;
using grid::router_scores;

using GridRouteAny = WithWorkspace;

template <class T>
struct logits_on_gpu {
  std::int64_t rows, columns, stride;
  unsigned offset;
  std::vector<T> memory;
  std::vector<std::vector<float>> host;
  gpu_array<T> data;

  logits_on_gpu(std::vector<std::vector<float>> const& x, std::int64_t gap, unsigned offset_)
      : rows(static_cast<std::int64_t>(x.size())),
        columns(static_cast<std::int64_t>(x[0].size())),
        stride(columns + gap),
        offset(offset_),
        data(static_cast<std::size_t>(rows * stride) + offset) {
    memory.assign(static_cast<std::size_t>(rows * stride) + offset, tessera::detail::convert<T>(500.0f));
    for (std::int64_t r = 0; r < rows; ++r) {
      host.emplace_back();
      for (std::int64_t c = 0; c < columns; ++c) {
        T const y = tessera::detail::convert<T>(x[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)]);
        memory[static_cast<std::size_t>(r * stride + c) + offset] = y;
        host.back().push_back(tessera::detail::convert<float>(y));
      }
    }
    copy(memory);
  }
  void copy(std::vector<T> const& from) const {
    ASSERT_EQ(cudaMemcpy(data.data(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  grid::matrix<T const> view() const { return {data.data() + offset, rows, columns, stride}; }
};

struct routes {
  std::vector<float> weights;
  std::vector<std::int32_t> experts;
};
bool operator==(routes const& a, routes const& b) {
  return a.experts == b.experts && a.weights.size() == b.weights.size() &&
         std::memcmp(a.weights.data(), b.weights.data(), a.weights.size() * sizeof(float)) == 0;
}

/// By one launch, of which some results must stay.
template <class T>
routes route(grid::matrix<T const> const& in, int k, route_options const& options) {
  auto const n = static_cast<std::size_t>(in.row_count * k);
  gpu_array<float> const weights(std::vector<float>(n + 1, -7.0f));
  gpu_array<std::int32_t> const experts(std::vector<std::int32_t>(n + 1, -7));
  EXPECT_EQ(grid::route_rows(in, k, weights.data(), experts.data(), options), cudaSuccess);
  routes out{weights.to_host(), experts.to_host()};
  EXPECT_EQ(out.weights.back(), -7.0f);
  EXPECT_EQ(out.experts.back(), -7);
  out.weights.pop_back();
  out.experts.pop_back();
  return out;
}

/// The same on host tiles.
template <class T>
routes route_on_host(logits_on_gpu<T> const& in, int k, route_options const& options) {
  namespace detail = grid::detail;
  auto const n = static_cast<std::size_t>(in.rows * k);
  routes out{std::vector<float>(n), std::vector<std::int32_t>(n)};
  std::vector<float> logits;
  for (auto const& row : in.host) logits.insert(logits.end(), row.begin(), row.end());
  auto const task = detail::make_route_task(grid::matrix<float const>(logits.data(), in.rows, in.columns), k,
                                            out.weights.data(), out.experts.data(), options);
  using shape = detail::route_shape<16, 32>;
  auto const blocks = static_cast<unsigned>((in.rows + 1) / 2);
  host::launch_grid(blocks, 64, host::options{}, [&](host::block const& block) {
    detail::route_block<shape, false>(block, task, block.group_index().x * 2);
  });
  return out;
}

template <class T>
void check(std::int64_t rows, int columns, int k, std::int64_t gap, unsigned offset) {
  random_engine random(static_cast<std::uint64_t>(rows * 1000 + columns));
  logits_on_gpu<T> const in(drawn_rows(static_cast<int>(rows), columns, random), gap, offset);
  std::vector<float> bias;
  for (int c = 0; c < columns; ++c) bias.push_back(static_cast<float>(static_cast<int>(random() % 64)) / 128);
  gpu_array<float> const bias_on_gpu(bias);
  std::int64_t const few = rows < 24 ? rows : 24;
  for (auto options : all_options(bias.data(), columns)) {
    if (columns / options.num_groups * options.top_groups < k) continue;
    SCOPED_TRACE(testing::Message() << rows << " rows, " << columns << " columns, k " << k << ", groups "
                                    << options.num_groups << ", bias " << (options.bias != nullptr) << ", softmax "
                                    << (options.scores == router_scores::softmax) << ", renormalized "
                                    << options.renormalize);
    logits_on_gpu<T> const first({in.host.begin(), in.host.begin() + few}, 1, 3);
    auto const on_host = route_on_host(first, k, options);
    auto const on_gpu = [&](route_options given) {
      if (given.bias != nullptr) given.bias = bias_on_gpu.data();
      return given;
    };
    auto const got = route(in.view(), k, on_gpu(options));
    for (std::int64_t r = 0; r < rows; ++r) {
      SCOPED_TRACE(testing::Message() << "row " << r);
      expect_row(in.host[static_cast<std::size_t>(r)], k, options, {}, got.weights.data() + r * k,
                 got.experts.data() + r * k);
      if (testing::Test::HasFatalFailure()) return;
    }
    routes const beginning{{got.weights.begin(), got.weights.begin() + few * k},
                           {got.experts.begin(), got.experts.begin() + few * k}};
    ASSERT_TRUE(on_host == beginning) << "host tiles";
    ASSERT_TRUE(route(first.view(), k, on_gpu(options)) == beginning) << "elsewhere";
    grid::matrix<T const> const one(in.view().data + (rows - 1) * in.stride, 1, columns);
    routes const last{{got.weights.end() - k, got.weights.end()}, {got.experts.end() - k, got.experts.end()}};
    ASSERT_TRUE(route(one, k, on_gpu(options)) == last) << "alone";
    auto recorded = got.experts;
    gpu_array<std::int32_t> const recorded_on_gpu(recorded);
    auto replayed = on_gpu(options);
    replayed.recorded = recorded_on_gpu.data();
    ASSERT_TRUE(route(in.view(), k, replayed) == got) << "recorded";
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridRouteAny, Bfloat16s) {
  check<__nv_bfloat16>(1, 256, 8, 0, 0);
  check<__nv_bfloat16>(70, 256, 8, 0, 0);
  check<__nv_bfloat16>(33, 64, 6, 1, 1);
  check<__nv_bfloat16>(20, 128, 8, 0, 8);
  check<__nv_bfloat16>(20, 160, 6, 8, 0);
  check<__nv_bfloat16>(9, 512, 32, 0, 0);
  if (is_worth(9000)) check<__nv_bfloat16>(9001, 8, 2, 0, 0);
}
#endif
#if TESSERA_TEST_HAS_PART(3)
TEST_F(GridRouteAny, Floats) {
  check<float>(40, 256, 8, 0, 0);
  check<float>(17, 60, 4, 0, 1);
  check<float>(5, 1, 1, 0, 0);
  check<float>(18, 384, 6, 4, 0);
  check<float>(50, 128, 1, 0, 4);
}
TEST_F(GridRouteAny, Halves) {
  check<__half>(30, 256, 8, 0, 0);
  check<__half>(10, 72, 12, 2, 2);
}
#endif

// ---- With the permutation

template <class T, class Index>
void check_grouped(std::int64_t rows, int columns, int k, std::int64_t pad_to, grid::workspace& memory) {
  random_engine random(static_cast<std::uint64_t>(rows + columns));
  logits_on_gpu<T> const in(drawn_rows(static_cast<int>(rows), columns, random), 0, 0);
  auto const n = static_cast<std::size_t>(rows * k), bins = static_cast<std::size_t>(columns);
  auto const size = static_cast<std::size_t>(grid::grouped_size(rows * k, columns, pad_to));
  route_options options;
  options.renormalize = true;
  auto const want = route(in.view(), k, options);
  grouped_labels<Index> const grouped(want.experts, columns, pad_to);
  for (bool const has_recorded : {false, true}) {
    SCOPED_TRACE(testing::Message() << rows << " rows, " << columns << " columns, k " << k << ", recorded "
                                    << has_recorded);
    gpu_array<float> const weights(n);
    gpu_array<std::int32_t> const experts(n), recorded(want.experts), block_labels(size / pad_to + 1);
    gpu_array<Index> const offsets(bins + 1), order(std::vector<Index>(size + 1, -7)), counts(bins), inverse(n);
    grid::group_options<Index> grouping;
    grouping.pad_to = pad_to;
    grouping.counts = counts.data();
    grouping.inverse = inverse.data();
    grouping.block_labels = block_labels.data();
    options.recorded = has_recorded ? recorded.data() : nullptr;
    for (int run = 0; run < 3; ++run) {
      ASSERT_EQ(grid::route_rows(in.view(), k, weights.data(), experts.data(), offsets.data(), order.data(), options,
                                 grouping, memory),
                cudaSuccess);
      ASSERT_TRUE((routes{weights.to_host(), experts.to_host()} == want));
      ASSERT_EQ(offsets.to_host(), grouped.offsets);
      ASSERT_EQ(counts.to_host(), grouped.counts);
      ASSERT_EQ(inverse.to_host(), grouped.inverse);
      auto const places = order.to_host();
      for (std::size_t i = 0; i < places.size(); ++i)
        ASSERT_EQ(places[i], i < grouped.order.size() ? grouped.order[i] : -7) << i;
      auto const blocks = block_labels.to_host();
      for (std::size_t i = 0; i < grouped.block_labels.size(); ++i) ASSERT_EQ(blocks[i], grouped.block_labels[i]) << i;
    }
  }
}
#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridRouteAny, Permutations) {
  for (std::int64_t rows : {1, 15, 17, 40, 64, 65, 500, 2113, 8192, 9000, 20'000}) {
    if (!is_worth(rows)) continue;
    check_grouped<__nv_bfloat16, std::int32_t>(rows, 256, 8, rows % 2 == 0 ? 1 : 16, memory);
    if (HasFatalFailure()) return;
  }
}
#endif
#if TESSERA_TEST_HAS_PART(2)
TEST_F(GridRouteAny, PermutationsOf64Bits) {
  check_grouped<float, std::int64_t>(300, 64, 6, 128, memory);
  check_grouped<float, std::int64_t>(1000, 500, 20, 1, memory);
  check_grouped<float, std::int64_t>(700, 30, 1, 4, memory);
}
#endif

TEST_F(GridRouteAny, Refusals) {
  gpu_array<float> const x(std::vector<float>(10 * 16, 1.0f)), weights(100), bias(std::vector<float>(16, 0.0f));
  gpu_array<std::int32_t> const experts(100), offsets(20), order(100);
  grid::matrix<float const> const in(x.data(), 10, 16);
  auto const status = [&](int k, auto change) {
    route_options options;
    change(options);
    return grid::route_rows(in, k, weights.data(), experts.data(), options);
  };
  auto const nothing = [](route_options&) {};
  EXPECT_EQ(status(2, nothing), cudaSuccess);
  EXPECT_EQ(status(0, nothing), cudaErrorInvalidValue);
  EXPECT_EQ(status(-1, nothing), cudaErrorInvalidValue);
  EXPECT_EQ(status(17, nothing), cudaErrorInvalidValue);
  EXPECT_EQ(status(2, [](auto& o) { o.num_groups = 0; }), cudaErrorInvalidValue);
  EXPECT_EQ(status(2, [](auto& o) { o.num_groups = 3; }), cudaErrorInvalidValue);
  EXPECT_EQ(status(2, [](auto& o) { o.top_groups = 2; }), cudaErrorInvalidValue);
  EXPECT_EQ(status(3, [](auto& o) { o.num_groups = 8; }), cudaErrorInvalidValue);
  EXPECT_EQ(status(2, [](auto& o) { o.num_groups = 8; }), cudaSuccess);
  EXPECT_EQ(status(2, [&](auto& o) { o.bias = weights.data(); }), cudaErrorInvalidValue);
  EXPECT_EQ(status(2, [&](auto& o) { o.bias = reinterpret_cast<float*>(1); }), cudaErrorInvalidValue);
  EXPECT_EQ(status(2, [&](auto& o) { o.recorded = experts.data() + 1; }), cudaErrorInvalidValue);
  EXPECT_EQ(status(2, [&](auto& o) { o.recorded = experts.data(); }), cudaSuccess);
  auto* const as_experts = reinterpret_cast<std::int32_t*>(weights.data());
  float* const nowhere = nullptr;
  std::int32_t* const no_experts = nullptr;
  EXPECT_EQ(grid::route_rows(in, 2, weights.data(), as_experts), cudaErrorInvalidValue);
  EXPECT_EQ(grid::route_rows(in, 2, x.data(), experts.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::route_rows(in, 2, nowhere, experts.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::route_rows(in, 2, weights.data(), no_experts), cudaErrorInvalidValue);
  EXPECT_EQ(grid::route_rows(grid::matrix<float>(x.data(), 1, 513), 2, weights.data(), experts.data()),
            cudaErrorInvalidValue);
  EXPECT_EQ(grid::route_rows(grid::matrix<float>(x.data(), 2, 16, 15), 2, weights.data(), experts.data()),
            cudaErrorInvalidValue);
  EXPECT_EQ(grid::route_rows(grid::matrix<float>(nowhere, 0, 16), 2, nowhere, no_experts), cudaSuccess);
  // With the permutation
  auto const grouped = [&](std::int32_t* to_offsets, std::int32_t* to_order, auto change) {
    grid::group_options<std::int32_t> grouping;
    change(grouping);
    return grid::route_rows(in, 2, weights.data(), experts.data(), to_offsets, to_order, {}, grouping, memory);
  };
  auto const as_is = [](auto&) {};
  EXPECT_EQ(grouped(offsets.data(), order.data(), as_is), cudaSuccess);
  EXPECT_EQ(grouped(no_experts, order.data(), as_is), cudaErrorInvalidValue);
  EXPECT_EQ(grouped(offsets.data(), no_experts, as_is), cudaErrorInvalidValue);
  EXPECT_EQ(grouped(offsets.data(), offsets.data() + 16, as_is), cudaErrorInvalidValue);
  EXPECT_EQ(grouped(offsets.data(), experts.data(), as_is), cudaErrorInvalidValue);
  EXPECT_EQ(grouped(as_experts, order.data(), as_is), cudaErrorInvalidValue);
  EXPECT_EQ(grouped(offsets.data(), order.data(), [](auto& o) { o.pad_to = 0; }), cudaErrorInvalidValue);
  // Without rows all groups are empty.
  EXPECT_EQ(grid::route_rows(grid::matrix<float>(nowhere, 0, 16), 2, nowhere, no_experts, offsets.data(), no_experts),
            cudaSuccess);
  EXPECT_EQ(offsets.to_host()[16], 0);
}

TEST_F(GridRouteAny, Graph) {
  random_engine random(9);
  logits_on_gpu<__nv_bfloat16> const in(drawn_rows(1000, 64, random), 0, 0), other(drawn_rows(1000, 64, random), 0, 0);
  constexpr int k = 4;
  gpu_array<float> const weights(1000 * k);
  gpu_array<std::int32_t> const experts(1000 * k), offsets(65), order(1000 * k);
  cudaStream_t stream{};
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  auto const run = [&] {
    return grid::route_rows(in.view(), k, weights.data(), experts.data(), offsets.data(), order.data(), {}, {},
                            {stream, memory});
  };
  ASSERT_EQ(run(), cudaSuccess);  // so that the workspace needn't grow
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(run(), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  for (auto const* rows : {&other, &in, &other}) {
    in.copy(rows->memory);
    auto const want = route(rows->view(), k, {});
    ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    ASSERT_TRUE((routes{weights.to_host(), experts.to_host()} == want));
    grouped_labels<std::int32_t> const grouped(want.experts, 64, 1);
    ASSERT_EQ(offsets.to_host(), grouped.offsets);
    ASSERT_EQ(order.to_host(), grouped.order);
  }
  ASSERT_EQ(memory.release(), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace

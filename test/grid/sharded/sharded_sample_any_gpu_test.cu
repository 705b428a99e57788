// Draws from rows whose columns are on several GPUs, or with several ranks on one, beside those from whole rows.
#include <tessera/grid/sharded_sample_rows.cuh>

#include <cuda_bf16.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "device_array.hpp"
#include "gpu_columns.hpp"
#include "gpu_ranks.hpp"
#include "row_cases.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using grid::shard;

std::vector<std::int32_t> top_ks_of(std::int64_t rows) {
  std::vector<std::int32_t> all;
  for (std::int64_t r = 0; r < rows; ++r) all.push_back(static_cast<std::int32_t>(r * 37 % 300));
  return all;
}

/// Filters without a top_k for all rows: none, top_p, min_p, and all of them.
grid::sample_options filters_of(unsigned kind, std::int32_t const* top_ks) {
  grid::sample_options options;
  options.temperature = 1.5f;
  if (kind % 2 == 1) options.top_p = 0.9f;
  if (kind >= 2) options.min_p = 0.01f;
  if (kind == 3) options.top_k = top_ks;
  return options;
}

#if TESSERA_TEST_HAS_PART(0)
/// The probabilities of whole rows, in place.
template <class T>
void check_probabilities() {
  for (row_size const& size : sizes_of_rows()) {
    auto const x = random_numbers<T>(size.rows * size.columns, -8, 8, 8);
    device_matrix<T> const whole({size.rows, size.columns}, x), out({size.rows, size.columns});
    device_array<std::int32_t> const ks_of_rows(top_ks_of(size.rows));
    for (unsigned kind = 0; kind < 4; ++kind) {
      ASSERT_EQ(grid::renormalize_rows(whole.view(), out.view(), filters_of(kind, ks_of_rows.data())), cudaSuccess);
      auto const expected = out.to_host();
      with_columns(
          x, size.rows, size.columns, [&](auto& ranks, shard const& part, auto const& in, auto& meet, auto on) {
            device_array<std::int32_t> const own_ks(top_ks_of(size.rows));
            meet();
            EXPECT_EQ(grid::renormalize_rows(ranks, in.view(), part, in.view(), filters_of(kind, own_ks.data()), on),
                      cudaSuccess);
            check(cudaStreamSynchronize(on));
            EXPECT_TRUE(all_same_bits(in.to_host(), columns_of(expected, size.rows, part)))
                << size.columns << ", " << kind << " over " << ranks.count();
          });
    }
  }
}
TEST(ShardedRowsSampled, Probabilities) {
  SKIP_WITHOUT_GPU();
  check_probabilities<__nv_bfloat16>();
  check_probabilities<float>();
}
#endif

#if TESSERA_TEST_HAS_PART(1)
/// A top_k for all rows, or greedy ones.
grid::sample_options of_first(unsigned k, std::int32_t const*) {
  grid::sample_options options;
  options.temperature = k == 0 ? 0.0f : 1.5f;
  options.top_k = static_cast<std::int32_t>(k);
  options.top_p = k == 1 ? 1.0f : 0.95f;
  return options;
}

/// The columns and logarithms of whole rows, by the options options_of(kind, a top_k for each row).
void check_samples(unsigned seed, std::initializer_list<unsigned> kinds,
                   grid::sample_options options_of(unsigned, std::int32_t const*)) {
  using T = __nv_bfloat16;
  for (row_size const& size : sizes_of_rows()) {
    auto const rows = static_cast<std::size_t>(size.rows);
    auto const x = random_numbers<T>(size.rows * size.columns, -8, 8, seed);
    device_matrix<T> const whole({size.rows, size.columns}, x);
    std::vector<std::uint64_t> seeds;
    for (std::size_t r = 0; r < rows; ++r) seeds.push_back(r * 12345 + seed);
    device_array<std::uint64_t> const seeds_of_rows(seeds);
    device_array<std::int32_t> const ks_of_rows(top_ks_of(size.rows));
    for (unsigned kind : kinds) {
      device_array<std::int32_t> const ids(rows);
      device_array<float> const logprobs(rows);
      grid::sample_options options = options_of(kind, ks_of_rows.data());
      options.logprobs = logprobs.data();
      ASSERT_EQ(grid::sample_rows(whole.view(), seeds_of_rows.data(), ids.data(), options), cudaSuccess);
      auto const expected = ids.to_host();
      auto const expected_logprobs = logprobs.to_host();
      with_columns(
          x, size.rows, size.columns, [&](auto& ranks, shard const& part, auto const& in, auto& meet, auto on) {
            device_array<std::uint64_t> const own_seeds(seeds);
            device_array<std::int32_t> const own(rows), own_ks(top_ks_of(size.rows));
            device_array<float> const own_logprobs(rows);
            grid::sample_options of_rank = options_of(kind, own_ks.data());
            of_rank.logprobs = own_logprobs.data();
            meet();
            EXPECT_EQ(grid::sample_rows(ranks, in.view(), part, own_seeds.data(), own.data(), of_rank, on),
                      cudaSuccess);
            check(cudaStreamSynchronize(on));
            EXPECT_TRUE(own.to_host() == expected) << size.columns << ", " << kind << " over " << ranks.count();
            EXPECT_TRUE(all_same_bits(own_logprobs.to_host(), expected_logprobs)) << size.columns << ", " << kind;
          });
    }
  }
}

TEST(ShardedRowsSampled, AsWholeRows) {
  SKIP_WITHOUT_GPU();
  check_samples(6, {0, 1, 50, 700}, of_first);
}

/// By passes over all ranks.
TEST(ShardedRowsSampled, ByParts) {
  SKIP_WITHOUT_GPU();
  check_samples(7, {0, 1, 2, 3}, filters_of);
}

/// The example of the header.
TEST(ShardedRowsSampled, Example) {
  SKIP_WITHOUT_GPU();
  using T = __nv_bfloat16;
  std::int64_t const tokens = 4, vocabulary = 1000;
  auto const x = random_numbers<T>(tokens * vocabulary, -3, 3, 7);
  with_columns(x, tokens, vocabulary, [&](auto& ranks, shard const& part, auto const& in, auto& meet, auto stream) {
    device_matrix<T> const shares({tokens, part.count});
    device_array<std::uint64_t> const seed_of(std::vector<std::uint64_t>{1, 2, 3, 4});
    device_array<std::int32_t> const drawn(4);
    grid::matrix<T> const logits = in.view(), probabilities = shares.view();
    auto* const seeds = seed_of.data();
    auto* const ids = drawn.data();
    grid::sample_options options;
    cudaError_t error = cudaSuccess;
    meet();
    // [tessera/grid/sharded_sample_rows.cuh]
    options.top_k = 50;
    options.top_p = 0.9f;
    error = tessera::grid::sample_rows(ranks, logits, part, seeds, ids, options, stream);
    if (error == cudaSuccess) {
      error = tessera::grid::renormalize_rows(ranks, logits, part, probabilities, options, stream);
    }
    // [end]
    EXPECT_EQ(error, cudaSuccess);
    check(cudaStreamSynchronize(stream));
    for (int id : drawn.to_host()) EXPECT_TRUE(id >= 0 && id < vocabulary);
    meet.expect_same("draws", drawn.to_host());
  });
}
#endif

}  // namespace

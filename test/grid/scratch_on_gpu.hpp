// Calls in exactly as many bytes of the caller's memory as scratch_bytes says, on the GPU.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <tessera/grid/parts/workspace_memory.hpp>
#include <tessera/grid/workspace.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "device_array.hpp"
#include "scratch_case.hpp"
#include "stream.hpp"

namespace scratch {

/// The arrays of calls of up to n elements, and what calls leave in them.
class arrays_on_gpu {
 public:
  explicit arrays_on_gpu(int64_t n)
      : words_(2 * static_cast<std::size_t>(std::max(n, int64_t{1} << 17))),
        first_(sorted_words(words_)),
        second_(sorted_words(words_)),
        out_(words_),
        more_(words_),
        count_(4),
        offsets_(std::vector<int>{0, static_cast<int>(n / 3), static_cast<int>(n)}),
        many_(std::vector<int64_t>{n}),
        sources_(std::vector<void const*>{first_.data(), second_.data()}),
        destinations_(std::vector<void*>{out_.data(), more_.data()}),
        copied_(std::vector<int64_t>{3, 4 * static_cast<int64_t>(words_)}) {}

  arrays get() const {
    return {first_.data(),   second_.data(), out_.data(),     more_.data(),         count_.data(),
            offsets_.data(), many_.data(),   sources_.data(), destinations_.data(), copied_.data()};
  }
  /// Before each call outputs are copies of the inputs, for calls in place.
  void prepare(cudaStream_t on) const {
    std::size_t const bytes = 4 * words_;
    test::check(cudaMemcpyAsync(out_.data(), first_.data(), bytes, cudaMemcpyDeviceToDevice, on));
    test::check(cudaMemcpyAsync(more_.data(), second_.data(), bytes, cudaMemcpyDeviceToDevice, on));
    test::check(cudaMemsetAsync(count_.data(), 0, 4 * sizeof(int64_t), on));
  }
  /// Waits for the stream.
  std::vector<std::vector<unsigned>> results(cudaStream_t on) const {
    test::check(cudaStreamSynchronize(on));
    std::vector<unsigned> counts;
    for (int64_t c : count_.to_host()) counts.push_back(static_cast<unsigned>(c));
    return {out_.to_host(), more_.to_host(), counts};
  }
  bool guards_intact() const { return out_.guards_intact() && more_.guards_intact() && count_.guards_intact(); }

 private:
  static std::vector<unsigned> sorted_words(std::size_t n) {
    std::vector<unsigned> words(n);
    for (std::size_t i = 0; i < n; ++i) words[i] = static_cast<unsigned>(i / 3);
    return words;
  }

  std::size_t words_;
  test::device_array<unsigned> first_, second_, out_, more_;
  test::device_array<int64_t> count_;
  test::device_array<int> offsets_;
  test::device_array<int64_t> many_;
  test::device_array<void const*> sources_;
  test::device_array<void*> destinations_;
  test::device_array<int64_t> copied_;
};

/// Memory with something in it, and a guard after it that shows whether somebody wrote there.
class given_memory {
 public:
  explicit given_memory(std::size_t bytes) : memory_(bytes) { fill(); }

  grid::workspace as_workspace() const { return {memory_.size() > 0 ? memory_.data() : nullptr, memory_.size()}; }
  void fill() const {
    if (memory_.size() > 0) test::check(cudaMemset(memory_.data(), 0xa5, memory_.size()));
    test::check(cudaDeviceSynchronize());
  }
  bool guards_intact() const { return memory_.guards_intact(); }

 private:
  test::device_array<unsigned char> memory_;
};

/// What a call of n elements took of a workspace that grows.
inline std::size_t bytes_taken(grid::workspace const& memory) {
  using of = grid::detail::workspace_memory;
  return memory.data() == nullptr ? 0 : grid::detail::workspace_layout::total(of::tagged_size(memory), memory.size());
}

/// That the call takes no more than scratch_bytes says, and runs in exactly as much of the caller's memory: alone,
/// after itself, and in a graph, between whose launches others use the memory; if it is long, only alone.
inline void check_scratch(scratch_case const& c, arrays_on_gpu const& data, int64_t n,
                          grid::gpu_architecture const& gpu) {
  SCOPED_TRACE(testing::Message() << c << " of " << n);
  bool const is_long = n > 2'000'000;
  std::size_t const bytes = c.bytes(n, gpu);
  arrays const a = data.get();
  test::stream const on;
  grid::workspace own;
  data.prepare(on);
  ASSERT_EQ(c.run(a, n, {on, own}), cudaSuccess);
  auto const expected = data.results(on);
  EXPECT_LE(bytes_taken(own), bytes);

  given_memory const memory(bytes);
  auto const check_results = [&](char const* how) {
    EXPECT_EQ(data.results(on), expected) << how;
    EXPECT_TRUE(memory.guards_intact()) << how << ": something was written after the " << bytes << " bytes";
  };
  {
    grid::workspace given = memory.as_workspace();
    for (char const* how : {"alone", "again"}) {
      if (is_long && how != std::string("alone")) break;
      data.prepare(on);
      ASSERT_EQ(c.run(a, n, {on, given}), cudaSuccess) << how << ", in " << bytes << " bytes";
      check_results(how);
    }
  }
  if (is_long) return;
  cudaError_t status = cudaErrorUnknown;
  test::graph const captured(on, [&] {
    grid::workspace given = memory.as_workspace();
    status = c.run(a, n, {on, given});
  });
  ASSERT_EQ(status, cudaSuccess) << "captured";
  for (char const* how : {"in a graph", "in a graph again"}) {
    memory.fill();
    data.prepare(on);
    captured.replay();
    check_results(how);
  }
  EXPECT_TRUE(data.guards_intact());
}

/// All of these calls, for arrays of several sizes.
template <std::size_t Count>
void check_all_scratch(scratch_case const (&cases)[Count]) {
  cudaDeviceProp gpu{};
  test::check(cudaGetDeviceProperties(&gpu, test::gpu().index));
  for (int64_t const n : test::worthwhile({8, 1000, 5000, 100003, (1 << 20) + 7, 3 << 20})) {
    arrays_on_gpu const data(n);
    for (scratch_case const& c : cases) {
      check_scratch(c, data, n, test::gpu().arch);
      EXPECT_LE(c.bytes(n, {test::gpu().arch, gpu.multiProcessorCount}), c.bytes(n, test::gpu().arch)) << c;
    }
  }
}

}  // namespace scratch

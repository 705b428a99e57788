// The look-back under stress in what isn't a plain scan: selections, runs, and scans of keys and segments; and the greatest elements, whose
// blocks wait for each other, too. Blocks are delayed, another kernel fills the GPU, and a workspace serves many launches.
#include <tessera/grid/runs.cuh>
#include <tessera/grid/scan.cuh>
#include <tessera/grid/scan_by_key.cuh>
#include <tessera/grid/scan_segments.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/set_operations.cuh>
#include <tessera/grid/top_k.cuh>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

#include "backend.hpp"
#include "delays.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

struct is_odd {
  delay wait;
  TESSERA_FN bool operator()(unsigned x, std::int64_t index) const {
    wait(static_cast<unsigned>(index));
    return x % 2 != 0;
  }
};
struct is_same {
  delay wait;
  TESSERA_FN bool operator()(unsigned a, unsigned b) const {
    wait(b);
    return a == b;
  }
};
struct is_less {
  delay wait;
  TESSERA_FN bool operator()(unsigned a, unsigned b) const {
    wait(a + b);
    return a < b;
  }
};
struct sum {
  delay wait;
  TESSERA_FN unsigned operator()(unsigned a, unsigned b) const {
    wait(b);
    return a + b;
  }
};

struct itself {
  delay wait;
  TESSERA_FN unsigned operator()(unsigned x) const {
    wait(x);
    return x;
  }
};

/// Results on the GPU, and what they must be.
template <class T>
class result {
 public:
  explicit result(std::vector<T> const& expected) : expected_(expected), array_(expected.size()) {}

  T* data() const { return array_.data(); }
  void clear() const {
    EXPECT_EQ(cudaMemset(data(), 0xcd, expected_.size() * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  void expect(char const* what) const {
    auto const got = array_.to_host();
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], expected_[i]) << what << ", element " << i << " of " << got.size();
  }

 private:
  std::vector<T> expected_;
  gpu_array<T> array_;
};

/// n elements; keys in runs of one to three, each key once in the array; and segments of up to 5000 elements, of which some are empty.
/// Element 1 and key 1 are 1, and no others are.
struct arrays {
  std::int64_t n;
  std::vector<unsigned> elements, keys;
  std::vector<std::int64_t> offsets{0};

  explicit arrays(std::int64_t size) : n(size) {
    random_engine random(static_cast<std::uint64_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      elements.push_back(i == 1 ? 1 : static_cast<unsigned>(random() >> 8) + 2);
      keys.push_back(i < 2 ? static_cast<unsigned>(i) : static_cast<unsigned>(i / 3 + i / 7 + 2));
    }
    while (offsets.back() < n) {
      auto const length = offsets.size() % 4 == 3 ? 0 : static_cast<std::int64_t>(random() % 5000) + 2;
      offsets.push_back(offsets.back() + length < n ? offsets.back() + length : n);
    }
  }
};

/// A call with a look-back: its arrays on the GPU, and its results.
struct look_back_call {
  virtual ~look_back_call() = default;
  virtual cudaError_t run(delay wait, grid::execution on) const = 0;
  virtual void clear() const = 0;
  virtual void expect() const = 0;
};

struct selection : look_back_call {
  std::int64_t n;
  gpu_array<unsigned> in;
  result<unsigned> out;
  result<std::int64_t> count;

  explicit selection(arrays const& a)
      : n(a.n), in(a.elements), out(of(a)), count({static_cast<std::int64_t>(of(a).size())}) {}
  static std::vector<unsigned> of(arrays const& a) {
    std::vector<unsigned> kept;
    for (unsigned x : a.elements)
      if (x % 2 != 0) kept.push_back(x);
    return kept;
  }
  cudaError_t run(delay wait, grid::execution on) const override {
    return grid::select(in.data(), n, out.data(), count.data(), is_odd{wait}, on);
  }
  void clear() const override {
    out.clear();
    count.clear();
  }
  void expect() const override {
    count.expect("the count of select");
    out.expect("select");
  }
};

struct two_parts : look_back_call {
  std::int64_t n;
  gpu_array<unsigned> in;
  result<unsigned> selected, others;
  result<std::int64_t> count;

  explicit two_parts(arrays const& a)
      : n(a.n),
        in(a.elements),
        selected(selection::of(a)),
        others(others_of(a)),
        count({static_cast<std::int64_t>(selection::of(a).size())}) {}
  static std::vector<unsigned> others_of(arrays const& a) {
    std::vector<unsigned> others;
    for (unsigned x : a.elements)
      if (x % 2 == 0) others.push_back(x);
    return others;
  }
  cudaError_t run(delay wait, grid::execution on) const override {
    return grid::partition_copy(in.data(), n, selected.data(), others.data(), count.data(), is_odd{wait}, on);
  }
  void clear() const override {
    selected.clear();
    others.clear();
    count.clear();
  }
  void expect() const override {
    count.expect("the count of partition_copy");
    selected.expect("partition_copy");
    others.expect("the others of partition_copy");
  }
};

/// The runs of the keys.
struct runs_of {
  std::vector<unsigned> heads, sums;
  std::vector<std::int64_t> lengths;

  explicit runs_of(arrays const& a) {
    for (std::size_t i = 0; i < a.keys.size(); ++i) {
      if (i == 0 || a.keys[i] != a.keys[i - 1]) {
        heads.push_back(a.keys[i]);
        sums.push_back(0);
        lengths.push_back(0);
      }
      sums.back() += a.elements[i];
      ++lengths.back();
    }
  }
  std::vector<std::int64_t> count() const { return {static_cast<std::int64_t>(heads.size())}; }
};

struct run_lengths : look_back_call {
  std::int64_t n;
  gpu_array<unsigned> in;
  result<unsigned> heads;
  result<std::int64_t> lengths, count;

  explicit run_lengths(arrays const& a, runs_of const& runs)
      : n(a.n), in(a.keys), heads(runs.heads), lengths(runs.lengths), count(runs.count()) {}
  explicit run_lengths(arrays const& a) : run_lengths(a, runs_of(a)) {}
  cudaError_t run(delay wait, grid::execution on) const override {
    return grid::run_length_encode(in.data(), n, heads.data(), lengths.data(), count.data(), is_same{wait}, on);
  }
  void clear() const override {
    heads.clear();
    lengths.clear();
    count.clear();
  }
  void expect() const override {
    count.expect("the count of run_length_encode");
    heads.expect("run_length_encode");
    lengths.expect("lengths");
  }
};

struct run_sums : look_back_call {
  std::int64_t n;
  gpu_array<unsigned> keys, in;
  result<unsigned> heads, sums;
  result<std::int64_t> count;

  explicit run_sums(arrays const& a, runs_of const& runs)
      : n(a.n), keys(a.keys), in(a.elements), heads(runs.heads), sums(runs.sums), count(runs.count()) {}
  explicit run_sums(arrays const& a) : run_sums(a, runs_of(a)) {}
  cudaError_t run(delay wait, grid::execution on) const override {
    return grid::reduce_by_key(keys.data(), in.data(), n, heads.data(), sums.data(), count.data(), sum{}, is_same{wait},
                               on);
  }
  void clear() const override {
    heads.clear();
    sums.clear();
    count.clear();
  }
  void expect() const override {
    count.expect("the count of reduce_by_key");
    heads.expect("reduce_by_key");
    sums.expect("sums");
  }
};

struct scan_of_runs : look_back_call {
  std::int64_t n;
  gpu_array<unsigned> keys, in;
  result<unsigned> out;

  explicit scan_of_runs(arrays const& a) : n(a.n), keys(a.keys), in(a.elements), out(of(a)) {}
  static std::vector<unsigned> of(arrays const& a) {
    auto sums = a.elements;
    for (std::size_t i = 1; i < sums.size(); ++i)
      if (a.keys[i] == a.keys[i - 1]) sums[i] += sums[i - 1];
    return sums;
  }
  cudaError_t run(delay wait, grid::execution on) const override {
    return grid::inclusive_scan_by_key(keys.data(), in.data(), n, out.data(), sum{}, is_same{wait}, on);
  }
  void clear() const override { out.clear(); }
  void expect() const override { out.expect("inclusive_scan_by_key"); }
};

/// From a start on the device, which the total replaces.
struct carried_scan : look_back_call {
  std::int64_t n;
  gpu_array<unsigned> in, start;
  result<unsigned> out, carry;

  explicit carried_scan(arrays const& a)
      : n(a.n), in(a.elements), start(std::vector<unsigned>{7}), out(of(a)), carry({of(a).back()}) {}
  static std::vector<unsigned> of(arrays const& a) {
    auto sums = a.elements;
    sums[0] += 7;
    for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
    return sums;
  }
  cudaError_t run(delay wait, grid::execution on) const override {
    cudaError_t const error =
        cudaMemcpyAsync(carry.data(), start.data(), sizeof(unsigned), cudaMemcpyDeviceToDevice, on.stream);
    if (error != cudaSuccess) return error;
    return grid::inclusive_scan(in.data(), n, out.data(), sum{wait},
                                grid::start_on_device(static_cast<unsigned const*>(carry.data())),
                                {false, carry.data()}, on);
  }
  void clear() const override { out.clear(); }
  void expect() const override {
    carry.expect("the carry of inclusive_scan");
    out.expect("inclusive_scan from a carry");
  }
};

struct scan_of_segments : look_back_call {
  std::int64_t n, segments;
  gpu_array<unsigned> in;
  gpu_array<std::int64_t> offsets;
  result<unsigned> out;

  explicit scan_of_segments(arrays const& a)
      : n(a.n),
        segments(static_cast<std::int64_t>(a.offsets.size()) - 1),
        in(a.elements),
        offsets(a.offsets),
        out(of(a)) {}
  static std::vector<unsigned> of(arrays const& a) {
    auto sums = a.elements;
    for (std::size_t s = 0; s + 1 < a.offsets.size(); ++s)
      for (auto i = static_cast<std::size_t>(a.offsets[s]) + 1; i < static_cast<std::size_t>(a.offsets[s + 1]); ++i)
        sums[i] += sums[i - 1];
    return sums;
  }
  cudaError_t run(delay wait, grid::execution on) const override {
    return grid::inclusive_scan_segments(in.data(), n, offsets.data(), segments, out.data(), sum{wait}, on);
  }
  void clear() const override { out.clear(); }
  void expect() const override { out.expect("inclusive_scan_segments"); }
};

struct greatest : look_back_call {
  static constexpr std::int64_t k = 500;
  std::int64_t n;
  gpu_array<unsigned> in;
  result<unsigned> values;

  explicit greatest(arrays const& a) : n(a.n), in(a.elements), values(of(a)) {}
  static std::vector<unsigned> of(arrays const& a) {
    std::vector<unsigned> first(static_cast<std::size_t>(k));
    std::partial_sort_copy(a.elements.begin(), a.elements.end(), first.begin(), first.end(), std::greater<>());
    return first;
  }
  cudaError_t run(delay wait, grid::execution on) const override {
    std::int64_t* const no_indices = nullptr;
    return grid::top_k_by(in.data(), n, k, values.data(), no_indices, itself{wait}, tessera::greater{}, on);
  }
  void clear() const override { values.clear(); }
  void expect() const override { values.expect("top_k_by"); }
};

struct joined_sets : look_back_call {
  std::int64_t n;  // of either array
  gpu_array<unsigned> a, b;
  result<unsigned> out;
  result<std::int64_t> count;

  explicit joined_sets(arrays const& all)
      : n(all.n / 2),
        a(sorted(all, 0)),
        b(sorted(all, n)),
        out(of(all)),
        count({static_cast<std::int64_t>(of(all).size())}) {}
  static std::vector<unsigned> sorted(arrays const& all, std::int64_t first) {
    auto const begin = all.elements.begin() + first;
    std::vector<unsigned> x(begin, begin + all.n / 2);
    for (unsigned& value : x) value %= 100000;
    std::sort(x.begin(), x.end());
    return x;
  }
  static std::vector<unsigned> of(arrays const& all) {
    auto const x = sorted(all, 0), y = sorted(all, all.n / 2);
    std::vector<unsigned> both;
    std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
    return both;
  }
  cudaError_t run(delay wait, grid::execution on) const override {
    return grid::set_union(a.data(), n, b.data(), n, out.data(), count.data(), is_less{wait}, on);
  }
  void clear() const override {
    out.clear();
    count.clear();
  }
  void expect() const override {
    count.expect("the count of set_union");
    out.expect("set_union");
  }
};

/// All of them, or those of this program, for arrays of n elements, one after the other: act(call).
template <class Act>
void each_call(std::int64_t n, Act act) {
  arrays const a(n);
  SCOPED_TRACE(n);
#if TESSERA_TEST_HAS_PART(0)
  act(selection(a));
  act(two_parts(a));
  act(run_lengths(a));
  act(run_sums(a));
#endif
#if TESSERA_TEST_HAS_PART(1)
  act(scan_of_runs(a));
  act(scan_of_segments(a));
  act(carried_scan(a));
  act(greatest(a));
  act(joined_sets(a));
#endif
}

using GridLookBackUsers = WithWorkspace;

/// Some tiles, many small ones, and large ones.
constexpr std::int64_t some_sizes[] = {100003, 1000003, 8000009};

TEST_F(GridLookBackUsers, DelayedBlocks) {
  for (std::int64_t n : some_sizes) {
    if (!is_worth(n)) continue;
    each_call(n, [&](look_back_call const& call) {
      for (unsigned run = 0; run < (is_worth(some_sizes[2]) ? 100u : 5u); ++run) {
        SCOPED_TRACE(run);
        if (run % 20 == 0) call.clear();
        ASSERT_EQ(call.run({delay::now_and_then, run}, memory), cudaSuccess);
        if (run % 20 == 0) call.expect();
      }
    });
    if (HasFatalFailure()) return;
  }
}

/// The first block is late: all others leave their tiles to the last one that leaves the kernel.
TEST_F(GridLookBackUsers, LateTiles) {
  for (std::int64_t n : {20000, 100003, 2000037}) {
    if (!is_worth(n)) continue;
    each_call(n, [&](look_back_call const& call) {
      for (auto when : {delay::late_start, delay::never}) {
        call.clear();
        ASSERT_EQ(call.run({when}, memory), cudaSuccess);
        call.expect();
      }
    });
  }
}

TEST_F(GridLookBackUsers, BesideAnotherKernel) {
  if (!is_worth(some_sizes[2])) GTEST_SKIP() << "a sanitizer runs one kernel after the other";
  for (std::int64_t n : some_sizes) {
    each_call(n, [](look_back_call const& call) {
      call.clear();
      call_beside_another_kernel([&](grid::execution on) { return call.run({}, on); },
                                 [&] {
                                   call.expect();
                                   call.clear();
                                 });
    });
    if (HasFatalFailure()) return;
  }
}

/// 10^5 launches of both that count, whose counts are all kept, and 10^4 of the others between them: one workspace for all.
TEST_F(GridLookBackUsers, ManyLaunches) {
  auto const launches = static_cast<std::size_t>(is_worth(some_sizes[2]) ? 100000 : 100);
  arrays const a(30011);
  selection const selected(a);
  run_lengths const lengths(a);
  std::vector<look_back_call const*> others;
#if TESSERA_TEST_HAS_PART(0)
  two_parts const parts(a);
  run_sums const sums(a);
  others.insert(others.end(), {&parts, &sums});
#endif
#if TESSERA_TEST_HAS_PART(1)
  scan_of_runs const by_key(a);
  scan_of_segments const segments(a);
  greatest const first(a);
  others.insert(others.end(), {&by_key, &segments, &first});
#endif
  result<std::int64_t> const counts(
      std::vector<std::int64_t>(launches, static_cast<std::int64_t>(selection::of(a).size()))),
      runs(std::vector<std::int64_t>(launches, runs_of(a).count()[0]));
  for (std::size_t i = 0; i < launches; ++i) {
    ASSERT_EQ(grid::select(selected.in.data(), a.n, selected.out.data(), counts.data() + i, is_odd{}, memory),
              cudaSuccess);
    ASSERT_EQ(grid::run_length_encode(lengths.in.data(), a.n, lengths.heads.data(), lengths.lengths.data(),
                                      runs.data() + i, is_same{}, memory),
              cudaSuccess);
    if (i % 10 != 0) continue;
    for (auto const* call : others) ASSERT_EQ(call->run({}, memory), cudaSuccess);
  }
  counts.expect("counts of select");
  selected.out.expect("select");
  runs.expect("counts of run_length_encode");
  lengths.heads.expect("run_length_encode");
  lengths.lengths.expect("lengths");
  for (auto const* call : others) call->expect();
}

}  // namespace

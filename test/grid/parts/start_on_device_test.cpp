// Reductions and scans from a start on the device, in chunks that hand their totals on, on host tiles.
#include <gtest/gtest.h>

#include <tessera/grid/reduce/started_agent.hpp>
#include <tessera/grid/scan/scan_agent.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
constexpr unsigned warps = 3;

/// Scans [begin, end) of x after *carry, and leaves the total there. N is the type of the number of elements.
template <detail::tile_kind Kind, bool Suffix, class N, class R, class Op>
void scan_chunk(std::vector<R> const& x, std::vector<R>& out, std::int64_t begin, std::int64_t end, Op const& op,
                bool exclusive, R* carry, unsigned seed) {
  using shape = detail::scan_shape<R, R, Kind>;
  constexpr bool is_each = Kind == detail::tile_kind::each;
  auto const suffix = detail::direction<Op, R, Suffix>();
  using task_t =
      detail::scan_task<R const*, R*, R, Op, tessera::detail::as_it_is, std::remove_const_t<decltype(suffix)>>;
  std::int64_t const n = end - begin, tiles = shape::tile_count(n, warps);
  std::vector<std::uint64_t> words(is_each ? detail::tile_each_words<R>(tiles) : detail::look_back_words<R>(tiles));
  detail::look_back_memory const memory{tiles > 1 ? words.data() : nullptr, words.size()};
  detail::scan_storage<R, shape, is_each ? warps : warps + 2> storage;
  task_t const task{
      x.data() + begin, out.data() + begin, n, op, {}, detail::optional_value<R>::none(), carry, exclusive, suffix};
  auto const blocks = static_cast<unsigned>(is_each || tiles < 4 ? tiles : 4);
  std::int64_t const count = n;
  auto const carried = [&] {
    if constexpr (detail::is_on_device<N>) {
      return detail::carried_task<task_t, N, R>{task, {{&count, n}, carry}};
    } else {
      return detail::carried_task<task_t, N, R>{task, {n, carry}};
    }
  }();
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(blocks, 32 * (is_each ? warps : warps + 1), how, [&](tessera::host::block block) {
    detail::run_scan_agent<shape>(block, carried, memory, {static_cast<unsigned>(tiles), warps}, blocks, storage);
  });
}

/// Chunks of different lengths, some of them empty, against one loop.
template <detail::tile_kind Kind, bool Suffix, class N, class R, class Op>
void check_chunks(Op const& op, R const& start, unsigned seed) {
  random_engine random(seed);
  std::vector<std::int64_t> bounds{0, 1, 1, 700, 5000, 5000, 5384, 9001};
  std::vector<R> x(9001), out(x.size(), start);
  for (R& value : x) value = sample<R>(random);
  for (bool exclusive : {false, true}) {
    R carry = start;
    for (std::size_t k = 1; k < bounds.size(); ++k) {
      std::size_t const c = Suffix ? bounds.size() - k : k;
      scan_chunk<Kind, Suffix, N>(x, out, bounds[c - 1], bounds[c], op, exclusive, &carry, seed);
    }
    R all = start;
    for (std::size_t k = 0; k < x.size(); ++k) {
      std::size_t const i = Suffix ? x.size() - 1 - k : k;
      R const before = all;
      all = Suffix ? op(x[i], all) : op(all, x[i]);
      ASSERT_TRUE(same_bits(out[i], exclusive ? before : all)) << i << ", suffix " << Suffix << ", seed " << seed;
    }
    EXPECT_TRUE(same_bits(carry, all)) << "suffix " << Suffix << ", exclusive " << exclusive << ", seed " << seed;
  }
}
template <class R, class Op>
void check_kinds(Op const& op, R const& start) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    check_chunks<detail::tile_kind::each, false, std::int64_t>(op, start, seed);
    check_chunks<detail::tile_kind::each, true, std::int64_t>(op, start, seed);
    check_chunks<detail::tile_kind::least, false, std::int64_t>(op, start, seed);
    check_chunks<detail::tile_kind::least, true, std::int64_t>(op, start, seed);
    check_chunks<detail::tile_kind::least, false, tessera::grid::device_count>(op, start, seed);
  }
}

TEST(GridStartOnDevice, ChunksOfAScan) {
  check_kinds(tessera::plus{}, 1000u);
  check_kinds(matrix_product{}, matrix{3, 1, 4, 1});  // 16 bytes, which are transposed
  check_kinds(digit_concatenation{}, digits{7, 10});
}

TEST(GridStartOnDevice, ChunksOfASum) {
  constexpr unsigned threads = 64;
  using start_t = tessera::grid::device_start<double>;
  using agent_t = detail::started_agent<double, tessera::plus, tessera::detail::as_it_is, start_t>;
  std::vector<float> const x(3001, 1.0f);
  double carry = 0.25;
  for (int call = 1; call <= 4; ++call) {
    std::int64_t const n = call == 4 ? 0 : 3001;
    unsigned const blocks = call == 4 ? 1 : 3;
    std::vector<double> partials(blocks);
    unsigned counter = 0;
    agent_t const agent{{{}, {}}, tessera::grid::start_on_device(static_cast<double const*>(&carry))};
    tessera::host::launch_grid(blocks, threads, {}, [&](tessera::host::block block) {
      detail::run_reduce_agent<threads>(
          block, x.data(), n, detail::even_share{blocks, threads, (n + blocks - 1) / blocks, false}, agent,
          tessera::plus{}, detail::shared_partials<double>{partials.data(), &counter, nullptr}, &carry);
    });
    EXPECT_EQ(carry, 0.25 + 3001 * std::min(call, 3));
  }
}

/// What may be where.
TEST(GridStartOnDevice, Places) {
  std::vector<float> memory(10);
  float* const x = memory.data();
  detail::carried<std::int64_t, float> const carry{5, x + 3};
  EXPECT_TRUE(detail::is_count(carry, x + 4, 5));  // results after the start
  EXPECT_TRUE(detail::is_count(carry, x + 3, 1));  // the total
  EXPECT_FALSE(detail::is_count(carry, x, 5));
  EXPECT_FALSE(detail::is_count(carry, x + 3, 5));
  EXPECT_FALSE(detail::is_count(detail::carried<std::int64_t, float>{5, nullptr}, x, 5));
  auto* const askew = reinterpret_cast<float const*>(reinterpret_cast<char const*>(x) + 2);
  EXPECT_FALSE(detail::is_count(detail::carried<std::int64_t, float>{5, askew}, x + 4, 5));
}

}  // namespace

// Tiles for GPUs with 64 KiB of shared memory in a block, on any GPU: this file is compiled for sm_75 besides, so that all of its kernels
// have them (tile_tuning.hpp). And elements for which they have no room, so that lanes keep them.
#include <tessera/grid/runs.cuh>

#include <cstdint>
#include <vector>

#include "backend.hpp"
#include "drawn_arrays.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
namespace detail = tessera::grid::detail;
static_assert(detail::kind_of_small == detail::tile_kind::least);

using GridSmallShapes = WithWorkspace;

struct same_tens {
  TESSERA_FN bool operator()(unsigned a, unsigned b) const { return a / 10 == b / 10; }
};
struct is_odd {
  template <class T>
  TESSERA_FN bool operator()(T const&, std::int64_t index) const {
    return index % 2 != 0;
  }
};

/// Keys in runs of drawn lengths, with a value each; and what is expected of them.
template <class V>
struct keys_and_values {
  std::vector<unsigned> keys, heads;
  std::vector<V> values, firsts, sums;
  std::vector<std::int64_t> lengths;

  template <class Op>
  keys_and_values(std::int64_t n, Op op) : values(drawn<V>(n)) {
    random_engine random(static_cast<std::uint64_t>(n));
    unsigned key = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (random() % 5 == 0) key = static_cast<unsigned>(random() % 1000);
      keys.push_back(key);
      if (i > 0 && same_tens{}(keys[i - 1], key)) {
        sums.back() = op(sums.back(), values[i]);
        ++lengths.back();
      } else {
        heads.push_back(key);
        firsts.push_back(values[i]);
        sums.push_back(values[i]);
        lengths.push_back(1);
      }
    }
  }
};

struct element {
  unsigned word[256];
};
struct take_later {
  template <class T>
  TESSERA_FN T operator()(T const&, T const& b) const {
    return b;
  }
};

template <class V>
void check_unique_by_key(grid::workspace& memory, keys_and_values<V> const& x) {
  auto const n = static_cast<std::int64_t>(x.keys.size());
  gpu_array<unsigned> const keys(x.keys), keys_out(x.keys.size() + 1);
  gpu_array<V> const values(x.values), values_out(x.keys.size() + 1);
  gpu_array<std::int64_t> const count(1);
  ASSERT_EQ(grid::unique_by_key(keys.data(), values.data(), n, keys_out.data(), values_out.data(), count.data(),
                                same_tens{}, memory),
            cudaSuccess);
  EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(x.heads.size()));
  EXPECT_TRUE(same_arrays(keys_out.to_host(), x.heads) && same_arrays(values_out.to_host(), x.firsts));
}

TEST_F(GridSmallShapes, Runs) {
  for (std::int64_t n : worthwhile({0, 1, 3000, 100003, 3000017})) {
    SCOPED_TRACE(n);
    keys_and_values<unsigned> const x(n, tessera::plus{});
    check_unique_by_key(memory, x);
    gpu_array<unsigned> const keys(x.keys), keys_out(x.keys.size() + 1), values(x.values),
        values_out(x.keys.size() + 1);
    gpu_array<std::int64_t> const lengths(x.keys.size() + 1), count(1);
    ASSERT_EQ(
        grid::run_length_encode(keys.data(), n, keys_out.data(), lengths.data(), count.data(), same_tens{}, memory),
        cudaSuccess);
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(x.heads.size()));
    EXPECT_TRUE(same_arrays(keys_out.to_host(), x.heads) && same_arrays(lengths.to_host(), x.lengths));
    ASSERT_EQ(grid::reduce_by_key(keys.data(), values.data(), n, keys_out.data(), values_out.data(), count.data(),
                                  tessera::plus{}, same_tens{}, memory),
              cudaSuccess);
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(x.heads.size()));
    EXPECT_TRUE(same_arrays(keys_out.to_host(), x.heads) && same_arrays(values_out.to_host(), x.sums));
  }
}

/// Lanes keep these.
TEST_F(GridSmallShapes, LongElements) {
  for (std::int64_t n : worthwhile({0, 1, 97, 5000, 70001})) {
    SCOPED_TRACE(n);
    check_unique_by_key(memory, keys_and_values<element>(n, take_later{}));
    auto const x = drawn<element>(n);
    std::vector<element> odd, rest;
    for (std::size_t i = 0; i < x.size(); ++i) (i % 2 != 0 ? odd : rest).push_back(x[i]);
    gpu_array<element> const in(x), first(x.size() + 1), second(x.size() + 1);
    gpu_array<std::int64_t> const count(1);
    ASSERT_EQ(grid::partition_copy(in.data(), n, first.data(), second.data(), count.data(), is_odd{}, memory),
              cudaSuccess);
    EXPECT_TRUE(same_arrays(first.to_host(), odd) && same_arrays(second.to_host(), rest));
    ASSERT_EQ(grid::select(in.data(), n, in.data(), count.data(), is_odd{}, memory), cudaSuccess);
    EXPECT_EQ(count.to_host()[0], static_cast<std::int64_t>(odd.size()));
    EXPECT_TRUE(same_arrays(in.to_host(), odd)) << "in place";
  }
}

}  // namespace

// A scan whose results lanes keep, as where they have no room in shared memory (tile_tuning.hpp). The kernel of results that have none
// takes a minute and a half to compile; here it is that of shorter ones, launched as scan.cuh does.
#include <tessera/grid/scan.cuh>

#include <cstdint>
#include <vector>

#include "backend.hpp"
#include "drawn_arrays.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;

struct element {
  unsigned sum[33];
};
struct add {
  TESSERA_FN element operator()(element const& a, element const& b) const {
    element out = a;
    for (unsigned i = 0; i < 33; ++i) out.sum[i] += b.sum[i];
    return out;
  }
};

struct shape : detail::scan_shape<element, element, detail::tile_kind::least> {
  static constexpr bool in_shared = false;
};

using GridLongScans = WithWorkspace;

TEST_F(GridLongScans, LanesKeepResults) {
  using task_t = detail::scan_task<element const*, element*, element, add, tessera::detail::as_it_is,
                                   decltype(detail::direction<add, element, false>())>;
  for (std::int64_t n : worthwhile({1, 100, 5000, 70001}))
    for (bool const exclusive : {false, true}) {
      auto const x = drawn<element>(n);
      auto expected = x;
      element sum = x[0];
      for (std::size_t i = 1; i < x.size(); ++i) {
        if (exclusive) expected[i] = sum;
        sum = add{}(sum, x[i]);
        if (!exclusive) expected[i] = sum;
      }
      auto const start = detail::optional_value<element>::some(element{});
      if (exclusive) expected[0] = element{};
      gpu_array<element> const in(x), out(x.size()), total(1);
      task_t const task{in.data(), out.data(), n, {}, {}, start, total.data(), exclusive, {}};
      cudaError_t const status = detail::scan_in_tiles<shape, element>(task, n, shape::warps, memory);
      ASSERT_EQ(status, cudaSuccess);
      EXPECT_TRUE(same_arrays(out.to_host(), expected)) << n;
      EXPECT_TRUE(same_arrays(total.to_host(), {sum})) << n;
    }
}

}  // namespace

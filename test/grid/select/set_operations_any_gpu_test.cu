// Set operations of any type, by any order (set_operations.cuh).
#include <tessera/grid/set_operations.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "device_array.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSetOperations = WithWorkspace;

/// Equal if their times are; told apart by their numbers.
struct event {
  short time;
  short number;
  int more;
};
struct is_later {
  TESSERA_FN bool operator()(event const& a, event const& b) const { return a.time > b.time; }
};

template <class T>
T drawn_number(std::mt19937_64& random, unsigned values) {
  if (std::is_floating_point_v<T> && random() % 64 == 0) return std::numeric_limits<T>::quiet_NaN();
  return static_cast<T>(random() % values);
}
template <>
event drawn_number<event>(std::mt19937_64& random, unsigned values) {
  return {static_cast<short>(random() % values), static_cast<short>(random()), 7};
}

template <class T, class Before>
std::vector<T> drawn_sorted(std::int64_t n, unsigned values, unsigned seed, Before const& before) {
  std::mt19937_64 random(seed);
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(drawn_number<T>(random, values));
  std::stable_sort(x.begin(), x.end(), before);
  return x;
}

/// Both arrays of a case on the GPU, and results.
template <class T, class Before>
class set_case {
 public:
  set_case(std::vector<T> const& in_a, std::vector<T> const& in_b, Before const& before, std::size_t offset)
      : a_(in_a),
        b_(in_b),
        before_(before),
        a(a_, offset),
        b(b_, offset + 1),
        out_(a_.size() + b_.size(), offset + 2),
        count_(std::size_t{1}) {}

  /// `call` is one of grid's, `expect` std's.
  template <class Call, class Expect>
  void check(Call call, Expect expect) {
    std::vector<T> expected;
    expect(a_, b_, std::back_inserter(expected), before_);
    ASSERT_EQ(call(a.data(), size_of(a_), b.data(), size_of(b_), out_.data(), count_.data()), cudaSuccess);
    ASSERT_EQ(count_.to_host()[0], size_of(expected)) << size_of(a_) << " and " << size_of(b_);
    auto const got = out_.to_host();
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_TRUE(same_bits(got[i], expected[i])) << "result " << i << " of " << size_of(a_) << " and " << size_of(b_);
    ASSERT_TRUE(out_.guards_intact());
  }

 private:
  static std::int64_t size_of(std::vector<T> const& x) { return static_cast<std::int64_t>(x.size()); }

  std::vector<T> const &a_, &b_;
  Before before_;
  device_array<T> a, b, out_;
  device_array<std::int64_t> count_;
};

template <class T, class Before>
void check_operations(grid::workspace& memory, std::vector<T> const& a, std::vector<T> const& b, Before const& before) {
  set_case<T, Before> both(a, b, before, a.size() % 5);
  both.check([&](auto... of) { return grid::set_union(of..., before, memory); },
             [](auto const& x, auto const& y, auto out, auto const& less) {
               std::set_union(x.begin(), x.end(), y.begin(), y.end(), out, less);
             });
  both.check([&](auto... of) { return grid::set_intersection(of..., before, memory); },
             [](auto const& x, auto const& y, auto out, auto const& less) {
               std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), out, less);
             });
  both.check([&](auto... of) { return grid::set_difference(of..., before, memory); },
             [](auto const& x, auto const& y, auto out, auto const& less) {
               std::set_difference(x.begin(), x.end(), y.begin(), y.end(), out, less);
             });
  both.check([&](auto... of) { return grid::set_symmetric_difference(of..., before, memory); },
             [](auto const& x, auto const& y, auto out, auto const& less) {
               std::set_symmetric_difference(x.begin(), x.end(), y.begin(), y.end(), out, less);
             });
}

/// Arrays of all sizes with all others, but the longest only with itself and a short one; two such take two launches.
template <class T, class Before>
void check_sizes(grid::workspace& memory, Before const& before) {
  std::int64_t const most = 5000017;
  for (unsigned values : {1u, 300u, 30000u}) {
    auto sizes = worthwhile({0, 1, 1859, 3720, 100003});
    if (values == 30000 && is_worth(2 * most)) sizes.push_back(most);
    std::vector<std::vector<T>> a, b;
    for (std::int64_t n : sizes) {
      a.push_back(drawn_sorted<T>(n, values, 1, before));
      b.push_back(drawn_sorted<T>(n, values, 2, before));
    }
    for (auto const& x : a)
      for (auto const& y : b) {
        auto const m = static_cast<std::int64_t>(x.size()), n = static_cast<std::int64_t>(y.size());
        if (std::max(m, n) == most && m != n && std::min(m, n) != 1859) continue;
        check_operations(memory, x, y, before);
        if (testing::Test::HasFatalFailure()) return;
      }
  }
}

TEST_F(GridSetOperations, Floats) {
  check_sizes<float>(memory, tessera::less{});
}
TEST_F(GridSetOperations, StructsByAnOrderOfTheirOwn) {
  check_sizes<event>(memory, is_later{});
}

TEST_F(GridSetOperations, Values) {
  std::vector<int> const a{1, 1, 1, 3, 5}, b{1, 1, 2, 3, 3};
  device_array<int> const keys_a(a), keys_b(b), keys_out(10);
  device_array<double> const values_a(std::vector<double>{1, 2, 3, 4, 5}),
      values_b(std::vector<double>{10, 20, 30, 40, 50}), values_out(10);
  device_array<std::int64_t> const count(std::size_t{1});
  auto const check_results = [&](cudaError_t error, std::vector<int> const& keys, std::vector<double> const& values) {
    ASSERT_EQ(error, cudaSuccess);
    auto const n = count.to_host()[0];
    ASSERT_EQ(n, static_cast<std::int64_t>(keys.size()));
    auto got_keys = keys_out.to_host();
    auto got_values = values_out.to_host();
    got_keys.resize(keys.size());
    got_values.resize(keys.size());
    EXPECT_EQ(got_keys, keys);
    EXPECT_EQ(got_values, values);
  };
  tessera::less const less;
  check_results(grid::set_union_by_key(keys_a.data(), values_a.data(), 5, keys_b.data(), values_b.data(), 5,
                                       keys_out.data(), values_out.data(), count.data(), less, memory),
                {1, 1, 1, 2, 3, 3, 5}, {1, 2, 3, 30, 4, 50, 5});
  check_results(grid::set_intersection_by_key(keys_a.data(), values_a.data(), 5, keys_b.data(), 5, keys_out.data(),
                                              values_out.data(), count.data(), less, memory),
                {1, 1, 3}, {1, 2, 4});
  check_results(grid::set_difference_by_key(keys_a.data(), values_a.data(), 5, keys_b.data(), 5, keys_out.data(),
                                            values_out.data(), count.data(), less, memory),
                {1, 5}, {3, 5});
  check_results(
      grid::set_symmetric_difference_by_key(keys_a.data(), values_a.data(), 5, keys_b.data(), values_b.data(), 5,
                                            keys_out.data(), values_out.data(), count.data(), less, memory),
      {1, 2, 3, 5}, {3, 30, 50, 5});
}

TEST_F(GridSetOperations, BadArgumentsTouchNothing) {
  device_array<int> const a(std::vector<int>(100, 1)), b(std::vector<int>(100, 1)), out(200);
  device_array<std::int64_t> const count(std::size_t{1});
  auto const fails = [&](int const* x, std::int64_t nx, int const* y, std::int64_t ny, int* to, std::int64_t* n) {
    return grid::set_union(x, nx, y, ny, to, n) == cudaErrorInvalidValue;
  };
  int* const none = nullptr;
  EXPECT_TRUE(fails(none, 100, b.data(), 100, out.data(), count.data()));
  EXPECT_TRUE(fails(a.data(), 100, none, 100, out.data(), count.data()));
  EXPECT_TRUE(fails(a.data(), 100, b.data(), 100, none, count.data()));
  EXPECT_TRUE(fails(a.data(), 100, b.data(), 100, out.data(), nullptr));
  EXPECT_TRUE(fails(a.data(), -1, b.data(), 100, out.data(), count.data()));
  EXPECT_TRUE(fails(a.data(), 100, b.data(), -1, out.data(), count.data()));
  EXPECT_TRUE(fails(a.data(), INT64_MAX / 8, b.data(), INT64_MAX / 8, out.data(), count.data()));
  EXPECT_TRUE(fails(a.data(), 50, b.data(), 50, a.data() + 49, count.data()));
  EXPECT_TRUE(fails(a.data(), 50, b.data(), 50, b.data(), count.data()));
  EXPECT_TRUE(fails(a.data(), 50, b.data(), 50, out.data(), reinterpret_cast<std::int64_t*>(out.data())));
  EXPECT_FALSE(fails(none, 0, none, 0, none, count.data()));
  EXPECT_EQ(grid::set_intersection(a.data(), 100, none, 0, none, count.data()), cudaSuccess);
  EXPECT_EQ(count.to_host()[0], 0);
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace

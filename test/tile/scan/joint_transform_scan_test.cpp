// Joint scans with an initial value, and scans of a transformed range, whose type is that of the elements
// or another. The output may be the input.
#include <tessera/atomic.hpp>

#include "joint_scan_cases.hpp"

namespace {

using namespace test;
using tessera::with_total;

template <class T, class R>
struct transform_input {
  T const* first;
  T* in_place;
  R *inclusive, *started, *exclusive, *exclusive_started;
  long long n;
  R start;
};

/// Calls each scan with a different policy. If the types are the same, it also scans in place, with an
/// initial value and without a function.
template <class Op, class F>
struct transform_kernel {
  Op op;
  F f;

  template <class Tile, class T, class R>
  TESSERA_FN totals<R> operator()(Tile const& tile, transform_input<T, R> in) const {
    tessera::joint_transform_inclusive_scan(tile, in.first, in.n, in.inclusive, op, f);
    if constexpr (std::is_same_v<T, R>) {
      tessera::joint_transform_inclusive_scan(tile, in.in_place, in.n, in.in_place, op, f, in.start);
      tessera::joint_inclusive_scan(tile, in.first, in.n, in.started, op, in.start, tessera::converged);
    } else {
      tessera::joint_transform_inclusive_scan(tile, in.first, in.n, in.started, op, f, in.start, tessera::converged);
    }
    if constexpr (tessera::operator_traits<Op, R>::has_identity) {
      return {tessera::joint_transform_exclusive_scan(tile, in.first, in.n, in.exclusive, op, f,
                                                      with_total | tessera::isolated),
              tessera::joint_transform_exclusive_scan(tile, in.first, in.n, in.exclusive_started, op, f, in.start,
                                                      with_total)};
    } else {
      tessera::joint_transform_exclusive_scan(tile, in.first, in.n, in.exclusive_started, op, f, in.start);
      return {};
    }
  }
};

template <unsigned N, class T, class R, class Op, class F>
void check_transform_of(Op op, F f, R start) {
  if (testing::Test::HasFailure()) return;
  using traits = tessera::operator_traits<Op, R>;
  random_engine random(300 + N);
  auto const ranges = make_ranges<N>(random, sample<T>);
  struct outputs {
    placed_values<T> in_place;
    placed_values<R> inclusive, started, exclusive, exclusive_started;
  };
  std::vector<outputs> out;
  std::vector<transform_input<T, R>> lanes;
  for (auto const& range : ranges) {
    auto const random_alignment = [&] {
      constexpr unsigned shifts = 16 / alignof(R);
      return placed_values<R>(std::vector<R>(range.x.size()),
                              random() % 2 == 0 ? 0 : static_cast<unsigned>(random() % shifts));
    };
    out.push_back({placed_values<T>(range.x, range.shift), random_alignment(), random_alignment(), random_alignment(),
                   random_alignment()});
    outputs const& to = out.back();
    lanes.insert(lanes.end(), N,
                 {range.memory.data(), to.in_place.data(), to.inclusive.data(), to.started.data(), to.exclusive.data(),
                  to.exclusive_started.data(), range.n, start});
  }
  auto const sums = backend::run<N, totals<R>>(lanes, transform_kernel<Op, F>{op, f});

  for (std::size_t tile = 0; tile < ranges.size(); ++tile) {
    auto const& range = ranges[tile];
    SCOPED_TRACE("tile<" + std::to_string(N) + ">, n " + std::to_string(range.n) + ", shift " +
                 std::to_string(range.shift));
    std::vector<R> terms, elements;
    for (std::size_t i = 0; i < range.x.size(); ++i) {
      if constexpr (std::is_invocable_v<F const&, T const&, long long>) {
        terms.push_back(static_cast<R>(f(range.x[i], static_cast<long long>(i))));
      } else {
        terms.push_back(static_cast<R>(f(range.x[i])));
      }
      if constexpr (std::is_same_v<T, R>) elements.push_back(range.x[i]);
    }
    std::optional<R> const begin = start;
    auto plain = scan_model<R, T>(terms, range.shift, N, std::nullopt, op);
    auto const started = scan_model<R, T>(terms, range.shift, N, begin, op);
    ASSERT_TRUE(all_same(out[tile].inclusive.to_host(), plain.inclusive));
    if constexpr (std::is_same_v<T, R>) {
      auto const untransformed = scan_model<R, T>(elements, range.shift, N, begin, op);
      ASSERT_TRUE(all_same(out[tile].in_place.to_host(), started.inclusive));
      ASSERT_TRUE(all_same(out[tile].started.to_host(), untransformed.inclusive));
    } else {
      ASSERT_TRUE(all_same(out[tile].started.to_host(), started.inclusive));
    }
    ASSERT_TRUE(all_same(out[tile].exclusive_started.to_host(), started.exclusive));
    if constexpr (traits::has_identity) {
      if (!terms.empty()) plain.exclusive[0] = traits::identity(op);
      ASSERT_TRUE(all_same(out[tile].exclusive.to_host(), plain.exclusive));
      R const total = plain.total ? *plain.total : traits::identity(op);
      for (unsigned rank = 0; rank < N; ++rank) {
        totals<R> const& got = sums[tile * N + rank];
        ASSERT_TRUE(same(got.of_exclusive, total) && same(got.of_started, total));
      }
    }
  }
}
template <class T, class R, unsigned... N, class Op, class F>
void check_transform(Op op, F f, R start, sizes<N...> of) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(of, [&](auto n) { check_transform_of<decltype(n)::value, T>(op, f, start); });
}

struct twice {
  TESSERA_FN int operator()(int x) const { return static_cast<int>(2u * static_cast<unsigned>(x)); }
};
struct weighted_by_index {
  TESSERA_FN float operator()(float x, long long i) const { return x * static_cast<float>(i % 7); }
};
struct widened {
  TESSERA_FN long long operator()(signed char x) const { return 1000ll * x; }
};
struct narrowed {
  TESSERA_FN short operator()(double x) const { return x > 0 ? 1 : -1; }
};
struct as_digits {
  TESSERA_FN digits operator()(unsigned short x, long long i) const {
    return {(x + static_cast<unsigned long long>(i)) % 10, 10};
  }
};
struct is_odd {
  TESSERA_FN bool operator()(int x) const { return (x & 1) != 0; }
};

TEST(JointTransformScan, IntsInPlace) {
  check_transform<int>(tessera::plus{}, twice{}, 5, joint_sizes{});
}
TEST(JointTransformScan, FloatsByIndex) {
  check_transform<float>(tessera::plus{}, weighted_by_index{}, 0.5f, sizes<8>{});
}
TEST(JointTransformScan, BytesBecomeLong) {
  check_transform<signed char>(tessera::plus{}, widened{}, -3ll, sizes<2, 32>{});
}
TEST(JointTransformScan, DoublesBecomeShort) {
  check_transform<double>(tessera::plus{}, narrowed{}, short{9}, sizes<4>{});
}
TEST(JointTransformScan, ShortsBecomeStringsInOrder) {
  check_transform<unsigned short>(digit_concatenation{}, as_digits{}, digits{7, 10}, sizes<8, 32>{});
}
TEST(JointTransformScan, BoolsAreCounted) {
  check_transform<int>(tessera::plus{}, is_odd{}, 4u, sizes<8>{});
}
TEST(JointTransformScan, OfSeveralWarps) {
  check_transform<unsigned short>(tessera::make_operator(digit_concatenation{}, digits{0, 1}), as_digits{},
                                  digits{7, 10}, sizes<64, 512>{});
  check_transform<int>(tessera::plus{}, twice{}, 5, sizes<256>{});
}

/// The function is called with elements only, once for each.
struct counting {
  int* met;
  TESSERA_FN int operator()(int x, int i) const {
    tessera::atomic_update(&met[i], x);
    return x;
  }
};
struct count_meetings {
  int const* first;
  int* out;
  int* met;
  template <class Tile>
  TESSERA_FN int operator()(Tile const& tile, unsigned) const {
    tessera::joint_transform_inclusive_scan(tile, first, 1001, out, tessera::plus{}, counting{met});
    return 0;
  }
};
TEST(JointTransformScan, CallsTheFunctionOnceForEachElement) {
  SKIP_WITHOUT_BACKEND();
  backend::array<int> first(std::vector<int>(1001, 1)), out(std::vector<int>(1001)), met(std::vector<int>(1001));
  backend::run<32, int>(std::vector<unsigned>(block_lanes), count_meetings{first.data(), out.data(), met.data()});
  for (int times : met.to_host()) ASSERT_EQ(times, static_cast<int>(block_lanes / 32));
}

}  // namespace

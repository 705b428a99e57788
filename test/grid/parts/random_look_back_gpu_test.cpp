// Random arrays through scans, selections and runs: one call after the other, all on one workspace.
#include <tessera/grid/runs.hpp>
#include <tessera/grid/scan.hpp>
#include <tessera/grid/select.hpp>

#include "../scan/scan_reference.hpp"
#include "../select/runs_reference.hpp"
#include "random_gpu.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using GridRandomLookBack = GridRandom;

/// Small tiles are taken up to 17 MiB, large ones from there on.
std::int64_t drawn_size(case_draw& from) {
  return from.size(most_elements(from.chance(10) ? 1 << 23 : 1 << 17));
}
std::size_t drawn_offset(case_draw& from) {
  return static_cast<std::size_t>(from.chance(50) ? 0 : from.number(0, 40));
}

/// What two calls write, exactly so many elements as there are results.
template <class T>
class outputs {
 public:
  explicit outputs(std::vector<T> const& expected, std::size_t offset = 0)
      : expected_(expected),
        arrays_{device_array<T>(expected.size(), offset), device_array<T>(expected.size(), 7 * offset % 16)} {}

  T* of(int call) const { return arrays_[call].data(); }
  void expect(char const* what) const {
    for (int call = 0; call < 2; ++call) {
      auto const got = arrays_[call].to_host();
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(same_bits(got[i], expected_[i])) << what << ", element " << i << " of call " << call;
      EXPECT_TRUE(arrays_[call].guards_intact()) << what << ": something was written beside the results";
    }
  }

 private:
  std::vector<T> expected_;
  device_array<T> arrays_[2];
};
inline std::vector<std::int64_t> one_number(std::size_t number) {
  return {static_cast<std::int64_t>(number)};
}

// ---- Scans

/// Numbers whose sums are exact: those of floats wander between −32 and 32.
template <class T>
std::vector<T> summands(case_draw& from, std::int64_t n) {
  std::vector<T> x(static_cast<std::size_t>(n));
  std::int64_t at = 0;
  for (T& value : x) {
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(sizeof(T) == 4 || at == 0 ? from.bits() : from.number(-5, 5));
      at = 1;
    } else {
      std::int64_t const to = from.number(-32, 32);
      value = rounded<T>(static_cast<double>(to - at));
      at = to;
    }
  }
  return x;
}

template <class T, class Fold>
void check_scan(GridRandom& test, case_draw& from) {
  using Op = typename Fold::op;
  using R = grid::reduced_t<T, Op>;
  std::int64_t const n = drawn_size(from);
  std::size_t const offset = drawn_offset(from);
  bool const suffix = from.chance(50), exclusive = from.chance(50);
  SCOPED_TRACE(testing::Message() << n << " of " << sizeof(T) << " bytes, offset " << offset << ", suffix " << suffix
                                  << ", exclusive " << exclusive);
  auto const x = summands<T>(from, n);
  T const start = rounded<T>(static_cast<double>(from.number(0, 9)));
  scan_reference const expected(Fold{}, x, suffix, exclusive ? std::optional<T>(start) : std::nullopt);
  device_array<T> const in(x, offset), in_place(x, offset);
  outputs<T> const out(expected.scanned, offset);
  // A total of no elements that begins nowhere is the operator's identity.
  bool const has_total = n > 0;
  outputs<R> const total(has_total ? std::vector<R>{in_wider<R>(*expected.total)} : std::vector<R>{}, 1);
  auto const scan = [&](T const* elements, T* to, R* all, grid::execution on) {
    grid::scan_options<R> const options{suffix, all};
    return exclusive ? grid::exclusive_scan(elements, n, to, Op{}, in_wider<R>(start), options, on)
                     : grid::inclusive_scan(elements, n, to, Op{}, options, on);
  };
  test.run_twice([&](int call, grid::execution on) {
    return scan(in.data(), out.of(call), has_total ? total.of(call) : nullptr, on);
  });
  out.expect("scan");
  total.expect("total");
  EXPECT_TRUE(all_same_bits(in.to_host(), x)) << "the array has changed";
  ASSERT_EQ(scan(in_place.data(), in_place.data(), nullptr, {*test.own_stream, test.memory}), cudaSuccess);
  check(cudaStreamSynchronize(*test.own_stream));
  EXPECT_TRUE(all_same_bits(in_place.to_host(), expected.scanned) && in_place.guards_intact()) << "in place";
}

template <class T>
void check_scans(GridRandom& test, case_draw& from) {
  switch (from.number(0, 2)) {
    case 0:
      return check_scan<T, sum>(test, from);
    case 1:
      return check_scan<T, least>(test, from);
    default:
      return check_scan<T, greatest>(test, from);
  }
}

// ---- Selections

template <class T, class Flag>
void check_selections(GridRandom& test, case_draw& from) {
  std::int64_t const n = drawn_size(from);
  std::size_t const offset = drawn_offset(from);
  int const rate = from.one_of({0, 1, 10, 50, 90, 99, 100});
  SCOPED_TRACE(testing::Message() << n << " of " << sizeof(T) << " bytes, flags of " << sizeof(Flag) << ", " << rate
                                  << " %, offset " << offset);
  std::vector<T> x, kept, others;
  std::vector<Flag> flags;
  bool const in_runs = from.chance(30);
  bool is_set = false;
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint64_t const bits = from.bits();
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
    if (!in_runs || bits % 3000 == 0) is_set = from.chance(rate);
    x.push_back(value);
    flags.push_back(is_set ? static_cast<Flag>(bits % 100 + 1) : Flag(0));
    (is_set ? kept : others).push_back(value);
  }
  std::vector<T> both = kept;
  both.insert(both.end(), others.begin(), others.end());
  device_array<T> const in(x, offset), in_place(x, offset);
  device_array<Flag> const by(flags, drawn_offset(from));
  outputs<T> const selected(kept, offset + 1), parted(both, offset), first(kept, 2), second(others, offset);
  outputs<std::int64_t> const counts[3] = {outputs<std::int64_t>(one_number(kept.size())),
                                           outputs<std::int64_t>(one_number(kept.size())),
                                           outputs<std::int64_t>(one_number(kept.size()))};
  test.run_twice([&](int call, grid::execution on) {
    return grid::select(in.data(), by.data(), n, selected.of(call), counts[0].of(call), on);
  });
  test.run_twice([&](int call, grid::execution on) {
    return grid::partition(in.data(), by.data(), n, parted.of(call), counts[1].of(call), on);
  });
  test.run_twice([&](int call, grid::execution on) {
    return grid::partition_copy(in.data(), by.data(), n, first.of(call), second.of(call), counts[2].of(call), on);
  });
  selected.expect("select");
  parted.expect("partition");
  first.expect("partition_copy");
  second.expect("the others of partition_copy");
  for (auto const& count : counts) count.expect("count");
  EXPECT_TRUE(all_same_bits(in.to_host(), x) && all_same_bits(by.to_host(), flags)) << "arguments have changed";
  ASSERT_EQ(
      grid::select(in_place.data(), by.data(), n, in_place.data(), counts[0].of(0), {*test.own_stream, test.memory}),
      cudaSuccess);
  check(cudaStreamSynchronize(*test.own_stream));
  kept.insert(kept.end(), x.begin() + static_cast<std::ptrdiff_t>(kept.size()), x.end());
  EXPECT_TRUE(all_same_bits(in_place.to_host(), kept) && in_place.guards_intact()) << "in place";
}

// ---- Runs

/// Keys in runs of lengths about a mean, and values.
template <class T, class V>
struct drawn_runs {
  std::vector<T> keys;
  std::vector<V> values;

  drawn_runs(case_draw& from, std::int64_t n, std::int64_t mean) {
    T key{};
    for (std::int64_t i = 0; i < n; ++i) {
      if (i == 0 || from.number(1, mean) == 1) {
        key = static_cast<T>(from.number(0, 200));
        if (std::is_floating_point_v<T> && from.chance(20))
          key = from.one_of({T(0), -T(0), std::numeric_limits<T>::quiet_NaN()});
      }
      keys.push_back(key);
      values.push_back(static_cast<V>(from.number(0, 1)));  // whose sums are exact
    }
  }
};

template <class T, class V, class Length>
void check_runs(GridRandom& test, case_draw& from) {
  std::int64_t const n = drawn_size(from), mean = from.one_of<std::int64_t>({1, 2, 8, 100, 5000, 1 << 20});
  std::size_t const offset = drawn_offset(from);
  SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(T) << " bytes, values of " << sizeof(V) << ", runs of "
                                  << mean << ", offset " << offset);
  drawn_runs<T, V> const drawn(from, n, mean);
  runs_reference const expected(drawn.keys, drawn.values);
  device_array<T> const keys(drawn.keys, offset), in_place(drawn.keys, offset);
  device_array<V> const values(drawn.values, drawn_offset(from));
  outputs<T> const once(expected.heads, 1), with_values(expected.heads, offset), encoded(expected.heads, 2),
      reduced(expected.heads, offset + 1);
  outputs<V> const firsts(expected.firsts, 3), sums(expected.sums, offset);
  outputs<Length> const lengths(std::vector<Length>(expected.lengths.begin(), expected.lengths.end()), offset);
  outputs<std::int64_t> const count(one_number(expected.heads.size()));
  tessera::equal_to const equal;
  test.run_twice([&](int call, grid::execution on) {
    return grid::unique(keys.data(), n, once.of(call), count.of(call), equal, on);
  });
  once.expect("unique");
  count.expect("the count of unique");
  test.run_twice([&](int call, grid::execution on) {
    return grid::unique_by_key(keys.data(), values.data(), n, with_values.of(call), firsts.of(call), count.of(call),
                               equal, on);
  });
  with_values.expect("unique_by_key");
  firsts.expect("values of unique_by_key");
  count.expect("the count of unique_by_key");
  test.run_twice([&](int call, grid::execution on) {
    return grid::run_length_encode(keys.data(), n, encoded.of(call), lengths.of(call), count.of(call), equal, on);
  });
  encoded.expect("run_length_encode");
  lengths.expect("lengths");
  count.expect("the count of run_length_encode");
  if constexpr (std::is_integral_v<T>) {
    test.run_twice([&](int call, grid::execution on) {
      return grid::reduce_by_key(keys.data(), values.data(), n, reduced.of(call), sums.of(call), count.of(call),
                                 tessera::plus{}, equal, on);
    });
    reduced.expect("reduce_by_key");
    sums.expect("sums");
    count.expect("the count of reduce_by_key");
  }
  EXPECT_TRUE(all_same_bits(keys.to_host(), drawn.keys) && all_same_bits(values.to_host(), drawn.values))
      << "arguments have changed";
  ASSERT_EQ(grid::unique(in_place.data(), n, in_place.data(), count.of(0), equal, {*test.own_stream, test.memory}),
            cudaSuccess);
  check(cudaStreamSynchronize(*test.own_stream));
  auto const got = in_place.to_host();
  for (std::size_t i = 0; i < expected.heads.size(); ++i)
    ASSERT_TRUE(same_bits(got[i], expected.heads[i])) << "in place, element " << i;
}

TEST_F(GridRandomLookBack, CallsInTurn) {
  each_random_case(0.3, [&](std::uint64_t seed) {
    case_draw from(seed);
    switch (seed % 20) {
      case 0:
        return check_scans<float>(*this, from);
      case 1:
        return check_selections<float, char>(*this, from);
      case 2:
        return check_runs<std::int32_t, float, std::int32_t>(*this, from);
      case 3:
        return check_scans<double>(*this, from);
      case 4:
        return check_selections<std::uint64_t, signed char>(*this, from);
      case 5:
        return check_runs<std::int64_t, std::int64_t, std::int64_t>(*this, from);
      case 6:
        return check_scans<__half>(*this, from);
      case 7:
        return check_selections<__half, std::int32_t>(*this, from);
      case 8:
        return check_runs<float, std::uint32_t, std::uint32_t>(*this, from);
      case 9:
        return check_scans<__nv_bfloat16>(*this, from);
      case 10:
        return check_selections<std::int32_t, std::uint32_t>(*this, from);
      case 11:
        return check_runs<double, double, std::int32_t>(*this, from);
      case 12:
        return check_scans<std::int32_t>(*this, from);
      case 13:
        return check_scans<std::uint32_t>(*this, from);
      case 14:
        return check_selections<double, unsigned char>(*this, from);
      case 15:
        return check_runs<std::uint32_t, double, std::uint64_t>(*this, from);
      case 16:
        return check_scans<std::int64_t>(*this, from);
      case 17:
        return check_runs<std::uint64_t, std::int32_t, std::int32_t>(*this, from);
      case 18:
        return check_scans<std::uint64_t>(*this, from);
      default:
        return check_runs<std::int64_t, float, std::int64_t>(*this, from);
    }
  });
}

}  // namespace

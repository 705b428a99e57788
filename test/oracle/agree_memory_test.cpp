// Compares the model with the library on host tiles, as agree_test.cpp does: matches, memory, and ranges.
#include "agree.hpp"

namespace {

using namespace oracle::test;
namespace model = oracle::model;

template <class Size>
class AgreeMemory : public testing::Test {};
TYPED_TEST_SUITE(AgreeMemory, sizes);

TYPED_TEST(AgreeMemory, Match) {
  constexpr unsigned N = TypeParam::value;
  auto const in = some(N);
  vector<int> keys;
  for (unsigned r = 0; r < N; ++r) keys.push_back(static_cast<int>(scrambled(r) % 5));
  EXPECT_MODEL(model::match_any(N, keys, everyone(N)), tessera::match_any(tile, keys[r]));
  EXPECT_MODEL(model::match_any(N, keys, model::where(in)),
               tessera::match_any(tile, keys[r], tessera::where(in[r] != 0)));
  auto const groups = model::peers(N, keys);
  auto const got = tessera::host::launch_block(N, [&](tessera::host::block const& block) {
    auto const tile = tessera::tiled_partition<N>(block);
    return tessera::peers(tile, keys[tile.thread_rank()]);
  });
  for (unsigned r = 0; r < N; ++r) {
    EXPECT_TRUE(model::agrees(groups[r]->mask, got[r].mask)) << r;
    EXPECT_EQ(groups[r]->rank, got[r].rank);
    EXPECT_EQ(groups[r]->leader, got[r].leader);
    EXPECT_EQ(groups[r]->count, got[r].count());
  }
  vector<char> two_of_one(N);
  for (unsigned r = 0; r < N; ++r) two_of_one[r] = keys[r] == 2;
  for (how const& who : {everyone(N), model::where(in), model::where(two_of_one)})
    EXPECT_MODEL(model::match_all(N, keys, who), tessera::match_all(tile, keys[r], tessera::where(who.in[r] != 0)));

  auto const x = samples<trace>(N);
  auto const a = algebra_for<trace>(written);
  EXPECT_MODEL(model::reduce_by_label(N, keys, x, a, everyone(N)),
               tessera::reduce_by_label(tile, keys[r], x[r], written));
  EXPECT_MODEL(model::reduce_by_label(N, keys, x, a, model::where(in)),
               tessera::reduce_by_label(tile, keys[r], x[r], written, tessera::where(in[r] != 0)));
  EXPECT_MODEL(model::reduce_by_label(N, keys, x, a, to_leader(model::where(in))),
               tessera::reduce_by_label(tile, keys[r], x[r], written, tessera::to_leader | tessera::where(in[r] != 0)));
}

TYPED_TEST(AgreeMemory, Memory) {
  constexpr unsigned N = TypeParam::value;
  auto const in = some(N), keep = some_flags(N, 2);
  auto const x = samples<int>(N);
  auto const kept = model::compact(N, x, keep, model::where(in));
  vector<int> out(N);
  EXPECT_MODEL(model::lanes<unsigned>(N, static_cast<unsigned>(kept.size())),
               tessera::compact(tile, x[r], keep[r] != 0, out.data(), tessera::where(in[r] != 0)));
  out.resize(kept.size());
  EXPECT_EQ(out, kept);

  vector<int> keys;
  for (unsigned r = 0; r < N; ++r) keys.push_back(static_cast<int>(scrambled(r) % 14) - 1);
  EXPECT_MODEL(model::histogram(N, 12, keys, everyone(N)), tessera::histogram<12>(tile, keys[r]));
  EXPECT_MODEL(model::histogram(N, 12, keys, scattered(model::where(in))),
               tessera::histogram<12>(tile, keys[r], tessera::scattered | tessera::where(in[r] != 0)));

  for (int& key : keys) ++key;
  vector<int> counters(14, 3);
  auto const sums = model::aggregated_add(N, counters, keys, x, model::where(in));
  auto const counts = model::aggregated_add(N, sums, keys, everyone(N));
  tessera::host::launch_block(N, [&](tessera::host::block const& block) {
    auto const tile = tessera::tiled_partition<N>(block);
    unsigned const r = tile.thread_rank();
    tessera::aggregated_add(tile, counters.data(), keys[r], x[r], tessera::where(in[r] != 0));
    tessera::aggregated_add(tile, counters.data(), keys[r]);
  });
  EXPECT_EQ(counters, counts);

  auto const t = samples<trace>(N);
  trace cell = 9;
  trace expected = model::atomic_reduce(N, cell, t, algebra_for<trace>(written), model::where(in));
  expected = model::atomic_reduce(N, expected, t, algebra_for<trace>(written), model::first(N, 0));
  tessera::host::launch_block(N, [&](tessera::host::block const& block) {
    auto const tile = tessera::tiled_partition<N>(block);
    unsigned const r = tile.thread_rank();
    tessera::atomic_reduce(tile, &cell, t[r], written, tessera::where(in[r] != 0));
    tessera::atomic_reduce(tile, &cell, t[r], written, tessera::first(0));
  });
  EXPECT_EQ(cell, expected);
}

/// A range of n elements, which begins `offset` elements after a multiple of 16 bytes.
template <class T>
struct range_in_memory {
  range_in_memory(unsigned elements, unsigned offset)
      : values(samples<T>(elements)), storage(elements + offset + 16), count(static_cast<int>(elements)) {
    auto const address = [&] { return reinterpret_cast<std::uintptr_t>(first); };
    first = storage.data();
    while (address() % 16 != 0) ++first;
    first += offset;
    for (unsigned i = 0; i < elements; ++i) first[i] = values[i];
    address_modulo_16 = address() % 16;
  }
  vector<T> values, storage;
  int count;
  T* first;
  std::size_t address_modulo_16;
};

template <unsigned N, class T>
void check_joint_reduce(unsigned count, unsigned offset) {
  SCOPED_TRACE(std::to_string(count) + " from " + std::to_string(offset));
  range_in_memory<T> const m(count, offset);
  how const all = everyone(N);
  auto const as_trace = [](T x, auto) { return static_cast<trace>(x) * 2 + 1; };
  EXPECT_MODEL(model::joint_transform_reduce(N, m.values, m.address_modulo_16, algebra_for<trace>(written_either_way),
                                             as_trace, all),
               tessera::joint_transform_reduce(tile, m.first, m.count, written_either_way, as_trace));
  auto const as_affine = [](T x, auto i) {
    return affine{static_cast<std::uint32_t>(x) | 1, static_cast<std::uint32_t>(i)};
  };
  EXPECT_MODEL(model::joint_transform_reduce(N, m.values, m.address_modulo_16, algebra_for<affine>(composed), as_affine,
                                             to_leader(all)),
               tessera::joint_transform_reduce(tile, m.first, m.count, composed, as_affine, tessera::to_leader));
  EXPECT_MODEL(
      model::joint_reduce(N, m.values, m.address_modulo_16, algebra_for<decltype(T{} + T{})>(tessera::plus{}), all),
      tessera::joint_reduce(tile, m.first, m.count));
  auto const rare = [](T x, auto i) { return i > 3 && static_cast<int>(x) % 50 == 0; };
  EXPECT_MODEL(model::joint_any_of(N, m.values, rare, all), tessera::joint_any_of(tile, m.first, m.count, rare));
  EXPECT_MODEL(model::joint_none_of(N, m.values, rare, all), tessera::joint_none_of(tile, m.first, m.count, rare));
  auto const often = [](T x, auto i) { return i < 3 || static_cast<int>(x) % 50 != 0; };
  EXPECT_MODEL(model::joint_all_of(N, m.values, often, all), tessera::joint_all_of(tile, m.first, m.count, often));
}
TYPED_TEST(AgreeMemory, JointReduce) {
  constexpr unsigned N = TypeParam::value;
  for (unsigned count : {0u, 1u, 3u, 40u, 9 * N + 5}) {
    check_joint_reduce<N, float>(count, count % 4);
    check_joint_reduce<N, char>(count, 13);
    check_joint_reduce<N, double>(count, 1);
    check_joint_reduce<N, std::uint16_t>(count, 0);
  }
}

template <unsigned N, class T, class Op>
void check_joint_scan(unsigned count, unsigned offset, Op op) {
  SCOPED_TRACE(std::to_string(count) + " from " + std::to_string(offset));
  range_in_memory<T> const m(count, offset);
  auto const a = algebra_for<T>(op);
  T const init = sample<T>(12345);
  auto const check = [&](model::joint_scanned<T> const& expected, auto call) {
    vector<T> out(count + 1);
    auto const totals = tessera::host::launch_block(
        N, [&](tessera::host::block const& block) { return call(tessera::tiled_partition<N>(block), out.data()); });
    expect_agreement(model::lanes<T>(N, expected.total), totals, "the total", N);
    out.resize(count);
    expect_agreement(model::lanes<T>(expected.out.begin(), expected.out.end()), out, "elements", N);
  };
  {
    SCOPED_TRACE("inclusive");
    check(model::joint_inclusive_scan(N, m.values, m.address_modulo_16, a), [&](auto tile, T* out) {
      return tessera::joint_inclusive_scan(tile, m.first, m.count, out, op, tessera::with_total);
    });
  }
  {
    SCOPED_TRACE("exclusive");
    check(model::joint_exclusive_scan(N, m.values, m.address_modulo_16, a), [&](auto tile, T* out) {
      return tessera::joint_exclusive_scan(tile, m.first, m.count, out, op, tessera::with_total);
    });
  }
  {
    SCOPED_TRACE("with a start");
    check(model::joint_exclusive_scan(N, m.values, m.address_modulo_16, a, init), [&](auto tile, T* out) {
      return tessera::joint_exclusive_scan(tile, m.first, m.count, out, op, init, tessera::with_total);
    });
  }
}
TYPED_TEST(AgreeMemory, JointScan) {
  constexpr unsigned N = TypeParam::value;
  for (unsigned count : {0u, 1u, 3u, 40u, 9 * N + 5}) {
    check_joint_scan<N, float>(count, count % 4, tessera::plus{});
    check_joint_scan<N, trace>(count, count % 2, written);
    check_joint_scan<N, std::int16_t>(count, 5, tessera::plus{});
  }
}

/// Ranges of elements whose size doesn't divide 16, or which are never at a multiple of 16 bytes.
template <unsigned Bytes>
struct element {
  char text[Bytes];
};
TEST(AgreeLayout, OfOddElements) {
  constexpr unsigned N = 4;
  auto const check = [&](auto zero, unsigned address) {
    using T = decltype(zero);
    SCOPED_TRACE(std::to_string(sizeof(T)) + " bytes at " + std::to_string(address));
    alignas(16) static char bytes[20000];
    constexpr unsigned count = 47;
    vector<T> x(count);
    for (unsigned i = 0; i < count; ++i) x[i].text[0] = static_cast<char>(i + 1);
    std::memcpy(bytes + address, x.data(), count * sizeof(T));
    T const* const first = reinterpret_cast<T const*>(bytes + address);
    auto const as_trace = [](T const& e, auto) { return static_cast<trace>(e.text[0]) * 2 + 1; };
    EXPECT_MODEL(
        model::joint_transform_reduce(N, x, address, algebra_for<trace>(written_either_way), as_trace, everyone(N)),
        tessera::joint_transform_reduce(tile, first, static_cast<int>(count), written_either_way, as_trace));
  };
  check(element<12>{}, 4);
  check(element<12>{}, 0);
  check(element<3>{}, 1);
  check(element<32>{}, 8);
  check(element<20>{}, 0);
  check(element<4>{}, 4);
  check(element<8>{}, 8);
  check(element<16>{}, 8);
}

}  // namespace

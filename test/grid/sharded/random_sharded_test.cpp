// Random sequences of calls over ranks that are threads: one call after the other on one communicator, whose memory and
// slots they share. Each is held against the oracle's model of whole arrays. The local steps are the model's, too.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/grid/sharded/combine_shards.hpp>
#include <tessera/grid/sharded/nth_element_shards.hpp>
#include <tessera/grid/sharded/sort_shards.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "host_ranks.hpp"
#include "host_shards.hpp"
#include "oracle/model/arrays.hpp"
#include "random_cases.hpp"
#include "samples.hpp"
#include "shard_cuts.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
namespace model = oracle::model::arrays;
using tessera::grid::shard;
using rank = host_ranks::rank;

/// One call of a sequence, made by all ranks.
struct drawn_call {
  std::string text;
  std::function<void(rank const&)> run;
};

constexpr std::int64_t most = 600;  // elements

template <class T, class Op>
drawn_call reduction(case_draw& from, std::string const& name, Op const& op) {
  drawn_array<T> const in(from, 0, most, false);
  T const expected = model::reduce(in.x, op);
  std::string const text = "reduce by " + name + ", " + in.text();
  return {text, [=](rank const& on) {
            shard const part = in.part_of(on);
            T got{};
            auto const local = [&](T* own) {
              *own = model::reduce(in.own(part), op);
              return cudaSuccess;
            };
            EXPECT_EQ(detail::combine_shards<T>(on, part, &got, op, local), cudaSuccess) << text;
            EXPECT_TRUE(same_bits(got, expected)) << text;
          }};
}

/// In chunks, whose places don't depend on the cut.
drawn_call products_of_chunks(case_draw& from) {
  drawn_array<matrix> in(from, 0, most, false);
  in.cut = 0;  // no other is allowed
  auto const op = tessera::make_operator(matrix_product{}, matrix_one);
  matrix const expected = model::reduce(in.x, op);
  std::string const text = "products of chunks, " + in.text();
  return {text, [=](rank const& on) {
            shard const part = in.part_of(on);
            matrix got{};
            auto const local = [&](std::int64_t first, int rows, std::int64_t columns, matrix* own) {
              for (int row = 0; row < rows; ++row) {
                std::int64_t const begin = part.begin + first + row * columns;
                own[row] = model::reduce(model::slice(in.x, begin, begin + columns), op);
              }
              return cudaSuccess;
            };
            EXPECT_EQ(detail::combine_chunks<matrix>(on, part, &got, op, local), cudaSuccess) << text;
            EXPECT_TRUE(same_bits(got, expected)) << text;
          }};
}

/// A sum of -0 alone is -0, and that of nothing is 0.
drawn_call sum_of_zeros(case_draw& from) {
  std::int64_t const n = from.number(0, 12);
  auto const cut = static_cast<unsigned>(from.number(0, 3));
  std::string const text = "sum of " + std::to_string(n) + " times -0, cut " + std::to_string(cut);
  return {text, [=](rank const& on) {
            float got = 1;
            auto const local = [](float* own) {
              *own = -0.0f;
              return cudaSuccess;
            };
            shard const part = test::cut_of(n, on.index(), on.count(), cut);
            EXPECT_EQ(detail::combine_shards<float>(on, part, &got, tessera::plus{}, local), cudaSuccess) << text;
            EXPECT_TRUE(same_bits(got, n == 0 ? 0.0f : -0.0f)) << text;
          }};
}

template <class T, class Op>
drawn_call place_of_best(case_draw& from, bool greatest, Op const& op) {
  using best = tessera::indexed<T, std::int64_t>;
  drawn_array<T> in(from, 1, most, true);
  if (from.chance(70)) in.draw_again(from);
  best const expected = model::best<T, std::int64_t>(in.x, greatest);
  std::string const text = (greatest ? "argmax of " : "argmin of ") + in.text();
  return {text, [=](rank const& on) {
            shard const part = in.part_of(on);
            best got{};
            auto const local = [&](best* own) {
              *own = model::best<T, std::int64_t>(in.own(part), greatest);
              return on.run(detail::shift_index_agent<T>{own, part.begin});
            };
            EXPECT_EQ(detail::combine_shards<best>(on, part, &got, op, local), cudaSuccess) << text;
            EXPECT_EQ(got.index, expected.index) << text;
            EXPECT_TRUE(same_bits(got.value, expected.value)) << text;
          }};
}

/// Products of matrices, from either end, with a start of the host's or the device's, or none.
drawn_call scan(case_draw& from) {
  drawn_array<matrix> const in(from, 0, most, false);
  auto const op = tessera::make_operator(matrix_product{}, matrix_one);
  bool const suffix = from.chance(50);
  auto const kind = from.number(0, 2);
  random_engine random(from.bits());
  matrix const start = sample<matrix>(random);
  auto const expected =
      model::scan(in.x, op, kind > 0 ? model::scan_kind::inclusive_from : model::scan_kind::inclusive, suffix, start);
  std::string const text =
      "scan " + std::string(suffix ? "from the end" : "") + ", start " + std::to_string(kind) + ", " + in.text();
  return {text, [=](rank const& on) {
            shard const part = in.part_of(on);
            matrix total = start;
            auto const reduce = [&](matrix* own) {
              *own = model::reduce(in.own(part), op);
              return cudaSuccess;
            };
            auto const scan = [&](matrix* carry) {
              auto const own = model::scan(in.own(part), op, model::scan_kind::inclusive_from, suffix, *carry);
              for (std::size_t i = 0; i < own.out.size(); ++i)
                EXPECT_TRUE(same_bits(own.out[i], expected.out[static_cast<std::size_t>(part.begin) + i])) << text;
              return cudaSuccess;
            };
            cudaError_t const error =
                kind == 2 ? detail::scan_shards<matrix>(on, part, op, tessera::grid::start_on_device(&total), true,
                                                        suffix, &total, reduce, scan)
                          : detail::scan_shards<matrix>(on, part, op, start, kind > 0, suffix, &total, reduce, scan);
            EXPECT_EQ(error, cudaSuccess) << text;
            EXPECT_TRUE(same_bits(total, expected.total)) << text;
          }};
}

drawn_call selection(case_draw& from) {
  drawn_array<int> const in(from, 0, most, false);
  auto const selected_before = [in](std::int64_t end) {
    auto const odd = [](int x) { return x % 2 != 0; };
    return static_cast<std::int64_t>(std::count_if(in.x.begin(), in.x.begin() + end, odd));
  };
  std::string const text = "select of " + in.text();
  return {text, [=](rank const& on) {
            shard const part = in.part_of(on);
            std::int64_t const before = selected_before(part.begin);
            std::int64_t const count = selected_before(part.begin + part.count) - before;
            shard got;
            auto const select = [&](std::int64_t* own) {
              *own = count;
              return cudaSuccess;
            };
            EXPECT_EQ(detail::select_shards(on, &got, select), cudaSuccess) << text;
            EXPECT_EQ(got.begin, before) << text;
            EXPECT_EQ(got.count, count) << text;
            EXPECT_EQ(got.total, selected_before(in.size())) << text;
          }};
}

template <bool Falling>
using order = std::conditional_t<Falling, tessera::greater, tessera::less>;

/// The k first of all, and their places.
template <bool Falling, class T>
drawn_call top_k(case_draw& from) {
  drawn_array<T> const in(from, 1, most, true);
  std::int64_t const k = from.number(1, in.size());
  auto const places = model::argsort(in.x, model::before{Falling});
  std::string const text = "top " + std::to_string(k) + " of " + in.text();
  return {text, [=](rank const& on) {
            shard const part = in.part_of(on);
            std::vector<T> values(static_cast<std::size_t>(k));
            std::vector<std::int64_t> indices(values.size());
            auto const local = [&](std::int64_t count, T* first, std::int64_t* at) {
              auto const own = in.own(part);
              auto const sorted = model::argsort(own, model::before{Falling});
              for (std::int64_t i = 0; i < count; ++i) {
                at[i] = sorted[static_cast<std::size_t>(i)];
                first[i] = own[static_cast<std::size_t>(at[i])];
              }
              return cudaSuccess;
            };
            EXPECT_EQ(detail::top_k_shards<T>(on, part, k, values.data(), indices.data(), order<Falling>{}, local),
                      cudaSuccess)
                << text;
            for (std::size_t i = 0; i < values.size(); ++i) {
              ASSERT_EQ(indices[i], places[i]) << text;
              ASSERT_TRUE(same_bits(values[i], in.x[static_cast<std::size_t>(places[i])])) << text;
            }
          }};
}

template <bool Falling, class T>
drawn_call sort(case_draw& from) {
  drawn_array<T> const in(from, 0, most, true);
  auto const expected = model::gather(in.x, model::argsort(in.x, model::before{Falling}));
  std::string const text = "sort of " + in.text();
  return {text, [=](rank const& on) {
            using run = detail::key_run<T>;
            shard const part = in.part_of(on);
            std::vector<T> out(static_cast<std::size_t>(part.count) + 1, T(7));
            auto const local = [&](run to) {
              auto const own = in.own(part);
              auto const sorted = model::gather(own, model::argsort(own, model::before{Falling}));
              std::copy(sorted.begin(), sorted.end(), to.keys);
              return cudaSuccess;
            };
            auto const merge = [&](run a, std::int64_t na, run b, std::int64_t nb, run to) {
              std::merge(a.keys, a.keys + na, b.keys, b.keys + nb, to.keys, model::before{Falling});
              return cudaSuccess;
            };
            EXPECT_EQ(detail::sort_shards<Falling>(on, part, run{out.data()}, local, merge), cudaSuccess) << text;
            for (std::size_t i = 0; i + 1 < out.size(); ++i)
              ASSERT_TRUE(same_bits(out[i], expected[static_cast<std::size_t>(part.begin) + i])) << i << ", " << text;
            EXPECT_TRUE(same_bits(out.back(), T(7))) << text;
          }};
}

/// The element of a place, and its index.
template <bool Falling, class T>
drawn_call nth_element(case_draw& from) {
  drawn_array<T> const in(from, 1, most, true);
  std::int64_t const place = from.number(0, in.size() - 1);
  std::int64_t const expected = model::argsort(in.x, model::before{Falling})[static_cast<std::size_t>(place)];
  std::string const text = "element of place " + std::to_string(place) + " of " + in.text();
  return {
      text, [=](rank const& on) {
        shard const part = in.part_of(on);
        local_steps<T> const local{in.x.data() + part.begin, part};
        T value{};
        std::int64_t index = -7;
        detail::store_element_and_index<T> const store{&value, &index};
        EXPECT_EQ((detail::nth_of_shards<Falling, T>(on, part, place, local.count(), local.pick(), store)), cudaSuccess)
            << text;
        EXPECT_EQ(index, expected) << text;
        EXPECT_TRUE(same_bits(value, in.x[static_cast<std::size_t>(expected)])) << text;
      }};
}

/// Each key has its place in the array as its value.
template <bool Falling, class Key>
drawn_call sort_by_key(case_draw& from) {
  drawn_array<Key> const in(from, 0, most, true);
  auto const places = model::argsort(in.x, model::before{Falling});
  std::string const text = "sort by key of " + in.text();
  return {
      text, [=](rank const& on) {
        using run = detail::pair_run<Key, std::int64_t>;
        shard const part = in.part_of(on);
        std::vector<Key> keys(static_cast<std::size_t>(part.count) + 1, Key(7));
        std::vector<std::int64_t> values(keys.size(), -7);
        auto const local = [&](run to) {
          auto const own = in.own(part);
          auto const sorted = model::argsort(own, model::before{Falling});
          for (std::size_t i = 0; i < own.size(); ++i) {
            to.keys[i] = own[static_cast<std::size_t>(sorted[i])];
            to.values[i] = part.begin + sorted[i];
          }
          return cudaSuccess;
        };
        auto const merge = [&](run a, std::int64_t na, run b, std::int64_t nb, run to) {
          using readers = detail::keyed_places<Key>;
          merge_read(readers{a.keys, 0}, na, readers{a.keys, 0} + (b.keys - a.keys), nb,
                     detail::values_by_place<Key, std::int64_t>{a.values, to.keys, to.values},
                     detail::key_before<order<Falling>>{order<Falling>{}});
          return cudaSuccess;
        };
        EXPECT_EQ(detail::sort_shards<Falling>(on, part, run{keys.data(), values.data()}, local, merge), cudaSuccess)
            << text;
        for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
          std::int64_t const place = places[static_cast<std::size_t>(part.begin) + i];
          ASSERT_EQ(values[i], place) << i << ", " << text;
          ASSERT_TRUE(same_bits(keys[i], in.x[static_cast<std::size_t>(place)])) << i << ", " << text;
        }
        EXPECT_TRUE(same_bits(keys.back(), Key(7)) && values.back() == -7) << text;
      }};
}

drawn_call draw_call(case_draw& from) {
  switch (from.number(0, 18)) {
    case 0:
      return reduction<matrix>(from, "products of matrices", tessera::make_operator(matrix_product{}, matrix_one));
    case 1:
      return reduction<std::uint64_t>(from, "xor", tessera::bit_xor{});
    case 2:
      return reduction<short>(from, "minimum", tessera::minimum{});
    case 3:
      return reduction<float>(from, "plus", tessera::plus{});
    case 4:
      return products_of_chunks(from);
    case 5:
      return place_of_best<float>(from, false, tessera::argmin{});
    case 6:
      return place_of_best<std::int64_t>(from, true, tessera::argmax{});
    case 7:
      return scan(from);
    case 8:
      return selection(from);
    case 9:
      return top_k<true, float>(from);
    case 10:
      return top_k<false, short>(from);
    case 11:
      return sort<false, double>(from);
    case 12:
      return sort<true, int>(from);
    case 13:
      return sum_of_zeros(from);
    case 14:
      return nth_element<false, float>(from);
    case 15:
      return nth_element<true, int>(from);
    case 16:
      return sort_by_key<false, float>(from);
    case 17:
      return sort_by_key<true, std::uint32_t>(from);
    default:
      return sort<false, unsigned char>(from);
  }
}

TEST(RandomSharded, Sequences) {
  each_random_case(0.1, [](std::uint64_t seed) {
    drawn_sequence<drawn_call> const drawn(seed, 8, draw_call);
    host_ranks all(drawn.ranks, drawn.pushes);
    all.run([&](rank const& on) {
      SCOPED_TRACE(drawn.text);  // of this thread
      for (drawn_call const& call : drawn.calls) call.run(on);
    });
  });
}

}  // namespace

// Random sequences of calls over ranks on GPUs: one call after the other on one communicator, whose memory and slots they
// share. Each is held against the oracle's model of the whole array.
#include <tessera/grid/sharded.cuh>
#include <tessera/grid/sharded_select.cuh>
#include <tessera/grid/sharded_sort.cuh>
#include <tessera/grid/sharded_top_k.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "device_array.hpp"
#include "gpu_ranks.hpp"
#include "oracle/model/arrays.hpp"
#include "random_cases.hpp"
#include "samples.hpp"
#include "shard_cuts.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
namespace model = oracle::model::arrays;
using grid::shard;

std::int64_t const most = most_elements(150'000);

/// What a rank does of a call. Its arrays are there before the first call of the sequence.
struct rank_call {
  std::function<cudaError_t(grid::communicator&, cudaStream_t)> run;
  std::function<void()> check_results;  // after the last call
};
/// One call of a sequence, made by all ranks.
struct drawn_call {
  std::string text;
  std::function<rank_call(grid::communicator const&)> prepare;
};

template <class T>
using device_values = std::shared_ptr<device_array<T>>;
template <class T>
device_values<T> values_of(std::vector<T> const& x) {
  return std::make_shared<device_array<T>>(x);
}
template <class T>
device_values<T> room_for(std::int64_t n) {
  return std::make_shared<device_array<T>>(static_cast<std::size_t>(n));
}

template <class T>
void expect_same(device_values<T> const& got, std::vector<T> const& all, std::int64_t begin, std::string const& text) {
  auto const values = got->to_host();
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_TRUE(same_bits(values[i], all[static_cast<std::size_t>(begin) + i])) << i << ", " << text;
  EXPECT_TRUE(got->guards_intact()) << text;
}

template <class T, class Op>
drawn_call reduction(case_draw& from, std::string const& name, Op const& op) {
  drawn_array<T> in(from, 0, most, false);
  if constexpr (std::is_same_v<Op, tessera::minimum>) in.draw_again(from);
  using result = grid::reduced_t<T, Op>;
  auto const expected = static_cast<result>(model::reduce(in.x, op));
  std::string const text = "reduce by " + name + ", " + in.text();
  return {text, [=](grid::communicator const& ranks) -> rank_call {
            shard const part = in.part_of(ranks);
            auto const own = values_of(in.own(part));
            auto const out = room_for<result>(1);
            return {[=](grid::communicator& on, cudaStream_t stream) {
                      return grid::reduce(on, own->data(), part, out->data(), op, stream);
                    },
                    [=] { expect_same(out, {expected}, 0, text); }};
          }};
}

template <class T>
drawn_call place_of_best(case_draw& from, bool greatest) {
  using best = tessera::indexed<T, std::int64_t>;
  drawn_array<T> in(from, 1, most, true);
  if (from.chance(70)) in.draw_again(from);
  best const expected = model::best<T, std::int64_t>(in.x, greatest);
  std::string const text = (greatest ? "argmax of " : "argmin of ") + in.text();
  return {text, [=](grid::communicator const& ranks) -> rank_call {
            shard const part = in.part_of(ranks);
            auto const own = values_of(in.own(part));
            auto const out = room_for<best>(1);
            return {[=](grid::communicator& on, cudaStream_t stream) {
                      return greatest ? grid::argmax(on, own->data(), part, out->data(), stream)
                                      : grid::argmin(on, own->data(), part, out->data(), stream);
                    },
                    [=] {
                      best const got = out->to_host()[0];
                      EXPECT_TRUE(out->guards_intact()) << text;
                      EXPECT_EQ(got.index, expected.index) << text;
                      EXPECT_TRUE(same_bits(got.value, expected.value)) << text;
                    }};
          }};
}

/// Products of matrices, from either end, with a start of the host's or the device's, or none.
drawn_call scan(case_draw& from) {
  drawn_array<matrix> const in(from, 0, most, false);
  auto const op = tessera::make_operator(matrix_product{}, matrix_one);
  bool const suffix = from.chance(50), exclusive = from.chance(50);
  auto const kind = from.number(0, 2);
  random_engine random(from.bits());
  matrix const start = sample<matrix>(random);
  using kinds = model::scan_kind;
  auto const expected = model::scan(in.x, op,
                                    kind > 0 ? (exclusive ? kinds::exclusive_from : kinds::inclusive_from)
                                             : (exclusive ? kinds::exclusive : kinds::inclusive),
                                    suffix, start);
  std::string const text = std::string(exclusive ? "exclusive" : "inclusive") + " scan " +
                           (suffix ? "from the end" : "") + ", start " + std::to_string(kind) + ", " + in.text();
  return {text, [=](grid::communicator const& ranks) -> rank_call {
            shard const part = in.part_of(ranks);
            auto const own = values_of(in.own(part));
            auto const out = room_for<matrix>(part.count);
            auto const total = values_of(std::vector<matrix>{start});
            return {[=](grid::communicator& on, cudaStream_t stream) {
                      grid::scan_options<matrix> const options{suffix, total->data()};
                      auto const with = [&](auto const&... from_start) {
                        return exclusive ? grid::exclusive_scan(on, own->data(), part, out->data(), op, from_start...,
                                                                options, stream)
                                         : grid::inclusive_scan(on, own->data(), part, out->data(), op, from_start...,
                                                                options, stream);
                      };
                      if (kind == 0) return with();
                      if (kind == 1) return with(start);
                      return with(grid::start_on_device(static_cast<matrix const*>(total->data())));
                    },
                    [=] {
                      expect_same(out, expected.out, part.begin, text);
                      expect_same(total, {expected.total}, 0, text);
                    }};
          }};
}

struct is_odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

drawn_call selection(case_draw& from) {
  drawn_array<int> const in(from, 0, most, false);
  std::vector<int> expected;
  std::copy_if(in.x.begin(), in.x.end(), std::back_inserter(expected), is_odd{});
  auto const selected_before = [in](std::int64_t end) {
    return static_cast<std::int64_t>(std::count_if(in.x.begin(), in.x.begin() + end, is_odd{}));
  };
  std::string const text = "select of " + in.text();
  return {text, [=](grid::communicator const& ranks) -> rank_call {
            shard const part = in.part_of(ranks);
            auto const own = values_of(in.own(part));
            auto const out = room_for<int>(part.count);
            auto const where = room_for<shard>(1);
            return {[=](grid::communicator& on, cudaStream_t stream) {
                      return grid::select(on, own->data(), part, out->data(), where->data(), is_odd{}, stream);
                    },
                    [=] {
                      shard const got = where->to_host()[0];
                      EXPECT_EQ(got.begin, selected_before(part.begin)) << text;
                      EXPECT_EQ(got.begin + got.count, selected_before(part.begin + part.count)) << text;
                      EXPECT_EQ(got.total, static_cast<std::int64_t>(expected.size())) << text;
                      EXPECT_TRUE(out->guards_intact() && where->guards_intact()) << text;
                      if (got.count < 0 || got.count > part.count) return;
                      auto const values = out->to_host();
                      EXPECT_TRUE(std::equal(values.begin(), values.begin() + got.count, expected.begin() + got.begin))
                          << text;
                    }};
          }};
}

drawn_call histogram(case_draw& from) {
  drawn_array<int> in(from, 0, most, false);
  auto const bins = from.number(1, 300);
  in.draw_again(from);
  for (int& x : in.x) x %= static_cast<int>(2 * bins);
  std::vector<std::uint64_t> expected(static_cast<std::size_t>(bins));
  for (int x : in.x)
    if (x >= 0 && x < bins) ++expected[static_cast<std::size_t>(x)];
  std::string const text = "histogram of " + std::to_string(bins) + " bins, " + in.text();
  return {text, [=](grid::communicator const& ranks) -> rank_call {
            shard const part = in.part_of(ranks);
            auto const own = values_of(in.own(part));
            auto const counts = room_for<std::uint64_t>(bins);
            return {[=](grid::communicator& on, cudaStream_t stream) {
                      return grid::histogram(on, own->data(), part, counts->data(), bins, 0, static_cast<int>(bins), {},
                                             stream);
                    },
                    [=] { expect_same(counts, expected, 0, text); }};
          }};
}

template <bool Falling>
using order = std::conditional_t<Falling, tessera::greater, tessera::less>;

/// The k first of all, and their places.
template <bool Falling, class T>
drawn_call top_k(case_draw& from) {
  drawn_array<T> const in(from, 1, most, true);
  std::int64_t const k = std::max<std::int64_t>(1, from.size(std::min<std::int64_t>(in.size(), 20'000)));
  auto places = model::argsort(in.x, model::before{Falling});
  places.resize(static_cast<std::size_t>(k));
  auto const expected = model::gather(in.x, places);
  std::string const text = "top " + std::to_string(k) + " of " + in.text();
  return {text, [=](grid::communicator const& ranks) -> rank_call {
            shard const part = in.part_of(ranks);
            auto const own = values_of(in.own(part));
            auto const values = room_for<T>(k);
            auto const indices = room_for<std::int64_t>(k);
            return {[=](grid::communicator& on, cudaStream_t stream) {
                      return grid::top_k(on, static_cast<T const*>(own->data()), part, k, values->data(),
                                         indices->data(), order<Falling>{}, stream);
                    },
                    [=] {
                      expect_same(values, expected, 0, text);
                      expect_same(indices, places, 0, text);
                    }};
          }};
}

/// The element of a place, and its index.
template <bool Falling, class T>
drawn_call nth_element(case_draw& from) {
  drawn_array<T> const in(from, 1, most, true);
  std::int64_t const place = from.number(0, in.size() - 1);
  std::int64_t const expected = model::argsort(in.x, model::before{Falling})[static_cast<std::size_t>(place)];
  std::string const text = "element of place " + std::to_string(place) + " of " + in.text();
  return {text, [=](grid::communicator const& ranks) -> rank_call {
            shard const part = in.part_of(ranks);
            auto const own = values_of(in.own(part));
            auto const value = room_for<T>(1);
            auto const index = room_for<std::int64_t>(1);
            return {[=](grid::communicator& on, cudaStream_t stream) {
                      return grid::nth_element(on, static_cast<T const*>(own->data()), part, place, value->data(),
                                               index->data(), order<Falling>{}, stream);
                    },
                    [=] {
                      expect_same(index, {expected}, 0, text);
                      expect_same(value, in.x, expected, text);
                    }};
          }};
}

template <bool Falling, class T>
drawn_call sort(case_draw& from) {
  drawn_array<T> const in(from, 0, most, true);
  auto const expected = model::gather(in.x, model::argsort(in.x, model::before{Falling}));
  std::string const text = "sort of " + in.text();
  return {text, [=](grid::communicator const& ranks) -> rank_call {
            shard const part = in.part_of(ranks);
            auto const own = values_of(in.own(part));
            auto const out = room_for<T>(part.count);
            return {[=](grid::communicator& on, cudaStream_t stream) {
                      return grid::sort(on, static_cast<T const*>(own->data()), part, out->data(), order<Falling>{},
                                        stream);
                    },
                    [=] { expect_same(out, expected, part.begin, text); }};
          }};
}

/// Each key has its place in the array as its value. In place.
template <bool Falling, class Key>
drawn_call sort_by_key(case_draw& from) {
  drawn_array<Key> const in(from, 0, most, true);
  auto const places = model::argsort(in.x, model::before{Falling});
  auto const expected = model::gather(in.x, places);
  std::string const text = "sort by key of " + in.text();
  return {text, [=](grid::communicator const& ranks) -> rank_call {
            shard const part = in.part_of(ranks);
            std::vector<std::int64_t> own_places(static_cast<std::size_t>(part.count));
            for (std::size_t i = 0; i < own_places.size(); ++i)
              own_places[i] = part.begin + static_cast<std::int64_t>(i);
            auto const keys = values_of(in.own(part));
            auto const values = values_of(own_places);
            return {[=](grid::communicator& on, cudaStream_t stream) {
                      return grid::sort_by_key(on, static_cast<Key const*>(keys->data()),
                                               static_cast<std::int64_t const*>(values->data()), part, keys->data(),
                                               values->data(), order<Falling>{}, stream);
                    },
                    [=] {
                      expect_same(keys, expected, part.begin, text);
                      expect_same(values, places, part.begin, text);
                    }};
          }};
}

drawn_call draw_call(case_draw& from) {
  switch (from.number(0, 16)) {
    case 0:
      return reduction<matrix>(from, "products of matrices", tessera::make_operator(matrix_product{}, matrix_one));
    case 1:
      return reduction<std::uint64_t>(from, "xor", tessera::bit_xor{});
    case 2:
      return reduction<int>(from, "minimum", tessera::minimum{});
    case 3:
      return reduction<float>(from, "plus", tessera::plus{});
    case 4:
      return place_of_best<float>(from, false);
    case 5:
      return place_of_best<std::int64_t>(from, true);
    case 6:
    case 7:
      return scan(from);
    case 8:
      return selection(from);
    case 9:
      return histogram(from);
    case 10:
      return top_k<true, float>(from);
    case 11:
      return top_k<false, std::int64_t>(from);
    case 12:
      return nth_element<false, float>(from);
    case 13:
      return sort<false, float>(from);
    case 14:
      return sort<true, std::uint64_t>(from);
    case 15:
      return sort_by_key<false, float>(from);
    default:
      return sort_by_key<true, std::uint32_t>(from);
  }
}

TEST(RandomSharded, Sequences) {
  SKIP_WITHOUT_GPU();
  each_random_case(0.2, [](std::uint64_t seed) {
    drawn_sequence<drawn_call> const drawn(seed, gpu_ranks::most(), draw_call);
    gpu_ranks::run(
        drawn.ranks,
        [&](grid::communicator& on, cudaStream_t stream) {
          SCOPED_TRACE(drawn.text);  // of this thread
          std::vector<rank_call> own;
          for (drawn_call const& call : drawn.calls) own.push_back(call.prepare(on));
          for (std::size_t i = 0; i < own.size(); ++i) {
            gpu_ranks::wait_where_shared(stream);
            EXPECT_EQ(own[i].run(on, stream), cudaSuccess) << drawn.calls[i].text;
          }
          check(cudaStreamSynchronize(stream));
          gpu_ranks::meet();
          for (rank_call const& call : own) call.check_results();
        },
        drawn.pushes ? grid::exchange::nvlink : grid::exchange::nccl);
  });
}

}  // namespace

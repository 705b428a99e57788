// Arrays over ranks that are threads of the CPU (host_ranks.hpp), cut in several ways.
#pragma once

#include <tessera/core/iterators.hpp>
#include <tessera/grid/shard.hpp>
#include <tessera/grid/sharded/nth_element_shards.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host_ranks.hpp"
#include "samples.hpp"
#include "shard_cuts.hpp"

namespace test {

/// Calls f(rank, shard) for some numbers of ranks and some cuts of `total` elements.
template <class F>
void for_all_cuts(std::int64_t total, F const& f) {
  for (int ranks : {1, 2, 3, 4, 8}) {
    for (unsigned kind = 0; kind < 4; ++kind) {
      for (bool pushes : {false, true}) {
        host_ranks all(ranks, pushes);
        all.run([&](host_ranks::rank const& rank) { f(rank, test::cut_of(total, rank.index(), ranks, kind)); });
      }
    }
  }
}

/// Elements of an array: of a few kinds, with many ties, or of more than 9 with NaNs and both zeros.
template <class T>
std::vector<T> drawn_elements(std::int64_t total, unsigned kinds) {
  std::vector<T> x(static_cast<std::size_t>(total));
  random_engine random(static_cast<std::uint64_t>(total) * 7 + kinds);
  for (T& value : x) value = kinds > 9 ? sample_special<T>(random) : static_cast<T>(random() % kinds);
  return x;
}

/// Counts and picks as histogram_by and select do on a GPU.
template <class T>
struct local_steps {
  T const* in;
  tessera::grid::shard part;

  auto count() const {
    return [*this](auto const& bin, std::uint64_t* counts) {
      std::fill_n(counts, tessera::grid::detail::nth_tuning::digits, std::uint64_t{0});
      for (std::int64_t i = 0; i < part.count; ++i)
        if (int const found = bin(in[i]); found >= 0) ++counts[found];
      return cudaSuccess;
    };
  }
  auto pick() const {
    return
        [*this](auto const& is_one, tessera::grid::detail::nth_state* state, tessera::indexed<T, std::int64_t>* found) {
          EXPECT_GT(part.count, 0);
          tessera::grid::detail::pick_writer<T> const out{state, in, part.begin, found, 0};
          std::int64_t ones = 0;
          for (std::int64_t i = 0; i < part.count; ++i)
            if (is_one(in[i])) tessera::detail::write_element(out, ones++, i);
          return cudaSuccess;
        };
  }
};

/// Merges keyed places by readers and a writer, as the kernel of grid::merge does.
template <class A, class B, class Out, class Before>
void merge_read(A const& a, std::int64_t na, B const& b, std::int64_t nb, Out const& out, Before const& before) {
  using tessera::detail::read_element;
  std::int64_t i = 0, j = 0;
  while (i + j < na + nb) {
    bool const is_of_b = i == na || (j < nb && before(read_element(b, j), read_element(a, i)));
    auto const x = is_of_b ? read_element(b, j) : read_element(a, i);
    tessera::detail::write_element(out, i + j, x);
    ++(is_of_b ? j : i);
  }
}

}  // namespace test

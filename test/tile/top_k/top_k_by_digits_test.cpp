// Selections of floats with indices, and of doubles: entries that share digits in every way.
#include <tessera/reduce.hpp>
#include <tessera/top_k.hpp>

#include <gtest/gtest.h>

#include "all_true.hpp"

namespace {

using namespace test;

TESSERA_FN unsigned scrambled(unsigned i) {
  return (i * 2654435761u ^ i >> 3) * 2246822519u;
}
TESSERA_FN float from_bits(unsigned bits) {
  return tessera::detail::from_bits<float>(bits);
}

/// Kinds of values. They are known at run time only, so that one kernel selects of all of them.
enum class kind {
  any_numbers,
  all_equal,
  close_ones,     // few differ from each other by more than the lowest bits
  rising,         // with the place, many to a digit, so that the last place of a digit comes first
  falling_pairs,  // two or three share a digit, in the wrong order
  zeros,
  mostly_nans,  // a few numbers, the others NaNs with any bits
};
TESSERA_FN float value_at(kind of, unsigned i) {
  switch (of) {
    case kind::any_numbers:
      return from_bits(scrambled(i) & 0xbf7fffffu);
    case kind::all_equal:
      return 2;
    case kind::close_ones:
      return from_bits(0x40000000u + scrambled(i) % 200);
    case kind::rising:
      return from_bits(0x40000000u + 3 * i);
    case kind::falling_pairs:
      return from_bits(0x40000000u + (scrambled(i / 3) & 0xfff00u) + i % 3);
    case kind::zeros:
      return scrambled(i) % 3 == 0 ? -0.0f : 0.0f;
    case kind::mostly_nans:
      return scrambled(i) % 8 == 0 ? -1.0f * static_cast<float>(i) : from_bits(0x7fc00000u | scrambled(i));
  }
  return 0;
}

/// Whether a comes before b in the order of the contract.
TESSERA_FN bool is_nan(double x) {
  return x != x;
}
template <class Before, class T>
TESSERA_FN bool comes_before(Before before, tessera::indexed<T, int> const& a, tessera::indexed<T, int> const& b) {
  bool const first = is_nan(b.value) ? !is_nan(a.value) : before(a.value, b.value);
  bool const second = is_nan(a.value) ? !is_nan(b.value) : before(b.value, a.value);
  return first || (!second && a.index < b.index);
}

/// Whether the K are in order, each is one of the tile's, and no others come before the last. Indices are distinct.
template <unsigned K, class Tile, unsigned I, class Results, class Before>
TESSERA_FN bool are_first(Tile const& tile, tessera::items<tessera::indexed<float, int>, I> const& x,
                          Results const& got, Before before, unsigned n) {
  bool right = true;
  unsigned const count = K < n ? K : n;
  unsigned found = 0, in_front = 0;
  for (unsigned k = 0; k + 1 < count; ++k) right = right && comes_before(before, got[k], got[k + 1]);
  for (unsigned i = 0; i < I; ++i) {
    if (tile.thread_rank() * I + i >= n) continue;
    if (count > 0 && !comes_before(before, got[count - 1], x[i])) ++in_front;
    for (unsigned k = 0; k < count; ++k) {
      bool const is_value = got[k].value == x[i].value || (is_nan(got[k].value) && is_nan(x[i].value));
      found += got[k].index == x[i].index && is_value ? 1 : 0;
    }
  }
  return right && tessera::reduce(tile, found) == count && tessera::reduce(tile, in_front) == count;
}

/// Indices that rise with the place, fall with it, or neither.
enum class order { rising, falling, mixed };
TESSERA_FN int index_at(order indices, unsigned place) {
  int const i = static_cast<int>(place);
  return indices == order::rising ? i : indices == order::falling ? -i : (i % 2 == 0 ? i : 100000 - i);
}

template <unsigned K, unsigned I>
struct selects {
  kind of;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned N = tessera::tile_size_v<Tile>, all = N * I;
    if constexpr (K > all) {
      return 1;
    } else {
      bool right = true;
      for (unsigned o = 0; o < 3; ++o) {
        tessera::items<tessera::indexed<float, int>, I> x{};
        for (unsigned i = 0; i < I; ++i) {
          unsigned const place = tile.thread_rank() * I + i;
          x[i] = tessera::with_index(value_at(of, place), index_at(static_cast<order>(o), place));
        }
        auto const greatest = tessera::top_k<K>(tile, x);
        right = right && are_first<K>(tile, x, greatest, tessera::greater{}, all);
        unsigned const some = all - all / 3;
        auto const least = tessera::top_k<K>(tile, x, tessera::less{}, tessera::first(some));
        right = right && are_first<K>(tile, x, least, tessera::less{}, some);
        if constexpr (K <= N) {
          auto const own = tessera::top_k<K>(tile, x, tessera::greater{}, tessera::scattered);
          unsigned const rank = tile.thread_rank();
          if (rank < K) {
            for (unsigned k = 0; k < K; ++k) right = right && (k != rank || own.index == greatest[k].index);
          }
        }
      }
      return right ? 1u : 0u;
    }
  }
};
/// Doubles, whose lower halves decide, too.
template <unsigned K, unsigned I>
struct selects_doubles {
  kind of;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    constexpr unsigned all = tessera::tile_size_v<Tile> * I;
    if constexpr (K > all) {
      return 1;
    } else {
      tessera::items<double, I> x{};
      for (unsigned i = 0; i < I; ++i) {
        unsigned const place = tile.thread_rank() * I + i;
        x[i] = static_cast<double>(value_at(of, place)) * (1 + (place * 37 % 64) * 0x1p-50);
      }
      auto const best = tessera::top_k<K>(tile, x, tessera::less{});
      bool right = true;
      unsigned in_front = 0, equal = 0, before = 0;
      for (unsigned k = 0; k + 1 < K; ++k) right = right && !(best[k + 1] < best[k]);
      for (unsigned i = 0; i < I; ++i) {
        in_front += x[i] < best[K - 1] ? 1 : 0;
        equal += x[i] == best[K - 1] ? 1 : 0;
        for (unsigned k = 0; k < K; ++k) before += x[i] == best[k] ? 1 : 0;
      }
      in_front = tessera::reduce(tile, in_front);
      right = right && in_front < K && in_front + tessera::reduce(tile, equal) >= K;
      return right && tessera::reduce(tile, before) >= K ? 1u : 0u;
    }
  }
};

void check_kind(kind of) {
  SKIP_WITHOUT_BACKEND();
  check_all_true_in_block<32>(selects<8, 4>{of});
  check_all_true_in_block<32>(selects<8, 8>{of});
  check_all_true_in_block<32>(selects<5, 3>{of});
  check_all_true_in_block<32>(selects<32, 2>{of});
  check_all_true_in_block<32>(selects<1, 4>{of});
  check_all_true_in_block<8>(selects<2, 8>{of});
  check_all_true_in_block<16>(selects<6, 1>{of});
  check_all_true_in_block<2>(selects<2, 4>{of});
  check_all_true_in_block<1>(selects<1, 8>{of});
  check_all_true_in_block<32>(selects_doubles<8, 4>{of});
  check_all_true_in_block<16>(selects_doubles<4, 7>{of});
}

TEST(TopKByDigits, AnyNumbers) {
  check_kind(kind::any_numbers);
}
TEST(TopKByDigits, AllEqual) {
  check_kind(kind::all_equal);
}
TEST(TopKByDigits, CloseOnes) {
  check_kind(kind::close_ones);
}
TEST(TopKByDigits, Rising) {
  check_kind(kind::rising);
}
TEST(TopKByDigits, FallingPairs) {
  check_kind(kind::falling_pairs);
}
TEST(TopKByDigits, Zeros) {
  check_kind(kind::zeros);
}
/// Of the doubles only the floats' NaNs would be compared, which are equal to nothing.
TEST(TopKByDigits, MostlyNans) {
  SKIP_WITHOUT_BACKEND();
  check_all_true_in_block<32>(selects<8, 4>{kind::mostly_nans});
  check_all_true_in_block<8>(selects<8, 8>{kind::mostly_nans});
  check_all_true_in_block<32>(selects<20, 1>{kind::mostly_nans});
}

}  // namespace

// affine, compared with the recurrence that it stands for.
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>

#include <gtest/gtest.h>

#include "all_true.hpp"

namespace {

using namespace test;

/// Whether every prefix of the steps, applied to a start, is the recurrence's value. Small integers, so that floats are exact.
template <class T>
struct follows_the_recurrence {
  TESSERA_FN static T factor(unsigned rank) { return static_cast<T>(rank % 3 == 0 ? -1 : 1); }
  TESSERA_FN static T summand(unsigned rank) { return static_cast<T>(rank * 7 % 11); }

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    unsigned const rank = tile.thread_rank();
    auto const step = tessera::as_affine(factor(rank), summand(rank));
    auto const upto = tessera::inclusive_scan(tile, step, tessera::affine{});
    auto const before = tessera::exclusive_scan(tile, step, tessera::affine{});
    auto const all = tessera::reduce(tile, step, tessera::affine{});
    T h = 5, last = 5, total = 5;
    for (unsigned i = 0; i < tile.size(); ++i) {
      total = factor(i) * total + summand(i);
      if (i < rank) last = total;
      if (i == rank) h = total;
    }
    return upto(T(5)) == h && before(T(5)) == last && all(T(5)) == total ? 1u : 0u;
  }
};
/// The same of K steps a lane: of those before each and with it, from the first on and from the last.
template <unsigned K>
struct items_follow_the_recurrence {
  using steps = tessera::items<tessera::affine_map<float>, K>;

  TESSERA_FN static float step(float h, unsigned position) {
    return follows_the_recurrence<float>::factor(position) * h + follows_the_recurrence<float>::summand(position);
  }
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    unsigned const first = tile.thread_rank() * K, all = tile.size() * K;
    steps x{};
    for (unsigned i = 0; i < K; ++i)
      x[i] = tessera::as_affine(follows_the_recurrence<float>::factor(first + i),
                                follows_the_recurrence<float>::summand(first + i));
    auto const upto = tessera::inclusive_scan(tile, x, tessera::affine{});
    auto const before = tessera::exclusive_scan(tile, x, tessera::affine{});
    auto const from = tessera::inclusive_scan(tile, x, tessera::affine{}, tessera::suffix);
    auto const behind = tessera::exclusive_scan(tile, x, tessera::affine{}, tessera::suffix);
    bool right = true;
    float h = 5;
    for (unsigned position = 0; position < all; ++position) {
      float const next = step(h, position);
      for (unsigned i = 0; i < K; ++i)
        right = right && (position != first + i || (before[i](5.0f) == h && upto[i](5.0f) == next));
      h = next;
    }
    // A suffix applies the steps from its own on to the end, in their order.
    for (unsigned i = 0; i < K; ++i) {
      float own = 5, later = 5;
      for (unsigned position = first + i; position < all; ++position) own = step(own, position);
      for (unsigned position = first + i + 1; position < all; ++position) later = step(later, position);
      right = right && from[i](5.0f) == own && behind[i](5.0f) == later;
    }
    return right ? 1u : 0u;
  }
};
/// Lanes that take no part change no bits, not even beside an infinite factor or −0.
struct is_neutral {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    unsigned const rank = tile.thread_rank(), last = tile.size() - 1;
    float const inf = __builtin_inff();
    auto const step = tessera::as_affine(rank == last ? inf : 3.0f, -0.0f);
    auto const all = tessera::reduce(tile, step, tessera::affine{}, tessera::where(rank == last));
    unsigned const bits = tessera::detail::from_bits<unsigned>(all.b);
    return all.a == inf && bits == 1u << 31 ? 1u : 0u;
  }
};

template <class Kernel>
void check_sizes(Kernel kernel) {
  SKIP_WITHOUT_BACKEND();
  check_all_true_on<1, 4, 32, 128>(kernel);
}

TEST(Affine, FloatsFollowTheRecurrence) {
  check_sizes(follows_the_recurrence<float>{});
}
TEST(Affine, DoublesFollowTheRecurrence) {
  check_sizes(follows_the_recurrence<double>{});
}
TEST(Affine, IntegersFollowTheRecurrence) {
  check_sizes(follows_the_recurrence<int>{});
}
TEST(Affine, ItemsFollowTheRecurrence) {
  check_sizes(items_follow_the_recurrence<2>{});
  check_sizes(items_follow_the_recurrence<4>{});
}
TEST(Affine, LanesThatTakeNoPartChangeNothing) {
  check_sizes(is_neutral{});
}

}  // namespace

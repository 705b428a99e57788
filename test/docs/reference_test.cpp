// The examples of the reference's pages: the site shows each region `// [header]` … `// [end]` on the header's page. Every
// line of code in a header's contracts is here, too, so that it compiles and gives what it promises.
#include <tessera/tessera.hpp>

#include <vector>

#include "backend.hpp"

namespace reference {

using namespace tessera;

/// Memory of one tile of 8 lanes.
struct memory {
  int ints[64];
  float floats[64];
};

// Each function below gives the lane's number of wrong results. A lane's x is 1 … 8, and its rank 0 … 7.

template <class Tile>
TESSERA_FN int greatest(Tile const& tile, int x, int n) {
  int best = tessera::reduce(tile, x, tessera::maximum{}, tessera::first(n));
  return best;
}

template <class Tile>
TESSERA_FN bool reductions(Tile const& tile, float x, int n) {
  float const a = x, b = 2 * x, c = 3 * x, d = 4 * x;
  // [tessera/reduce.hpp]
  float mean = tessera::reduce(tile, x) / tile.size();
  float all = tessera::reduce(tile, tessera::items<float, 4>{a, b, c, d});
  float const least =
      tessera::reduce(tile, x, minimum{}, where(x > 2));  // of the lanes with x > 2
  float const top =
      tessera::reduce(tile, x, maximum{}, first(n));  // of lanes 0 … n − 1
  // [end]
  return greatest(tile, static_cast<int>(tile.thread_rank()), n) == n - 1 &&
         mean == 4.5f && top == static_cast<float>(n) && all == 360.0f &&
         least == 3.0f;
}

template <class Tile>
TESSERA_FN bool scans(Tile const& tile, unsigned length, unsigned offset) {
  bool const keep = length > 2;
  bool right = true;
  // [tessera/scan.hpp]
  unsigned const before =
      tessera::exclusive_scan(tile, length);  // the lengths of the lanes before
  auto const [place, all] =
      tessera::exclusive_scan(tile, keep, plus{}, with_total);  // keep: bool
  unsigned const rest =
      tessera::exclusive_scan(tile, length, plus{}, suffix);  // of the lanes after
  // [end]
  right = right && before == length * (length - 1) / 2 &&
          place == (keep ? length - 3 : 0) && all == 6;
  right = right && rest == 36 - length * (length + 1) / 2;
  {
    unsigned const end = tessera::inclusive_scan(tile, length);
    right = right && end == length * (length + 1) / 2;
  }
  {
    unsigned const end = tessera::inclusive_scan(tile, length, plus{}, offset);
    right = right && end == offset + length * (length + 1) / 2;
  }
  // [tessera/core/scanned.hpp]
  auto const [value, total] =
      tessera::inclusive_scan(tile, length, plus{}, with_total);
  scanned<unsigned> const kept =
      tessera::exclusive_scan(tile, keep, plus{}, with_total);
  // [end]
  return right && value == length * (length + 1) / 2 && total == 36 &&
         kept.total == 6;
}

/// Of items, and of several reductions at once.
template <class Tile>
TESSERA_FN bool batches(Tile const& tile, float x) {
  float row[32];
  for (unsigned i = 0; i < 32; ++i) row[i] = x * static_cast<float>(i);
  // [tessera/reduce_batch.hpp]
  auto const columns = tessera::reduce_batch(
      tile, tessera::as_items(row));  // float row[32]: 32 sums
  auto const [sum, squares] =
      tessera::reduce_batch(tile, tessera::items<float, 2>{x, x * x}).item;
  // [end]
  return columns[3] == 36.0f * 3 && sum == 36.0f && squares == 204.0f;
}

/// The same by a whole warp, in which lane i gets the sum of column i.
template <class Tile>
TESSERA_FN bool scattered_batch(Tile const& tile, float (&row)[32]) {
  float const column =
      tessera::reduce_batch(tile, tessera::as_items(row), plus{}, scattered);
  return column == 32 * static_cast<float>(tile.thread_rank());
}

template <class Tile>
TESSERA_FN bool of_items(Tile const& tile, float const* in) {
  // [tessera/core/items.hpp]
  float x[4];
  for (unsigned i = 0; i < 4; ++i) x[i] = in[4 * tile.thread_rank() + i];
  items<float, 4> const mine = as_items(x);  // or items<float, 4> mine{a, b, c, d}
  float const sum = tessera::reduce(tile, mine);
  static_assert(is_items_v<items<float, 4>> && !is_items_v<float>);
  // [end]
  return sum == 496.0f &&
         mine[3] == 4.0f * static_cast<float>(tile.thread_rank()) + 3;
}

template <class Tile>
TESSERA_FN bool votes(Tile const& tile, float x, unsigned* next) {
  // [tessera/vote.hpp]
  auto const large = ballot(tile, x > 5);  // the set of lanes
  bool const some = any_of(tile, x > 100), every = all_of(tile, x > 0),
             no = none_of(tile, x < 0);
  unsigned const how_many = count_if(tile, x > 5);
  if (elect(tile)) atomic_update(next, 1u);
  // [end]
  bool right = large.count() == 3 && !some && every && no && how_many == 3;
  // [tessera/core/lane_mask.hpp]
  auto const set = ballot(tile, x > 5);  // lanes 5, 6 and 7
  unsigned const leader = set.first();
  unsigned const mine =
      set.rank_of(tile.thread_rank());  // how many of the set come before this lane
  unsigned sum = 0;
  for (unsigned lane : set) sum += lane;
  bool const same = (set & ~lane_mask<8>::prefix(6)) ==
                    (lane_mask<8>::only(6) | lane_mask<8>::only(7));
  auto const begin = set.begin();
  // [end]
  right = right && leader == 5 && sum == 18 && same && *begin == 5;
  return right && mine == (tile.thread_rank() > 5 ? tile.thread_rank() - 5 : 0);
}

/// Only the GPU has atomicAdd.
template <class Tile>
TESSERA_FN unsigned reserve([[maybe_unused]] Tile const& tile,
                            [[maybe_unused]] unsigned* next) {
#if TESSERA_ARCH
  unsigned const start =
      tessera::invoke_one(tile, [&] { return atomicAdd(next, tile.size()); });
  return start % 8;
#else
  return 0;
#endif
}

template <class Tile>
TESSERA_FN bool movement(Tile const& tile, int x) {
  int const rank = static_cast<int>(tile.thread_rank());
  // [tessera/lanes.hpp]
  int const opposite = shuffle(tile, x, 7 - tile.thread_rank());
  int const of_first = broadcast(tile, x);
  int const before = shift_up(tile, x, 1, 0);  // 0 in lane 0
  int const after = shift_down(tile, x, 1, 0);
  int const next = rotate(tile, x, 1), mirrored = reverse(tile, x),
            partner = butterfly(tile, x, 1);
  auto const swapped = exchange_items(tile, items<int, 2>{x, -x}, 1, 0, 1);
  // [end]
  bool const right = opposite == 8 - rank && of_first == 1 && before == rank &&
                     after == (rank + 2) % 9;
  return right && next == (rank + 1) % 8 + 1 && mirrored == opposite &&
         partner == (rank ^ 1) + 1 &&
         swapped[rank % 2] == (rank % 2 ? partner : -partner);
}

template <class Tile>
TESSERA_FN bool orders(Tile const& tile) {
  unsigned const rank = tile.thread_rank();
  // [tessera/transpose.hpp]
  items<unsigned, 2> const striped{rank,
                                   8 + rank};  // as lanes load neighbors in memory
  auto const blocked =
      striped_to_blocked(tile, striped);  // {2 * rank, 2 * rank + 1}
  auto const again = blocked_to_striped(tile, blocked);
  auto const columns = transpose(
      tile, items<unsigned, 8>{rank, rank, rank, rank, rank, rank, rank, rank});
  // [end]
  return blocked[0] == 2 * rank && blocked[1] == 2 * rank + 1 &&
         again[1] == 8 + rank && columns[3] == 3;
}

template <class Tile>
TESSERA_FN bool matches(Tile const& tile, int x) {
  int const key = x % 3;
  // [tessera/match.hpp]
  auto const same = match_any(tile, key);  // the lanes with this lane's key
  auto const group =
      peers(tile, key);  // the same, with the lane's rank in it and its leader
  int const sum = reduce_by_label(tile, key, x);  // of the lanes with this key
  bool const one_key = match_all(tile, key);
  peer_group<8> const copy = group;
  // [end]
  int const expected[] = {9, 12, 15};
  return same.test(tile.thread_rank()) && copy.mask == same &&
         group.leader == same.first() && sum == expected[key] && !one_key;
}

template <class Tile>
TESSERA_FN bool partitions(Tile const& tile, int x) {
  int const key = x % 3;
  int most = 0;
  // [tessera/coalesced_group.hpp]
  auto const side = tessera::binary_partition(tile, x > 4);  // two groups
  if (x > 4) most = tessera::reduce(side, x);  // of the lanes in this branch
  auto const row = tessera::labeled_partition(tile, key);  // one for each key
  int const place = tessera::exclusive_scan(row, x);
  // [end]
  int const expected[] = {0, 0, 0, 1, 2, 3, 5, 7};
  return most == (x > 4 ? 26 : 0) && place == expected[x - 1] && side.size() == 4;
}

template <class Tile>
TESSERA_FN bool segments(Tile const& tile, float x) {
  int const row = static_cast<int>(tile.thread_rank()) / 3;
  bool const is_last = row != (static_cast<int>(tile.thread_rank()) + 1) / 3;
  // [tessera/segmented.hpp]
  float const sum =
      tessera::segmented_inclusive_scan(tile, x, tessera::by_key(row));
  float const before = segmented_exclusive_scan(tile, x, by_key(row));
  float const of_row =
      segmented_reduce(tile, x, by_key(row));  // in each of the row's lanes
  // [end]
  // [tessera/core/segments.hpp]
  bool const is_first =
      adjacent_difference(tile, row) != 0 || tile.thread_rank() == 0;
  float const by_first =
      segmented_reduce(tile, x, by_head(is_first));  // a bool alone means the same
  float const by_last = segmented_reduce(tile, x, by_tail(is_last));
  // [end]
  float const sums[] = {6, 15, 15};
  return sum == before + x && of_row == sums[row] && by_first == of_row &&
         by_last == of_row;
}

struct by_greater {
  TESSERA_FN bool operator()(float a, float b) const { return a > b; }
};

template <class Tile>
TESSERA_FN bool neighbors(Tile const& tile, float value, unsigned n) {
  auto const differ = [](int a, int b) { return a == b ? 0 : 1; };
  unsigned const end = tessera::inclusive_scan(tile, 2 * tile.thread_rank() + 1);
  int const key = static_cast<int>(tile.thread_rank()) / 4;
  items<float, 4> const keys{value, value, value + 0.5f, value + 0.5f};
  float const x = -value;
  // [tessera/adjacent_difference.hpp]
  unsigned const length = tessera::adjacent_difference(
      tile, end);  // undoes inclusive_scan(tile, length)
  bool const starts = tessera::adjacent_difference(tile, key, differ) != 0;
  float const step =
      adjacent_difference(tile, value, minus{});  // value − the predecessor's
  // [end]
  // [tessera/is_sorted.hpp]
  bool const done =
      tessera::is_sorted(tile, keys);  // items<float, 4> keys, by less{}
  bool const falling = tessera::is_sorted(tile, x, by_greater{}, tessera::first(n));
  // [end]
  // [tessera/core/comparators.hpp]
  bool const rising = is_sorted(tile, value, less{});  // NaN would come last
  // [end]
  bool const has_start = key == 1 && tile.thread_rank() == 4;
  return length == 2 * tile.thread_rank() + 1 && (starts || !has_start) &&
         step == 1.0f && done && falling && rising;
}

/// x is 1 … 8, and score falls from 16 by twos. Rows are of three lanes.
template <class Tile>
TESSERA_FN bool segmented_sorts(Tile const& tile, float x) {
  float const score = 18 - 2 * x;
  int const rank = static_cast<int>(tile.thread_rank()), row = rank / 3;
  // [tessera/segmented_sort.hpp]
  float const ranked = tessera::segmented_sort(tile, score, tessera::by_key(row),
                                               tessera::greater{});
  float const rising = segmented_sort(tile, score, by_head(rank % 3 == 0));
  // [end]
  int const first = 3 * row, last = first < 6 ? first + 2 : 7;
  return ranked == score &&
         rising == static_cast<float>(16 - 2 * (first + last - rank));
}

/// x is 1 … 8, and score falls from 16 by twos.
template <class Tile>
TESSERA_FN bool sorts(Tile const& tile, float x, unsigned n) {
  float const score = 18 - 2 * x;
  unsigned const rank = tile.thread_rank(), segment = rank % 2;
  bool right = true;
  {
    // [tessera/sort.hpp]
    float const ranked = tessera::sort(tile, score);
    auto const [key, index] =
        tessera::sort_by_key(tile, score, tile.thread_rank(), tessera::greater{});
    float const by_class =
        stable_sort(tile, score, [](float a, float b) { return a / 8 < b / 8; });
    auto const pairs =
        stable_sort_by_key(tile, score, x);  // pairs.keys, pairs.values

    // Segments side by side, and the scores in order in each of them.
    using key_t = zipped<unsigned, float>;
    auto const by_segment = [](key_t const& a, key_t const& b) {
      return get<0>(a) != get<0>(b) ? get<0>(a) < get<0>(b) : get<1>(a) < get<1>(b);
    };
    auto const segments =
        sort_by_key(tile, as_zipped(segment, score), x, by_segment);
    // [end]
    float const of_segment = rank < 4 ? 7 - 2 * static_cast<float>(rank)
                                      : 16 - 2 * static_cast<float>(rank);
    right =
        right && get<0>(segments.keys) == rank / 4 && segments.values == of_segment;
    right = right && ranked == 2 * x && key == score && index == rank &&
            by_class == ranked && pairs.keys == ranked && pairs.values == 9 - x;
  }
  tessera::items<float, 2> const items{x, -x};
  auto const row = tessera::sort(tile, items, tessera::greater{},
                                 tessera::first(n));  // the first n values
  right =
      right && (rank != 0 || (row[0] == 3 && row[1] == 2));  // of 1, −1, 2, −2, 3
  float const decay = 2, start = 1;
  {
    // [tessera/operators/affine.hpp]
    affine_map<float> const steps =
        tessera::reduce(tile, as_affine(0.5f, x), affine{});
    float const last = steps(start);  // start, halved and x added in each lane
    // [end]
    right = right && steps.a == 1.0f / 256 && last > 14.0f && last < 14.02f;
  }
  float const h = tessera::inclusive_scan(tile, tessera::as_affine(decay, x),
                                          tessera::affine{})(start);
  return right && (rank != 1 || h == 8);  // 2 · (2 · 1 + 1) + 2
}

/// x is 1 … 8.
template <class Tile>
TESSERA_FN bool selections(Tile const& tile, float x) {
  int const expert = static_cast<int>(tile.thread_rank());
  float const score = x;
  bool right = true;
  {
    // [tessera/top_k.hpp]
    items<float, 3> const greatest = top_k<3>(tile, x);  // in every lane
    indexed<float> const most =
        top_k<1>(tile, with_index(x, expert))[0];  // most.value, most.index
    float const third = nth_element(tile, x, 2u);  // two values come before it
    // [end]
    right = right && greatest[0] == 8 && greatest[2] == 6 && most.index == 7 &&
            third == 3;
  }
  auto const best = tessera::top_k<2>(tile, tessera::with_index(score, expert));
  right = right && best[0].index == 7 && best[1].index == 6;
  items<float, 2> const items{x, -x};
  float const mine =
      tessera::top_k<8>(tile, items, tessera::less{}, tessera::scattered);
  float const median = tessera::nth_element(tile, x, tile.size() / 2);
  return right && mine == x - 9 && median == 5;
}

/// x is 1 … 8, and m.floats are written by all lanes.
template <class Tile>
TESSERA_FN bool parts(Tile const& tile, float x, memory& m) {
  float const pivot = 3;
  float *const left = m.floats, *const right = m.floats + 8;
  auto const [position, count] = tessera::partition(tile, x < pivot);
  if (x < pivot)
    left[position] = x;
  else
    right[position - count] = x;
  tile.sync();
  bool const good = left[1] == 2 && right[5] == 8;
  tile.sync();
  return good;
}
template <class Tile>
TESSERA_FN bool scatters(Tile const& tile, float const value) {
  unsigned const own_rank = tile.thread_rank(), digits = own_rank % 4;
  bool const keep = value > 4;
  float x = value;
  x = tessera::scatter(tile, x, tessera::partition(tile, keep).position);
  bool const good = x == (own_rank < 4 ? value + 4 : value - 4);
  x = value;
  x = tessera::scatter(tile, x, tessera::radix_rank<4>(tile, digits).rank);
  return good && x == static_cast<float>(own_rank / 2 + own_rank % 2 * 4 + 1);
}
template <class Tile>
TESSERA_FN bool rearrangements(Tile const& tile, float x, memory& m) {
  unsigned const key = 0x100u * (tile.thread_rank() % 2) + 7,
                 own_rank = tile.thread_rank();
  bool right = parts(tile, x, m) && scatters(tile, x);
  {
    // [tessera/partition.hpp]
    auto const odd =
        partition(tile, static_cast<int>(x) % 2 == 1);  // odd.position, odd.count
    float const odd_first = scatter(tile, x, odd.position);  // 1 3 5 7 2 4 6 8
    // [end]
    right = right && odd.count == 4 &&
            odd_first == (own_rank < 4 ? 2 * x - 1 : 2 * (x - 4));
  }
  {
    // [tessera/radix.hpp]
    auto const by_parity =
        radix_rank<1>(tile, own_rank);  // by_parity.rank, .begin, .count
    unsigned const evens_first =
        scatter(tile, own_rank, by_parity.rank);  // 0 2 4 6 1 3 5 7
    // [end]
    right =
        right && evens_first == (own_rank < 4 ? 2 * own_rank : 2 * own_rank - 7);
  }
  auto const [rank, begin, count] = tessera::radix_rank<4>(tile, key >> 8);
  items<unsigned, 2> const of_bins{begin[0], count[0]};
  unsigned const begins = own_rank == 0 ? 0u : own_rank == 1 ? 4u : 8u;
  return right && rank == own_rank / 2 + own_rank % 2 * 4 && of_bins[0] == begins &&
         of_bins[1] == (own_rank < 2 ? 4u : 0u);
}

/// Keys 0 0 1 1 1 2 2 2 of a tile of 8 lanes.
template <class Tile>
TESSERA_FN bool runs(Tile const& tile, memory& m) {
  unsigned const rank = tile.thread_rank();
  int const key = rank < 2 ? 0 : rank < 5 ? 1 : 2;
  bool right = true;
  {
    // [tessera/runs.hpp]
    auto const first_of_run =
        unique(tile, key);  // first_of_run.keep, .position, .count
    auto const coded =
        run_length_encode(tile, key);  // coded.value, .length, .count
    auto const again =
        run_length_decode(tile, coded.value, coded.length);  // again.value is key
    // [end]
    right = right && first_of_run.count == 3 && coded.count == 3 &&
            again.value == key && again.total == 8;
  }
  int* const out = m.ints + 32;
  tile.sync();
  {
    auto const [keep, position, count] = tessera::unique(tile, key);
    if (keep) out[position] = key;
    right = right && count == 3;
  }
  tile.sync();
  right = right && out[0] == 0 && out[1] == 1 && out[2] == 2;
  tile.sync();
  auto const append = [&](int value, unsigned length) {
    out[value] = static_cast<int>(length);
  };
  {
    auto const [value, length, count] = tessera::run_length_encode(tile, key);
    if (tile.thread_rank() < count) append(value, length);
  }
  tile.sync();
  right = right && out[0] == 2 && out[1] == 3 && out[2] == 3;
  tile.sync();
  unsigned const from = 4, run_length = 4 + rank;
  int const run_value = static_cast<int>(rank);
  auto const [value, offset, total] =
      tessera::run_length_decode<4>(tile, run_value, run_length, from);
  return right && total == 60 && (rank != 0 || (value[0] == 1 && offset[3] == 3));
}

/// A stream of 100 scores for a tile of 32 lanes: 0, 7, 14, … modulo 100.
template <class Tile>
TESSERA_FN bool streams(Tile const& tile) {
  float score[100];
  for (int i = 0; i < 100; ++i) score[i] = static_cast<float>(i * 7 % 100);
  int const n = 96, rank = static_cast<int>(tile.thread_rank());
  bool right = true;
  {
    // [tessera/top_k_queue.hpp]
    tessera::top_k_queue<2, float> two;  // the two greatest
    for (int i = rank; i < 128; i += 32)
      two.push(tile, i < n ? score[i] : 0, where(i < n));
    items<float, 2> const greatest = two.best(tile);
    // [end]
    right = right && greatest[0] >= greatest[1] && greatest[1] > 95;
  }
  tessera::top_k_queue<32, float> queue;
  for (int from = 0; from < n; from += 32) {
    int const i = from + rank;
    queue.push(tile, i < n ? score[i] : 0, tessera::where(i < n));
  }
  float const mine = queue.best(tile, tessera::scattered);
  int before = 0;
  for (int i = 0; i < n; ++i) before += score[i] > mine ? 1 : 0;
  return right && before == rank;
}

/// Of 8 lanes.
template <class Tile>
TESSERA_FN bool merges(Tile const& tile) {
  int const rank = static_cast<int>(tile.thread_rank());
  int const a = 2 * rank, b = 2 * rank + 1, na = 3, nb = 1;
  items<int, 2> const keys_a{4 * rank, 4 * rank + 1},
      keys_b{4 * rank + 2, 4 * rank + 3};
  items<int, 2> const index_a = keys_a, index_b = keys_b;
  // [tessera/merge.hpp]
  auto const both = tessera::merge(tile, a, b);  // 2 · N values: items<T, 2> a lane
  auto const part = tessera::merge(tile, a, na, b,
                                   nb);  // the first na of a, and the first nb of b
  // [end]
  bool right = both[0] == a && both[1] == b;
  right = right && (rank != 0 || (part[0] == 0 && part[1] == 1)) &&
          (rank != 1 || part[1] == 4);
  {
    auto const [key, index] =
        tessera::merge_by_key(tile, keys_a, index_a, keys_b, index_b);
    for (unsigned i = 0; i < 4; ++i)
      right =
          right && key[i] == 4 * rank + static_cast<int>(i) && index[i] == key[i];
  }
  auto const first_keys =
      tessera::merge_by_key(tile, keys_a, index_a, na, keys_b, index_b, nb);
  return right &&
         (rank != 0 || (first_keys.keys[3] == 4 && first_keys.values[2] == 2));
}

/// The floats are 0 … 31, of 8 lanes.
template <class Tile>
TESSERA_FN bool loads(Tile const& tile, float const* row, memory& m) {
  unsigned const rank = tile.thread_rank();
  int const n = 30;
  float* const out = m.floats;
  bool right = true;
  {
    // [tessera/load_store.hpp]
    tessera::items<float, 4> const x = tessera::load<4>(tile, row, n);
    auto const y = tessera::load<4>(tile, row, n, tessera::striped);
    auto const z = tessera::load<4>(tile, row, n, 1.0f);
    tessera::store(tile, x, out, n);
    // [end]
    right = x[1] == static_cast<float>(4 * rank + 1) && (rank != 7 || x[2] == 0);
    right = right && y[3] == (rank < 6 ? static_cast<float>(24 + rank) : 0.0f) &&
            (rank != 7 || z[3] == 1);
  }
  tile.sync();
  right = right && out[29 - rank] == static_cast<float>(29 - rank);
  tile.sync();
  float const *const a = row, *const b = row;
  int const na = 5, nb = 7;
  // [tessera/joint_merge.hpp]
  tessera::joint_merge(tile, a, na, b, nb, out);
  // [end]
  tile.sync();
  right = right && out[3] == 1 && out[11] == 6;
  tile.sync();
  return right;
}

template <class Tile>
TESSERA_FN bool sorts_of_ranges(Tile const& tile, float const* from, memory& m) {
  int const n = 15;
  float *const row = m.floats, *const buffer = m.floats + 16;
  for (int i = static_cast<int>(tile.thread_rank()); i < n; i += 8)
    row[i] = from[n - 1 - i];
  tile.sync();
  // [tessera/joint_sort.hpp]
  tessera::joint_sort(tile, row, n, buffer);
  tile.sync();  // now every lane sees the sorted row
  // [end]
  bool const right =
      row[tile.thread_rank()] == static_cast<float>(tile.thread_rank()) &&
      row[14] == 14;
  tile.sync();
  joint_stable_sort(tile, row, n, buffer, greater{});
  tile.sync();
  return right && row[0] == 14;
}

/// The floats are 0 … 31.
template <class Tile>
TESSERA_FN bool searches(Tile const& tile, float const* sorted, int const* falling,
                         int n) {
  bool right = true;
  {
    // [tessera/search.hpp]
    int const at = tessera::lower_bound(tile, sorted, n,
                                        4.5f);  // the first element that isn't less
    bool const is_there = tessera::binary_search(tile, sorted, n, 7.0f);
    auto const [begin, end] = equal_range(tile, falling, n, -3, greater{});
    float const key = static_cast<float>(tile.thread_rank());
    int const own = upper_bound(sorted, n, key);  // without `tile`: a key a lane
    bool const has_own = binary_search(sorted, n, key);
    auto const equal_to_own = equal_range(sorted, n, key);
    int const of_first =
        merge_path(sorted, n, sorted, n, 10);  // of the 10 least of both ranges
    int const found = find_if(tile, falling, n, [](int x) { return x < -8; });
    int const missing = find_first(tile, sorted, n, 0.5f);  // n: there is none
    // [end]
    right = at == 5 && is_there && begin == 3 && end == 4 &&
            own == static_cast<int>(tile.thread_rank()) + 1 && has_own &&
            equal_to_own.begin == own - 1 && equal_to_own.end == own &&
            of_first == 5 && found == 9 && missing == n;
  }
  {
    // [tessera/joint_top_k.hpp]
    items<float, 3> const greatest =
        joint_top_k<3>(tile, sorted, n);  // in every lane
    // [end]
    right = right && greatest[0] == 31 && greatest[2] == 29;
  }
  float const* const of_row = sorted;
  {
    float const* const row = of_row;
    int const columns = n;
    auto const best = tessera::joint_top_k<8>(tile, row, columns);
    right = right && best[7] == 24;
  }
  {
    float const* const row = of_row;
    auto const best = tessera::joint_transform_top_k<8>(
        tile, row, n, tessera::greater{},
        [](float x, int i) { return tessera::with_index(x, i); });
    right = right && best[0].index == 31 && best[7].index == 24;
  }
  float const* const offsets = sorted;
  int const rows = n - 1;
  float const item = 6.5f;
  int const row = tessera::upper_bound(tile, offsets, rows + 1, item) - 1;
  return right && row == 6;
}

template <class Tile>
TESSERA_FN bool compactions(Tile const& tile, float x, float limit, memory& m) {
  float* const out = m.floats;
  int& counter = m.ints[0];
  unsigned end = 0;
  {
    end += tessera::compact(tile, x, x > limit, out + end);
    end += tessera::compact(tile, x, x > limit, out + end);
  }
  tile.sync();
  bool right = end == 6 && out[0] == 6 && out[5] == 8;
  tile.sync();
  // [tessera/compact.hpp]
  unsigned const kept = compact(tile, x, x > limit, out);  // out[0] … out[kept − 1]
  appended<int> const range =
      compact(tile, x, x > limit, out + 8, &counter);  // one atomic a tile
  // [end]
  right = right && kept == 3 && range.begin == 0 && range.count == 3;
  auto const [begin, count] = tessera::compact(tile, x, x > limit, out, &counter);
  return right && begin == 3 && count == 3;
}

template <class Tile>
TESSERA_FN bool histograms(Tile const& tile, int digit, memory& m) {
  int* const sums = m.ints + 8;
  int const group = digit % 2, value = 10;
  // [tessera/histogram.hpp]
  auto const counts =
      tessera::histogram<8>(tile, digit);  // counts[3]: how many lanes have digit 3
  tessera::aggregated_add(tile, sums, group, value);
  aggregated_add(tile, sums + 2, group);  // adds 1
  // [end]
  tile.sync();
  return counts[3] == 1 && sums[0] == 40 && sums[1] == 40 && sums[3] == 4;
}

template <class Tile>
TESSERA_FN bool atomics(Tile const& tile, int x, memory& m) {
  int& head = m.ints[16];
  int& slot = m.ints[17];
  int* const cell = m.ints + 18;
  int const node = x, empty = 0, key = x;
  // [tessera/atomic.hpp]
  atomic_update(cell, x);  // cell += x, by each lane
  atomic_max(cell + 1, x);
  atomic_min(cell + 2, -x);
  atomic_reduce(tile, cell + 3, x);  // one atomic for the whole tile
  int const next = tessera::atomic_exchange(&head, node);
  bool const mine = tessera::atomic_compare_exchange(&slot, empty, key) == empty;
  // [end]
  unsigned const winners = count_if(tile, mine);
  tile.sync();
  return cell[0] == 36 && cell[1] == 8 && cell[2] == -8 && cell[3] == 36 &&
         next != node && winners == 1;
}

/// A range in memory, walked by the tile.
template <class Tile>
TESSERA_FN bool ranges(Tile const& tile, float const* row, int const* values, int n,
                       memory& m) {
  int const columns = n;
  bool right = true;
  // [tessera/joint_reduce.hpp]
  float const sum = tessera::joint_reduce(tile, row, columns);
  int const least = tessera::joint_reduce(tile, values, n, tessera::minimum{},
                                          tessera::to_leader);
  double const total = tessera::joint_reduce(tile, values, n, tessera::plus{}, 0.0);
  auto const best = tessera::joint_transform_reduce(
      tile, row, n, tessera::argmax{},
      [](float x, int i) { return tessera::with_index(x, i); });
  bool const any = joint_any_of(tile, row, n, [](float x) { return x > 30; });
  bool const all = joint_all_of(tile, row, n, [](float x) { return x >= 0; });
  bool const none = joint_none_of(tile, row, n, [](float x) { return x < 0; });
  // [end]
  right = right && sum == 496.0f && total == -496 &&
          (least == -31 || tile.thread_rank() != 0) && best.index == 31;
  right = right && any && all && none;
  int* const out = m.ints + 32;
  // [tessera/joint_scan.hpp, tessera/joint.hpp]
  joint_exclusive_scan(tile, values, n,
                       out);  // out[i] = values[0] + … + values[i − 1]
  tile.sync();
  int const last = out[n - 1];
  // [end]
  right = right && last == -465;
  tile.sync();
  return right;
}

/// The scan of a piece of a sequence, and what the next piece starts with.
template <class Tile>
TESSERA_FN int carry_through(Tile const& tile, int const* piece, int n, int* out,
                             int carry) {
  tessera::plus const op;
  carry = op(carry, tessera::joint_inclusive_scan(tile, piece, n, out, op, carry,
                                                  tessera::with_total));
  return carry;
}

/// Scans of a range in memory.
template <class Tile>
TESSERA_FN bool scans_of_ranges(Tile const& tile, int const* in, int n,
                                unsigned char const* lengths, memory& m) {
  int* const out = m.ints + 32;
  int const all = tessera::joint_inclusive_scan(
      tile, in, n, out, tessera::maximum{}, tessera::with_total);
  bool right = all == 0;
  tile.sync();
  unsigned* const ends = reinterpret_cast<unsigned*>(out);
  tessera::joint_transform_inclusive_scan(
      tile, lengths, n, ends, tessera::plus{},
      [](unsigned char length) { return 4u + length; });
  tile.sync();
  right = right && ends[2] == 12 + 3 && ends[31] == 4 * 32 + 496;
  tile.sync();
  joint_transform_exclusive_scan(tile, lengths, n, ends, plus{},
                                 [](unsigned char one) { return 1u + one; });
  tile.sync();
  right = right && ends[2] == 3;
  tile.sync();
  int* const row = out;
  for (int i = static_cast<int>(tile.thread_rank()); i < n; i += 8) row[i] = 1;
  tile.sync();
  tessera::joint_inclusive_scan(tile, row, n, row);  // in place
  tile.sync();
  right = right && row[31] == 32;
  int* const rest = out;
  tile.sync();
  tessera::joint_inclusive_scan(tile, in, n, rest, tessera::plus{},
                                tessera::suffix);  // rest[0]: the sum of all
  tile.sync();
  right = right && rest[0] == -496 && rest[31] == in[31];
  tile.sync();
  int carry = 7;
  for (int from = 0; from < n; from += 8)
    carry = carry_through(tile, in + from, 8, out, carry);
  return right && carry == 7 - 496;
}

/// The operators, each by one reduction.
template <class Tile>
TESSERA_FN bool operators(Tile const& tile, float x, int i) {
  float const y = -x, score = x, value = 2 * x;
  bool right = true;
  // [tessera/operators.hpp, tessera/operators/basic.hpp]
  float const product = tessera::reduce(tile, x, multiplies{});
  float const top = tessera::reduce(tile, x, maximum{}),
              number = tessera::reduce(tile, x, maximum_number{});
  float const low = tessera::reduce(tile, x, minimum{}),
              some = tessera::reduce(tile, x, minimum_number{});
  int const bits =
      tessera::reduce(tile, i, bit_or{}) ^ tessera::reduce(tile, i, bit_and{});
  bool const both = tessera::reduce(tile, x > 0, logical_and{}),
             one = tessera::reduce(tile, x > 7, logical_or{});
  indexed<float> const worst = tessera::reduce(
      tile, with_index(x, i), argmin{});  // worst.value, worst.index
  min_max<float> const ends =
      tessera::reduce(tile, as_min_max(x), minmax{});  // ends.min, ends.max
  auto const seven =
      make_operator([](int a, int b) { return a * b % 7; }, 1, commutative);
  int const modulo = tessera::reduce(tile, i + 1, seven);
  // [end]
  right = right && product == 40320.0f && top == 8 && number == 8 && low == 1 &&
          some == 1 && bits == 7;
  right = right && both && one && worst.index == 0 && ends.min == 1 &&
          ends.max == 8 && modulo == 0;
  {
    // [tessera/operators/zip.hpp]
    auto const [sum, best] =
        tessera::reduce(tile, as_zipped(x, y), zip(plus{}, maximum{}));
    zipped<float, float> const pair = as_zipped(x, y);
    float const first_of_pair = get<0>(pair);
    // [end]
    right = right && sum == 36 && best == -1 && first_of_pair == x;
  }
  {
    auto [sum, best] =
        tessera::reduce(tile, as_zipped(x, y), zip(plus{}, maximum{}));
    right = right && sum == 36 && best == -1;
  }
  {
    // [tessera/operators/welford.hpp]
    moments<float> const spread = tessera::reduce(tile, as_moments(x), welford{});
    float const mean = spread.mean, variance = spread.variance();
    // [end]
    right = right && mean == 4.5f && variance == 5.25f;
  }
  {
    // [tessera/operators/log_sum_exp.hpp]
    auto const row = tessera::reduce(tile, as_exp_sum(x), log_sum_exp{});
    float const softmax = row.share(x);
    // [end]
    right = right && tessera::reduce(tile, softmax) > 0.99999f && softmax < 1;
  }
  {
    auto const row = tessera::reduce(tile, as_exp_sum(score, value), log_sum_exp{});
    float const mean = row.mean();
    right = right && mean > 14 && mean < 16;
  }
  // [tessera/operators/selection.hpp]
  auto const least = tessera::reduce(tile, as_smallest<4>(x),
                                     smallest{});  // least[0] ≤ least[1] ≤ …
  selection<float, 2> const two =
      tessera::reduce(tile, as_largest<2>(x), largest{});
  // [end]
  return right && least[0] == 1 && least[3] == 4 && two[0] == 8 && two[1] == 7;
}

// [tessera/core/operator_traits.hpp]
/// The greatest common divisor: associative, and 0 is its identity.
struct greatest_divisor {
  TESSERA_FN unsigned operator()(unsigned a, unsigned b) const {
    while (b != 0) {
      unsigned const rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
};
// [end]

}  // namespace reference

// [tessera/core/operator_traits.hpp]
template <>
struct tessera::operator_traits<reference::greatest_divisor, unsigned> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = true;
  template <class Op>
  TESSERA_FN static unsigned identity(Op const&) {
    return 0;
  }
};
// [end]

namespace reference {

// [tessera/core/exchangeable.hpp]
/// A type that isn't trivially copyable, although its value is its bytes.
struct color {
  unsigned rgba;
  TESSERA_FN color(unsigned from = 0) : rgba(from) {}
  TESSERA_FN color(color const& from) : rgba(from.rgba) {}
  color& operator=(color const&) = default;
};
// [end]

}  // namespace reference

// [tessera/core/exchangeable.hpp]
template <>
struct tessera::is_exchangeable<reference::color> : tessera::stl::true_type {};
static_assert(tessera::is_exchangeable_v<reference::color>);
// [end]

namespace reference {

template <class Tile>
TESSERA_FN bool traits(Tile const& tile, unsigned x) {
  unsigned const divisor =
      tessera::reduce(tile, 6 * x, greatest_divisor{}, where(x > 1));
  return divisor == 6;
}

/// Policies and what a tile is.
template <class Tile>
TESSERA_FN bool policies(Tile const& tile, float x) {
  // [tessera/core/policy.hpp]
  float const sum =
      tessera::reduce(tile, x, plus{}, converged | first(5));  // of lanes 0 … 4
  float const to_one =
      tessera::reduce(tile, x, plus{}, isolated | to_leader | where(x > 5));
  auto const [after, total] =
      tessera::exclusive_scan(tile, x, plus{}, suffix | with_total);
  constexpr auto usual =
      adaptive | to_all | everyone | automatic;  // the defaults, as an object
  float const again = tessera::reduce(tile, x, plus{}, usual);
  float const shuffled = tessera::reduce(tile, x, plus{}, shuffles);
  static_assert(is_policy_v<policy<>>);
  // [end]
  float const rank = static_cast<float>(tile.thread_rank());
  return sum == 15 && (to_one == 21 || rank > 0) && after == 36 - x * (x + 1) / 2 &&
         total == 36 && again == shuffled;
}

// [tessera/core/tile.hpp]
/// Takes every tile: of cooperative_groups, this_block_tile, and those of the host.
template <class Tile>
TESSERA_FN unsigned halves(Tile const& tile) {
  static_assert(is_tile_v<Tile>, "halves(tile): the first argument is a tile.");
  auto const half = tessera::tiled_partition<tile_size_v<Tile> / 2>(tile);
  return tessera::reduce(half, half.thread_rank());
}
// [end]

struct block_kernel {
  template <class Block>
  TESSERA_FN int operator()(Block const& block) const {
    unsigned const x = block.thread_rank();
    int const n = 100;
    // [tessera/block_tile.hpp]
    auto const tile =
        tessera::this_block_tile<256>(block);  // a block of 256 threads
    unsigned const sum = tessera::reduce(tile, x);
    auto const any =
        tessera::padded_block_tile<1024>(block);  // a block of any size up to 1024
    unsigned const some = tessera::reduce(any, x, plus{}, first(n));
    // [end]
    return sum == 255 * 128 && some == 99 * 50;
  }
};

/// The lines of block_tile.hpp's head.
struct padded_kernel {
  template <class Block>
  TESSERA_FN int operator()(Block const& block) const {
    float const x = 1;
    int const n = 100;
    auto tile = tessera::padded_block_tile<1024>(block);
    float sum = tessera::reduce(tile, x);
    float part = tessera::reduce(tile, x, tessera::plus{}, tessera::first(n));
    float all = tessera::reduce(block, x);
    return sum == 1000 && part == 100 && all == 1000;
  }
};
struct whole_kernel {
  template <class Block>
  TESSERA_FN int operator()(Block const& block) const {
    auto tile = tessera::this_block_tile<256>(block);
    return tessera::any_of(tile, true);
  }
};

// [tessera/core/config.hpp]
/// A collective of one's own hands on where it was called, so that reports name the caller's line.
template <class Tile>
TESSERA_FN float norm(Tile const& tile, float x,
                      call_site site = call_site::here()) {
  float const sum = tessera::reduce(tile, x * x, plus{}, policy<>{}, site);
  return sum > 0 ? x * x / sum : 0;
}
// [end]

}  // namespace reference

namespace {

using namespace test;

struct Reference : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

struct kernel {
  reference::memory* memories;
  float const* floats;
  int const* ints;
  unsigned char const* bytes;
  unsigned* next;

  /// A bit for each example that is wrong.
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned lane) const {
    float const x = static_cast<float>(tile.thread_rank() + 1);
    int const i = static_cast<int>(tile.thread_rank());
    reference::memory& m = memories[lane / 8];
    bool const right[] = {
        reference::reductions(tile, x, 5),
        reference::scans(tile, tile.thread_rank() + 1, 100u),
        reference::batches(tile, x),
        reference::of_items(tile, floats),
        reference::votes(tile, x, next),
        reference::reserve(tile, next + 1) == 0,
        reference::movement(tile, i + 1),
        reference::orders(tile),
        reference::matches(tile, i + 1),
        reference::partitions(tile, i + 1),
        reference::segments(tile, x),
        reference::neighbors(tile, x, 5),
        reference::segmented_sorts(tile, x),
        reference::sorts(tile, x, 5),
        reference::merges(tile),
        reference::loads(tile, floats, m),
        reference::sorts_of_ranges(tile, floats, m),
        reference::selections(tile, x),
        reference::rearrangements(tile, x, m),
        reference::runs(tile, m),
        reference::searches(tile, floats, ints, 32),
        reference::compactions(tile, x, 5.0f, m),
        reference::histograms(tile, i, m),
        reference::atomics(tile, i + 1, m),
        reference::ranges(tile, floats, ints, 32, m),
        reference::scans_of_ranges(tile, ints, 32, bytes, m),
        reference::operators(tile, x, i),
        reference::traits(tile, tile.thread_rank() + 1),
        reference::policies(tile, x),
        reference::halves(tile) == 6,
        reference::norm(tile, x) > 0,
    };
    unsigned wrong = 0, bit = 0;
    for (bool one : right) wrong |= (one ? 0u : 1u) << bit++;
    return wrong;
  }
};

TEST_F(Reference, Tiles) {
  std::vector<float> floats;
  std::vector<int> ints;
  std::vector<unsigned char> bytes;
  for (int i = 0; i < 32; ++i) {
    floats.push_back(static_cast<float>(i));
    ints.push_back(-i);
    bytes.push_back(static_cast<unsigned char>(i));
  }
  std::vector<unsigned> lanes;
  for (unsigned i = 0; i < block_lanes; ++i) lanes.push_back(i);
  backend::array<reference::memory> memories(
      std::vector<reference::memory>(block_lanes / 8));
  backend::array<float> some_floats(floats);
  backend::array<int> some_ints(ints);
  backend::array<unsigned char> some_bytes(bytes);
  backend::array<unsigned> next(std::vector<unsigned>(2, 0));
  auto const wrong = backend::run<8, unsigned>(
      lanes, kernel{memories.data(), some_floats.data(), some_ints.data(),
                    some_bytes.data(), next.data()});
  for (unsigned bits : wrong) ASSERT_EQ(bits, 0u);
  ASSERT_EQ(next.to_host()[0], block_lanes / 8);
}

struct scattered_kernel {
  template <class Tile>
  TESSERA_FN int operator()(Tile const& tile, unsigned) const {
    float row[32];
    for (unsigned i = 0; i < 32; ++i) row[i] = static_cast<float>(i);
    return reference::scattered_batch(tile, row);
  }
};
TEST_F(Reference, ScatteredBatch) {
  for (int right : backend::run<32, int>(std::vector<unsigned>(block_lanes),
                                         scattered_kernel{}))
    ASSERT_TRUE(right);
}

struct stream_kernel {
  template <class Tile>
  TESSERA_FN int operator()(Tile const& tile, unsigned) const {
    return reference::streams(tile);
  }
};
TEST_F(Reference, Streams) {
  for (int right :
       backend::run<32, int>(std::vector<unsigned>(block_lanes), stream_kernel{}))
    ASSERT_TRUE(right);
}

TEST_F(Reference, Blocks) {
  for (int right : backend::run_block<int>(256, reference::block_kernel{}))
    ASSERT_TRUE(right);
  for (int right : backend::run_block<int>(1000, reference::padded_kernel{}))
    ASSERT_TRUE(right);
  for (int right : backend::run_block<int>(256, reference::whole_kernel{}))
    ASSERT_TRUE(right);
}

}  // namespace

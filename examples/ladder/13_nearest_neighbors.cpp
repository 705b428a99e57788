// The nearest neighbors of each query among many points: top_k_queue.
//
// A tile reads the points as a stream and pushes how far each is, together with its index. The queue keeps the
// nearest so far, and most pushes cost a comparison and a vote, since they can't improve on those. No distance is
// ever stored. Points as far as each other come by their index. Change `neighbors` to 100, or `less` to
// `greater` for the farthest.
#include <tessera/top_k_queue.hpp>

#include <algorithm>
#include <numeric>

#include "run.hpp"

struct point {
  float x, y, z;
  TESSERA_FN float squared_distance(point const& to) const {
    float const dx = to.x - x, dy = to.y - y, dz = to.z - z;
    return dx * dx + dy * dy + dz * dz;
  }
};

struct nearest_neighbors {
  static constexpr unsigned lanes = 32, neighbors = 10;
  point const* points;
  unsigned n;
  point const* queries;
  int* out;  // the neighbors of query q begin at out[q * neighbors]

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<lanes>(block);
    unsigned const query = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    unsigned const rank = tile.thread_rank();
    tessera::top_k_queue<neighbors, tessera::indexed<float>, tessera::less> nearest;
    for (unsigned begin = 0; begin < n; begin += lanes) {
      unsigned const i = begin + rank;
      float const apart = i < n ? queries[query].squared_distance(points[i]) : 0;
      nearest.push(tile, tessera::with_index(apart, static_cast<int>(i)), tessera::where(i < n));
    }
    auto const best = nearest.best(tile, tessera::scattered);  // lane i has the i-th
    if (rank < neighbors) out[query * neighbors + rank] = best.index;
  }
};

int main() {
  constexpr unsigned n = 5003, queries = 64, k = nearest_neighbors::neighbors, threads = 128;
  ladder::random_numbers random;
  ladder::array<point> points(n), centers(queries);
  ladder::array<int> out(queries * k);
  auto const any = [&] { return static_cast<float>(random.below(100)); };  // so that distances are exact
  for (point& p : points) p.x = any(), p.y = any(), p.z = any();
  for (point& p : centers) p.x = any(), p.y = any(), p.z = any();
  ladder::run(queries * nearest_neighbors::lanes / threads, threads,
              nearest_neighbors{points.data(), n, centers.data(), out.data()});

  std::vector<int> expected;
  for (point const& center : centers) {
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return center.squared_distance(points[a]) < center.squared_distance(points[b]);
    });
    expected.insert(expected.end(), order.begin(), order.begin() + k);
  }
  return ladder::report("nearest_neighbors", "10 of 5003 points, for 64 queries", "tile of 32",
                        ladder::difference(out, expected));
}

// Launchers of arrays that lie on several GPUs: see meson.build.
#include <tessera/grid/sharded.cuh>
#include <tessera/grid/sharded_select.cuh>
#include <tessera/grid/sharded_sort.cuh>
#include <tessera/grid/sharded_top_k.cuh>

namespace grid = tessera::grid;

struct is_even {
  TESSERA_FN bool operator()(int x) const { return x % 2 == 0; }
};
struct weight {
  TESSERA_FN std::int64_t operator()(int x, std::int64_t index) const { return x * index; }
};

struct arrays {
  grid::communicator& ranks;
  int const* in;
  grid::shard part;
  int* out;
};

void reductions(arrays const& a, float const* floats, float* sum, tessera::moments<double>* moments) {
  auto const any_device = grid::order::any_device;
  (void)grid::reduce(a.ranks, a.in, a.part, a.out);
  (void)grid::reduce(a.ranks, floats, a.part, sum, tessera::plus{}, any_device);
  (void)grid::moments(a.ranks, floats, a.part, moments);
  (void)grid::moments(a.ranks, floats, a.part, moments, any_device);
}

void found(arrays const& a, tessera::indexed<int, std::int64_t>* best, tessera::min_max<int>* both, std::int64_t* sum) {
  (void)grid::argmin(a.ranks, a.in, a.part, best);
  (void)grid::argmax(a.ranks, a.in, a.part, best);
  (void)grid::minmax(a.ranks, a.in, a.part, both);
  (void)grid::transform_reduce(a.ranks, a.in, a.part, sum, tessera::plus{}, weight{});
}

void scans(arrays const& a) {
  (void)grid::inclusive_scan(a.ranks, a.in, a.part, a.out);
  (void)grid::inclusive_scan(a.ranks, a.in, a.part, a.out, tessera::plus{}, 1, {});
  (void)grid::exclusive_scan(a.ranks, a.in, a.part, a.out);
  (void)grid::exclusive_scan(a.ranks, a.in, a.part, a.out, tessera::plus{}, grid::start_on_device(a.in), {});
}

void chosen(arrays const& a, grid::shard* selected, std::int64_t* indices, std::uint64_t* counts, int const* edges) {
  (void)grid::select(a.ranks, a.in, a.part, a.out, selected, is_even{});
  (void)grid::top_k(a.ranks, a.in, a.part, 10, a.out, indices);
  (void)grid::nth_element(a.ranks, a.in, a.part, 10, a.out, indices);
  (void)grid::sort(a.ranks, a.in, a.part, a.out);
  (void)grid::sort_by_key(a.ranks, a.in, indices, a.part, a.out, indices);
  (void)grid::histogram(a.ranks, a.in, a.part, counts, 10, 0, 100);
  (void)grid::histogram(a.ranks, a.in, a.part, counts, 10, edges);
  double const half = 0.5;
  (void)grid::quantiles(a.ranks, a.in, a.part, &half, 1, a.out);
}

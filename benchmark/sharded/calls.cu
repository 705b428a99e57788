// Reductions, scans and selections.
#include "ranks.hpp"

#include <tessera/grid/sharded.cuh>
#include <tessera/grid/sharded_top_k.cuh>

namespace bench {

void add_calls(std::vector<method>& methods, int log_n) {
  std::int64_t const n = std::int64_t{1} << log_n;
  std::string const size = "2^" + std::to_string(log_n);
  auto const add = [&](std::string const& what, std::string const& name, auto call) {
    methods.push_back({what + " " + size, name, n, call});
  };
  add("float sum", "local", [](rank_data const& r, std::int64_t count) {
    return grid::reduce(r.in, count, static_cast<float*>(r.results), tessera::plus{}, {r.on, *r.memory});
  });
  add("float sum", "sharded", [](rank_data const& r, std::int64_t count) {
    return grid::reduce(*r.ranks, r.in, part_of(r, count), static_cast<float*>(r.results), tessera::plus{},
                        {r.on, *r.memory});
  });
  add("float sum", "sharded, any_device", [](rank_data const& r, std::int64_t count) {
    return grid::reduce(*r.ranks, r.in, even_part_of(r, count), static_cast<float*>(r.results), tessera::plus{},
                        grid::order::any_device, {r.on, *r.memory});
  });
  add("float sum", "local, ncclAllReduce", [](rank_data const& r, std::int64_t count) {
    auto* const sum = static_cast<float*>(r.results);
    cudaError_t const error = grid::reduce(r.in, count, sum, tessera::plus{}, {r.on, *r.memory});
    check(ncclAllReduce(sum, sum, 1, ncclFloat, ncclSum, r.comm, r.on));
    return error;
  });
  add("float sum", "ncclAllGather of 32 bytes alone", [](rank_data const& r, std::int64_t) {
    check(ncclAllGather(static_cast<char*>(r.results) + 32 * r.ranks->index(), r.results, 32, ncclInt8, r.comm, r.on));
    return cudaSuccess;
  });
  if (log_n != 20 && log_n != 26 && log_n != 28) return;
  add("float argmax", "local", [](rank_data const& r, std::int64_t count) {
    return grid::argmax(r.in, count, static_cast<tessera::indexed<float, std::int64_t>*>(r.results), {r.on, *r.memory});
  });
  add("float argmax", "sharded", [](rank_data const& r, std::int64_t count) {
    return grid::argmax(*r.ranks, r.in, part_of(r, count),
                        static_cast<tessera::indexed<float, std::int64_t>*>(r.results), {r.on, *r.memory});
  });
  add("float scan", "local", [](rank_data const& r, std::int64_t count) {
    return grid::inclusive_scan(r.in, count, r.out, tessera::plus{}, {r.on, *r.memory});
  });
  add("float scan", "sharded", [](rank_data const& r, std::int64_t count) {
    return grid::inclusive_scan(*r.ranks, r.in, part_of(r, count), r.out, tessera::plus{}, {r.on, *r.memory});
  });
  add("top 64", "local", [](rank_data const& r, std::int64_t count) {
    return grid::top_k(r.in, count, 64, r.out, static_cast<std::int64_t*>(r.results), tessera::greater{},
                       {r.on, *r.memory});
  });
  add("top 64", "sharded", [](rank_data const& r, std::int64_t count) {
    return grid::top_k(*r.ranks, r.in, part_of(r, count), 64, r.out, static_cast<std::int64_t*>(r.results),
                       tessera::greater{}, {r.on, *r.memory});
  });
}

}  // namespace bench

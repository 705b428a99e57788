#include "tasks.hpp"

#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>
#include <tessera/grid/select.cuh>

namespace bench {

namespace {

namespace grid = tessera::grid;

struct is_below {
  float limit;
  __host__ __device__ bool operator()(float x) const { return x < limit; }
};

/// What a call selects: the elements, and how many.
struct selected {
  gpu_data<float> out;
  gpu_data<std::int64_t> count;
  explicit selected(std::int64_t n) : out(n), count(1) {}

  std::string mismatch(selected const& theirs) const {
    std::int64_t const kept = count.get()[0];
    if (kept != theirs.count.get()[0]) return "selects " + std::to_string(kept) + " elements";
    return compare(out.get(kept), theirs.out.get(kept), 0);
  }
};

/// Floats from −1 to 1, of which so many percent are selected.
struct selection {
  std::int64_t n;
  int percent;

  is_below predicate() const { return {static_cast<float>(percent) / 50 - 1}; }
  double kept() const { return static_cast<double>(n) * percent / 100; }
};

/// Kernels that move as many bytes.
void add_copies(std::vector<pass>& passes, gpu_data<float> const& in, gpu_data<float> const& out, double bytes) {
  for (pass& p : copy_ceilings(in, out, static_cast<std::int64_t>(bytes / 2) / 16 * 16)) passes.push_back(std::move(p));
}

std::vector<pass> selects(selection const& what) {
  auto const in = uniform_floats(what.n);
  selected const theirs(what.n), ours(what.n);
  auto const pred = what.predicate();
  auto const n = what.n;
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DeviceSelect::If(storage, bytes, in.data(), theirs.out.data(), theirs.count.data(), n, pred);
  })};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] { return grid::select(in.data(), n, ours.out.data(), ours.count.data(), pred, *memory); },
                    [=] { return ours.mismatch(theirs); }});
  add_copies(passes, in, gpu_data<float>(n), 4 * (static_cast<double>(n) + what.kept()));
  return passes;
}

/// CUB turns the others around, so that only the selected ones are compared. Into one array that is less work: with the others in
/// order, the first of them has no place until the selected ones are counted.
std::vector<pass> partitions(selection const& what, bool into_two) {
  auto const in = uniform_floats(what.n);
  selected const theirs(what.n), ours(what.n);
  gpu_data<float> const others(into_two ? what.n : 1);
  auto const pred = what.predicate();
  auto const n = what.n;
  auto const memory = std::make_shared<grid::workspace>();
  char const* const theirs_is = into_two ? "CUB" : "others reversed, CUB";
  std::vector<pass> passes{cub_pass(theirs_is, [=](void* storage, std::size_t& bytes) {
    return cub::DevicePartition::If(storage, bytes, in.data(), theirs.out.data(), theirs.count.data(), n, pred);
  })};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return into_two
                                 ? grid::partition_copy(in.data(), n, ours.out.data(), others.data(), ours.count.data(),
                                                        pred, *memory)
                                 : grid::partition(in.data(), n, ours.out.data(), ours.count.data(), pred, *memory);
                    },
                    [=] { return ours.mismatch(theirs); }});
  add_copies(passes, in, gpu_data<float>(n), 8 * static_cast<double>(n));
  return passes;
}

/// CUB's others are in order, too, as are both parts.
std::vector<pass> three_ways(std::int64_t n) {
  auto const in = uniform_floats(n);
  gpu_data<float> const first(n), second(n), others(n), their_second(n), their_others(n);
  gpu_data<std::int64_t> const counts(2), their_counts(2);
  selected const theirs(n);
  is_below const low{-0.4f}, middle{0.3f};
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& bytes) {
    return cub::DevicePartition::If(storage, bytes, in.data(), theirs.out.data(), their_second.data(),
                                    their_others.data(), their_counts.data(), n, low, middle);
  })};
  passes.push_back({"tessera", pass_kind::ours,
                    [=] {
                      return grid::three_way_partition(in.data(), n, first.data(), second.data(), others.data(),
                                                       counts.data(), low, middle, *memory);
                    },
                    [=]() -> std::string {
                      auto const sizes = counts.get();
                      if (sizes != their_counts.get()) return "counts " + std::to_string(sizes[0]) + " elements";
                      std::string const wrong = compare(first.get(sizes[0]), theirs.out.get(sizes[0]), 0);
                      return wrong.empty() ? compare(second.get(sizes[1]), their_second.get(sizes[1]), 0) : wrong;
                    }});
  add_copies(passes, in, others, 8 * static_cast<double>(n));
  return passes;
}

}  // namespace

void add_selections(std::vector<task>& tasks) {
  for (int e : {28, 24}) {
    for (int percent : {10, 50, 90}) {
      selection const what{std::int64_t{1} << e, percent};
      auto const n = static_cast<double>(what.n);
      std::string const size = std::to_string(percent) + " %" + (e == 28 ? "" : ", " + power_of_two(e));
      tasks.push_back({"float select", size, 4 * (n + what.kept()), [=] { return selects(what); }});
      tasks.push_back({"float partition_copy", size, 8 * n, [=] { return partitions(what, true); }});
      if (percent == 50) {
        tasks.push_back(
            {"float three-way partition", e == 28 ? "2^28" : "2^24", 8 * n, [=] { return three_ways(what.n); }});
      }
      tasks.push_back({"float partition", size, 8 * n, [=] { return partitions(what, false); }});
    }
  }
}

}  // namespace bench

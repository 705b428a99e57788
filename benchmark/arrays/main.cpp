// arrays measures whole arrays, rows, segments, histograms, scans, selections, searches and sorts by the static library, by CUB,
// and the ceilings.
#include "tasks.hpp"

#include <algorithm>
#include <utility>

int main(int argc, char** argv) {
  bench::pass_program p;
  p.name = "arrays";
  p.purpose = "Measures tessera::grid, CUB, and kernels that only move the same bytes.";
  bench::add_whole_arrays(p.tasks);
  bench::add_rows(p.tasks);
  bench::add_row_scans(p.tasks);
  bench::add_row_tops(p.tasks);
  bench::add_maps(p.tasks);
  bench::add_losses(p.tasks);
  bench::add_samples(p.tasks);
  bench::add_routes(p.tasks);
  bench::add_segments(p.tasks);
  bench::add_segmented_scans(p.tasks);
  bench::add_searches(p.tasks);
  bench::add_histograms(p.tasks);
  bench::add_scans(p.tasks);
  bench::add_selections(p.tasks);
  bench::add_runs(p.tasks);
  bench::add_set_operations(p.tasks);
  bench::add_sorts(p.tasks);
  bench::add_top_k(p.tasks);
  bench::add_iterators(p.tasks);
  bench::add_computed_rows(p.tasks);
  bench::add_transforms(p.tasks);
  bench::add_copies_of_batches(p.tasks);

  // A target holds on any card: the lesser of what an H100 and an H200 reach. Where memory bounds both, it is a share of what kernels
  // reach in the same run that move the same bytes; beside CUB it is then 1, since how far CUB is from that depends on the card. Factors
  // beside CUB stand where it does other work: more kernels, more passes, a block for each segment; and where arithmetic bounds, which
  // is so on the card with the faster memory first.
  auto const at_least = [&](double factor, std::string const& what, std::string const& size, char const* theirs) {
    p.targets.push_back({what, size, factor, theirs, "tessera"});
  };
  auto const as_fast_as_cub = [&](std::string const& what, std::string const& size) {
    at_least(1.0, what, size, "CUB*");
  };
  as_fast_as_cub("float sum", "2^12");
  for (int e = 14; e <= 20; e += 2) at_least(1.8, "float sum", bench::power_of_two(e), "CUB*");
  for (int e = 22; e <= 28; e += 2) as_fast_as_cub("float sum", bench::power_of_two(e));
  at_least(0.98, "float sum", "2^28", "read*");
  for (char const* size : {"8192 x 32768", "4096 x 131072"}) {
    at_least(0.93, "bf16 log-sum-exp", size, "read*");
    at_least(0.93, "bf16 cross entropy", size, "read*");
    at_least(0.9, "bf16 cross entropy, gradient", size, "copy*");
  }
  for (char const* what : {"sum of squares by an iterator", "scan of squares by an iterator"}) {
    as_fast_as_cub(what, "2^28");
    at_least(0.95, what, "2^28", "tessera by a pointer");
  }
  for (char const* what : {"sum of zipped products", "sum by a permutation"}) {
    as_fast_as_cub(what, "2^27");
    at_least(0.95, what, "2^27", "read*");
  }
  for (char const* size : {"2^16", "2^20", "2^24"}) at_least(1.5, "select, scan, maximum", size, "CUB*");
  as_fast_as_cub("float argmax", "2^28");
  at_least(0.99, "float argmax", "2^28", "read*");
  for (char const* what : {"float row sum", "float row max"}) {
    // Of a few columns the results are a good part of the bytes.
    for (char const* columns : {"8", "16", "24"}) at_least(0.97, what, columns, "as much moved");
    for (char const* columns : {"32", "64", "100", "128", "256", "512", "1000", "1024", "4096"})
      at_least(0.95, what, columns, "read*");
  }
  at_least(0.95, "float row sum", "2048", "read*");
  at_least(0.85, "float row max", "2048", "read*");
  at_least(0.92, "bf16 softmax", "2^20 x 128", "copy*");
  for (char const* size : {"65536 x 1024", "8192 x 8192", "4096 x 32768", "2^21 x 64"})
    at_least(0.93, "float softmax", size, "copy*");
  at_least(0.93, "bf16 softmax", "65536 x 2048", "copy*");
  for (char const* size : {"64", "256", "1024"}) at_least(0.93, "float layer norm", size, "copy*");
  at_least(30, "float segment sum", "mean 8", "CUB*");
  at_least(8, "float segment sum", "mean 64", "CUB*");
  at_least(15, "float segment sum", "mean 1024", "CUB*");
  for (char const* size : {"mean 8", "mean 64", "mean 1024"}) {
    at_least(5, "float segment sum by begins and ends", size, "CUB*");
    at_least(3, "float segment argmax", size, "CUB*");
  }
  at_least(0.75, "float segment sum", "mean 64", "read*");
  at_least(0.75, "float segment sum", "64, one giant",
           "read*");  // the long segment costs no more than its bytes
  for (char const* size : {"mean 8", "mean 64", "mean 1024"}) {
    as_fast_as_cub("float scan by key", size);
    at_least(0.9, "float scan by key", size, "copy*");
    at_least(10, "float scan of segments", size, "CUB");  // CCCL 3.5 on; a block for each segment
    as_fast_as_cub("float scan of segments", size);
  }
  at_least(0.75, "float scan of segments", "mean 64", "copy*");
  // 0.6 of the speed of reading twice and writing.
  for (char const* size : {"mean 8", "mean 64", "mean 1024"}) at_least(0.4, "float segment softmax", size, "copy*");
  for (char const* keys : {"uniform", "Zipf 1.2", "constant"}) at_least(1.5, "histogram, 256 bins", keys, "CUB*");
  at_least(0.94, "histogram, 256 bins", "uniform", "read*");
  for (char const* edges : {"random", "squares"}) at_least(9, "histogram, 256 uneven edges", edges, "CUB*");
  as_fast_as_cub("histograms of 3 of 4 channels", "bytes");
  for (int e = 12; e <= 18; e += 2) at_least(1.3, "float scan", bench::power_of_two(e), "CUB*");
  at_least(1.2, "float scan", "2^20", "CUB*");
  at_least(0.78, "float scan", "2^24", "copy*");
  at_least(0.90, "float scan", "2^28", "copy*");
  at_least(0.85, "int64 scan", "2^26", "copy*");
  at_least(0.85, "16-byte scan", "2^26", "copy*");
  for (char const* what : {"float select", "float partition_copy"}) {
    for (char const* rate : {"10 %", "50 %", "90 %"}) {
      as_fast_as_cub(what, rate);
      at_least(0.87, what, rate, "copy*");
    }
  }
  for (char const* what : {"unique", "run lengths", "reduce by key"}) {
    for (char const* size : {"runs of 1", "runs of 8", "runs of 1000"}) at_least(1.2, what, size, "CUB*");
  }
  for (int e = 12; e <= 28; e += 4) {
    as_fast_as_cub("float sort", bench::power_of_two(e));
    as_fast_as_cub("float sort with int values", bench::power_of_two(e));
  }
  for (auto const& [length, factor] : {std::pair{"8", 1.5},
                                       {"32", 4.0},
                                       {"64", 2.0},
                                       {"128", 60.0},
                                       {"512", 15.0},
                                       {"1024", 8.0},
                                       {"4096", 1.7},
                                       {"Zipf, mean 64", 3.0}})
    at_least(factor, "float segment sort", length, "CUB");
  for (char const* k : {"16", "256", "4096"}) {
    at_least(3, std::string("float top ") + k, "2^20", "CUB*");
    at_least(0.89, std::string("float top ") + k, "2^28", "read*");
  }
  for (char const* what : {"transform of floats", "transform of two arrays"}) as_fast_as_cub(what, "2^28");
  at_least(0.95, "transform of floats", "2^28", "copy*");
  at_least(0.95, "for_each of floats", "2^28", "read*");
  // No other row is behind CUB, either.
  for (bench::task const& t : p.tasks) {
    auto const names_cub = [&](bench::pass_target const& x) {
      return x.what == t.what && x.size == t.size && x.theirs.rfind("CUB", 0) == 0;
    };
    if (std::none_of(p.targets.begin(), p.targets.end(), names_cub)) as_fast_as_cub(t.what, t.size);
  }
  return bench::run(p, argc, argv);
}

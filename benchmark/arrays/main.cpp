// arrays measures whole arrays, rows, segments, histograms, scans, selections, searches and sorts by the static library, by CUB,
// and the ceilings.
#include "tasks.hpp"

#include <utility>

int main(int argc, char** argv) {
  bench::pass_program p;
  p.name = "arrays";
  p.purpose = "Measures tessera::grid, CUB, and kernels that only move the same bytes.";
  bench::add_whole_arrays(p.tasks);
  bench::add_rows(p.tasks);
  bench::add_maps(p.tasks);
  bench::add_segments(p.tasks);
  bench::add_segmented_scans(p.tasks);
  bench::add_searches(p.tasks);
  bench::add_histograms(p.tasks);
  bench::add_scans(p.tasks);
  bench::add_selections(p.tasks);
  bench::add_runs(p.tasks);
  bench::add_sorts(p.tasks);
  bench::add_top_k(p.tasks);

  auto const at_least = [&](double factor, std::string const& what, std::string const& size,
                            char const* theirs) {
    p.targets.push_back({what, size, factor, theirs, "tessera"});
  };
  for (int e = 12; e <= 20; e += 2) at_least(1.8, "float sum", bench::power_of_two(e), "CUB*");
  for (int e = 22; e <= 28; e += 2) at_least(1.0, "float sum", bench::power_of_two(e), "CUB*");
  at_least(0.99, "float sum", "2^28", "read*");
  at_least(1.0, "float argmax", "2^28", "CUB*");
  at_least(0.99, "float argmax", "2^28", "read*");
  for (char const* what : {"float row sum", "float row max"}) {
    for (char const* columns :
         {"8", "16", "24", "32", "64", "100", "128", "256", "512", "1000", "1024", "2048", "4096"})
      at_least(0.95, what, columns, "read*");
  }
  at_least(0.95, "bf16 softmax", "2^20 x 128", "copy*");
  for (char const* size : {"65536 x 1024", "8192 x 8192", "4096 x 32768", "2^21 x 64"})
    at_least(0.93, "float softmax", size, "copy*");
  at_least(0.93, "bf16 softmax", "65536 x 2048", "copy*");
  for (char const* size : {"64", "256", "1024"}) at_least(0.93, "float layer norm", size, "copy*");
  at_least(30, "float segment sum", "mean 8", "CUB*");
  at_least(15, "float segment sum", "mean 64", "CUB*");
  at_least(2, "float segment sum", "mean 1024", "CUB*");
  at_least(0.6, "float segment sum", "mean 64", "read*");
  at_least(0.6, "float segment sum", "64, one giant",
           "read*");  // the long segment costs no more than its bytes
  for (char const* what : {"float scan by key", "float scan of segments"}) {
    for (char const* size : {"mean 8", "mean 64", "mean 1024"}) at_least(1.3, what, size, "CUB*");
    at_least(0.7, what, "mean 64", "copy*");
  }
  at_least(2.3, "histogram, 256 bins", "uniform", "CUB*");
  at_least(1.5, "histogram, 256 bins", "Zipf 1.2", "CUB*");
  at_least(1.5, "histogram, 256 bins", "constant", "CUB*");
  at_least(0.95, "histogram, 256 bins", "uniform", "read*");
  for (int e = 12; e <= 20; e += 2) at_least(1.8, "float scan", bench::power_of_two(e), "CUB*");
  at_least(0.78, "float scan", "2^24", "copy*");
  at_least(0.90, "float scan", "2^28", "copy*");
  at_least(0.82, "int64 scan", "2^26", "copy*");
  at_least(0.82, "16-byte scan", "2^26", "copy*");
  for (char const* what : {"float select", "float partition_copy"}) {
    for (char const* rate : {"10 %", "50 %", "90 %"}) {
      at_least(1.35, what, rate, "CUB*");
      at_least(0.88, what, rate, "copy*");
    }
  }
  for (char const* what : {"unique", "run lengths", "reduce by key"}) {
    for (char const* size : {"runs of 1", "runs of 8", "runs of 1000"}) at_least(1.3, what, size, "CUB*");
  }
  for (int e = 12; e <= 28; e += 4) {
    at_least(0.98, "float sort", bench::power_of_two(e), "CUB*");
    at_least(0.98, "float sort with int values", bench::power_of_two(e), "CUB*");
  }
  for (auto const& [length, factor] : {std::pair{"8", 1.5},
                                       {"32", 4.0},
                                       {"64", 3.0},
                                       {"128", 60.0},
                                       {"512", 15.0},
                                       {"1024", 8.0},
                                       {"4096", 1.7},
                                       {"Zipf, mean 64", 3.0}})
    at_least(factor, "float segment sort", length, "CUB");
  for (char const* k : {"16", "256", "4096"}) {
    at_least(3, std::string("float top ") + k, "2^20", "CUB*");
    at_least(0.9, std::string("float top ") + k, "2^28", "read*");
  }
  return bench::run(p, argc, argv);
}

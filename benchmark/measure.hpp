// Measures chains in cycles of the SM's own clock. Each chain's results are checked before it is measured.
#pragma once

#include "chain.hpp"

#include <memory>
#include <string>
#include <vector>

namespace bench {

/// The GPU and the software of a run.
struct machine {
  std::string gpu;
  std::string driver;
  std::string runtime;
  std::string compiler;
  unsigned sms;
};

/// Repeated measurements of the same quantity.
struct series {
  std::vector<double> values;

  double median() const { return quantile(0.5); }
  double quantile(double q) const;
  /// (third quartile − first quartile) / median
  double spread() const;
};

/// The measurements of one chain, one for each round.
struct result {
  bench::chain const* chain;
  int registers;
  int resident_blocks;  // the number of blocks that fit on one SM
  series throughput;    // SM cycles per collective of a warp or larger tile, with all SMs full of warps
  series throughput_ns;
  series latency_cycles;  // cycles per collective, with one warp or larger tile on the GPU
  series latency_ns;
};

enum class quantity { throughput, latency };

/// a / b for each round, which is above 1 if b is faster.
series ratio(result const& a, result const& b, quantity q);

/// The GPU that the measurements run on. Every failed CUDA call throws `std::runtime_error`.
class gpu {
 public:
  explicit gpu(int index);
  ~gpu();

  machine describe() const;

  /// Runs a short and a long chain on all SMs. Throws `std::runtime_error` if the results differ from those
  /// of a plain loop on the host.
  void check(chain const& c, unsigned calls);

  /// Runs one block of the chain, in which each tile calls `calls` collectives.
  void launch(chain const& c, unsigned calls);

  /// Measures several chains. Each round runs all of them, so that a drift of the clock affects all equally.
  std::vector<result> measure(std::vector<chain const*> const& chains, unsigned rounds, unsigned calls);

  /// The clock of the busy GPU, in MHz, as measured last by its nanosecond timer.
  series const& clock_mhz() const { return clock_mhz_; }

  /// Keeps the GPU busy until its clock has risen.
  void warm_up();

 private:
  struct buffers;

  /// Copies the chain's `own` and `weight` to the GPU's memory.
  void fill_inputs(chain const& c);
  /// Runs the chain, and returns the cycles per collective.
  double run(chain const& c, unsigned blocks, unsigned threads, unsigned calls);
  double measure_clock(double milliseconds);

  std::unique_ptr<buffers> buffers_;
  int index_;
  unsigned sms_;
  series clock_mhz_;
};

}  // namespace bench

// Measuring chains: what one takes, in cycles of the SM's own clock, checked before it is timed.
#pragma once

#include "chain.hpp"

#include <memory>
#include <string>
#include <vector>

namespace bench {

/// Where and with what a run was made.
struct machine {
  std::string gpu;
  std::string driver;
  std::string runtime;
  std::string compiler;
  unsigned sms;
};

/// Repeated measurements of one thing.
struct series {
  std::vector<double> values;

  double median() const { return quantile(0.5); }
  double quantile(double q) const;
  /// (third quartile − first) / median
  double spread() const;
};

/// What the rounds gave for one chain.
struct result {
  bench::chain const* chain;
  int registers;
  int resident_blocks;  // of one SM
  series throughput;    // SM cycles per collective of a warp or larger tile, with all SMs full of warps
  series throughput_ns;
  series latency_cycles;  // of one collective, with one warp or larger tile on the GPU
  series latency_ns;
};

enum class quantity { throughput, latency };

/// Per round a / b: above 1 where b is faster.
series ratio(result const& a, result const& b, quantity q);

/// The GPU that the measurements run on. Every failed CUDA call throws `std::runtime_error`.
class gpu {
 public:
  explicit gpu(int index);
  ~gpu();

  machine describe() const;

  /// Runs the chain twice, short and long, on all SMs. Throws `std::runtime_error` if it computes something else than a
  /// plain loop on the host.
  void check(chain const& c, unsigned calls);

  /// Runs the chain once on one SM, `calls` collectives of each tile of one block.
  void launch(chain const& c, unsigned calls);

  /// Measures chains side by side: each round runs every one of them, so that a drift hits all alike.
  std::vector<result> measure(std::vector<chain const*> const& chains, unsigned rounds, unsigned calls);

  /// Clock of the busy GPU, in MHz, as last measured against its nanosecond timer.
  series const& clock_mhz() const { return clock_mhz_; }

  /// Keeps the GPU busy for so long that its clock has risen.
  void warm_up();

 private:
  struct buffers;

  /// Puts the chain's `own` and `weight` into the GPU's memory.
  void fill_inputs(chain const& c);
  /// Cycles per collective.
  double run(chain const& c, unsigned blocks, unsigned threads, unsigned calls);
  double measure_clock(double milliseconds);

  std::unique_ptr<buffers> buffers_;
  int index_;
  unsigned sms_;
  series clock_mhz_;
};

}  // namespace bench

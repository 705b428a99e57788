// The lanes of a block that can run, and the choice of the next one.
#pragma once

#include <cstdint>
#include <tessera/core/config.hpp>
#include <tessera/host/run/schedule.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// A set of up to 1024 lanes, which are removed in the order of a schedule.
class run_queue {
 public:
  static constexpr unsigned none = ~0u;

  void reset(lane_order order) {
    *this = run_queue{};
    order_ = order.order;
    random_ = random_source(order.seed);
  }

  /// Adds lane r, which must not be in the set.
  void push(unsigned r) {
    warps_[r / 32] |= 1u << (r % 32);
    busy_ |= 1u << (r / 32);
    if (order_ == schedule::depth_first) newest_[count_] = static_cast<std::uint16_t>(r);
    ++count_;
  }

  /// Removes and returns the next lane, or returns `none` if the set is empty.
  unsigned pop() {
    if (count_ == 0) return none;
    unsigned const r = choose();
    warps_[r / 32] &= ~(1u << (r % 32));
    if (warps_[r / 32] == 0) busy_ &= ~(1u << (r / 32));
    --count_;
    last_ = r;
    return r;
  }

 private:
  static unsigned lowest(std::uint32_t bits) { return tessera::detail::compiler::trailing_zeros(bits); }
  static unsigned highest(std::uint32_t bits) { return 31u - tessera::detail::compiler::leading_zeros(bits); }
  static unsigned population(std::uint32_t bits) { return tessera::detail::compiler::population(bits); }
  static unsigned nth(std::uint32_t bits, unsigned k) {
    for (; k > 0; --k) bits &= bits - 1;
    return lowest(bits);
  }

  unsigned choose() {
    switch (order_) {
      case schedule::ascending:
        return first_of(lowest(busy_));
      case schedule::descending:
        return 32 * highest(busy_) + highest(warps_[highest(busy_)]);
      case schedule::depth_first:
        return newest_[count_ - 1];
      case schedule::round_robin:
        return after_last();
      case schedule::random_warp:
        if (last_ == none || warps_[last_ / 32] == 0) return any_of(nth(busy_, random_.below(population(busy_))));
        return any_of(last_ / 32);
      case schedule::random_lane:
        break;
    }
    return any();
  }

  unsigned first_of(unsigned warp) const { return 32 * warp + lowest(warps_[warp]); }
  unsigned any_of(unsigned warp) { return 32 * warp + nth(warps_[warp], random_.below(population(warps_[warp]))); }
  unsigned any() {
    unsigned k = random_.below(count_);
    unsigned warp = 0;
    for (; k >= population(warps_[warp]); ++warp) k -= population(warps_[warp]);
    return 32 * warp + nth(warps_[warp], k);
  }
  unsigned after_last() const {
    unsigned const from = last_ + 1;  // `none` wraps to 0
    unsigned const warp = from / 32;
    if (warp < 32) {
      std::uint32_t const rest = warps_[warp] & (~0u << (from % 32));
      if (rest != 0) return 32 * warp + lowest(rest);
      std::uint32_t const above = warp == 31 ? 0 : busy_ & (~0u << (warp + 1));
      if (above != 0) return first_of(lowest(above));
    }
    return first_of(lowest(busy_));
  }

  schedule order_ = schedule::ascending;
  random_source random_;
  unsigned count_ = 0;
  unsigned last_ = none;
  std::uint32_t busy_ = 0;           // the warps with a lane that can run
  std::uint32_t warps_[32] = {};     // the lanes of each warp that can run
  std::uint16_t newest_[1024] = {};  // lanes in the order of arrival, for depth_first only
};

}  // namespace host::detail
TESSERA_NAMESPACE_END

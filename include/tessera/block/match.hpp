// The reduction by label in a group of several warps: each warp combines its own groups, and publishes the results to
// all lanes.
#pragma once

#include <tessera/group/multi_warp_group.hpp>
#include <tessera/warp/match.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class Label, class T>
struct labeled {
  Label label;
  T value;
};

/// Each warp combines its own groups. Their results, numbered from warp to warp, are then published to all lanes, as
/// many at a time as there are slots, and each lane combines those with its label.
template <class Policy, class Backend, class Label, class T, class Op>
TESSERA_FN T reduce_peers(multi_warp_group<Backend> group, Label const& label, bool in, T const& x, Op const& op) {
  using Group = multi_warp_group<Backend>;
  using shown_t = labeled<Label, T>;
  constexpr unsigned warps = Group::warps, row = Group::template row<shown_t>, window = warps * row;
  auto const in_warp = group.in_warp();
  lane_mask<32> peers = in_warp.match(label) & in_warp.ballot(in);
  if (!in) peers = lane_mask<32>{};
  T const own = detail::reduce_group(in_warp, peers, x, op);
  bool const leads = in && peers.first() == group.lane();
  lane_mask<32> const leaders = in_warp.ballot(leads);
  unsigned total = 0, number = leaders.rank_of(group.lane());
  group.all_gather(leaders.count(), group.lane() == 0, group.warp(), [&](slots_of<Group, unsigned> storage) {
    for (unsigned w = 0; w < warps; ++w) {
      unsigned const count = storage.read(w);
      total += count;
      if (w < group.warp()) number += count;
    }
    return 0;
  });
  T result = own;
  bool begun = false;
  for (unsigned from = 0; from < total; from += window) {
    auto const storage = group.backend().template inputs<shown_t, row>();
    unsigned const shown = total - from < window ? total - from : window;
    if (leads && number >= from && number - from < window) storage.write(number - from, {label, own});
    group.sync();
    for (unsigned i = 0; i < shown; ++i) {
      shown_t const other = storage.read(i);
      if (!detail::same_bits(other.label, label)) continue;
      result = begun ? static_cast<T>(op(result, other.value)) : other.value;
      begun = true;
    }
    if (shown < total - from) group.sync();
  }
  group.sync();
  return detail::canonicalize_nan<Op>(result);
}

}  // namespace detail
TESSERA_NAMESPACE_END

// Everything that device code and host tiles use. (<tessera/host/launch.hpp> launches host tiles; <tessera/device.hpp>
// and <tessera/version.hpp> belong to the static library.)
#pragma once

#include <tessera/adjacent_difference.hpp>
#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/compact.hpp>
#include <tessera/comparators.hpp>
#include <tessera/config.hpp>
#include <tessera/exchangeable.hpp>
#include <tessera/histogram.hpp>
#include <tessera/is_sorted.hpp>
#include <tessera/items.hpp>
#include <tessera/joint.hpp>
#include <tessera/lane_mask.hpp>
#include <tessera/lanes.hpp>
#include <tessera/match.hpp>
#include <tessera/operator_traits.hpp>
#include <tessera/operators.hpp>
#include <tessera/partition.hpp>
#include <tessera/policy.hpp>
#include <tessera/radix.hpp>
#include <tessera/reduce.hpp>
#include <tessera/reduce_batch.hpp>
#include <tessera/runs.hpp>
#include <tessera/scan.hpp>
#include <tessera/scanned.hpp>
#include <tessera/scratch.hpp>
#include <tessera/segmented.hpp>
#include <tessera/sort.hpp>
#include <tessera/segments.hpp>
#include <tessera/tile.hpp>
#include <tessera/transpose.hpp>
#include <tessera/tuning.hpp>
#include <tessera/vote.hpp>

// The model implements every collective of the library as plain sequential C++ over a list of a tile's
// lanes.
//
// It is written from the contracts (the comments of include/tessera/*.hpp and the README) and not from the
// code, and uses nothing of tessera::detail. If a contract states an order of combination, the model
// combines in that order, so that sums of floats agree bit for bit. A line `Bits` says whether the order is
// promised or unspecified.
//
//   auto const expected = oracle::model::reduce(32, x, algebra_for<float>(tessera::plus{}), everyone(x.size()));
//
//   model/list.hpp       lists, and values that may be missing
//   model/number.hpp     numbers: NaN, extremes, integers that wrap around
//   model/operators.hpp  operators and their identities
//   model/tile.hpp       tiles, participants, results
//   model/order.hpp      the orders of combination
//   model/compare.hpp    comparison of a result with the model's
//   and one file for each family of collectives
#pragma once

#include "model/adjacent.hpp"
#include "model/compare.hpp"
#include "model/joint_reduce.hpp"
#include "model/joint_scan.hpp"
#include "model/load_store.hpp"
#include "model/match.hpp"
#include "model/memory.hpp"
#include "model/merge.hpp"
#include "model/movement.hpp"
#include "model/partition.hpp"
#include "model/reduce.hpp"
#include "model/runs.hpp"
#include "model/scan.hpp"
#include "model/search.hpp"
#include "model/segmented.hpp"
#include "model/segmented_sort.hpp"
#include "model/sort.hpp"
#include "model/top_k.hpp"
#include "model/vote.hpp"

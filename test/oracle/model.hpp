// The model: what every collective of the library gives, as plain sequential C++ over the lanes of a tile in a std::vector.
//
// It is written from the contracts (the comments of include/tessera/*.hpp, the README, the design), not from the code, and uses
// nothing of tessera::detail. Where a contract states an order of combination, the model combines in that order, so that sums of
// floats agree bit for bit; where a contract leaves the order open, a line `Bits` says so.
//
//   auto const expected = oracle::model::reduce(32, x, algebra_for<float>(tessera::plus{}), everyone(x.size()));
//
//   model/number.hpp     numbers: NaN, extremes, integers that wrap
//   model/operators.hpp  operators: what combines, and the identity
//   model/tile.hpp       tiles, participants, results
//   model/order.hpp      the orders of combination
//   model/compare.hpp    whether a result agrees with the model's
//   and one file a family of collectives
#pragma once

#include "model/adjacent.hpp"
#include "model/compare.hpp"
#include "model/joint_reduce.hpp"
#include "model/joint_scan.hpp"
#include "model/match.hpp"
#include "model/memory.hpp"
#include "model/movement.hpp"
#include "model/reduce.hpp"
#include "model/scan.hpp"
#include "model/segmented.hpp"
#include "model/vote.hpp"

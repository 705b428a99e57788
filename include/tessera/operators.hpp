// Associative operators, and the properties of them that the algorithms need.
//
// An operator is a function object `T op(T a, T b)`; a comes from the lower lanes. `operator_traits<Op, T>` tells
// whether it commutes, and its identity if it has one. Other libraries' operators are aliases: `plus{}`,
// `std::plus<>{}`, `cuda::std::plus<int>{}` and `cooperative_groups::plus<int>{}` are one operator to every algorithm.
//
//   plus multiplies bit_and bit_or bit_xor logical_and logical_or     as in <functional>; integers wrap
//   minimum maximum                 a NaN wins, −0 < +0 (IEEE 754-2019)
//   minimum_number maximum_number   a number beats NaN, −0 < +0
//   argmin argmax                   on indexed<T>: ties go to the lowest index, a NaN wins
//   minmax                          on min_max<T>: minimum and maximum in one pass
//   zip(op1, op2, …)                on zipped<T1, T2, …>: each operator on its member     operators/zip.hpp
//   welford                         on moments<T>: count, mean and variance               operators/welford.hpp
//   log_sum_exp                     on exp_sum<T>: the denominator of a softmax           operators/log_sum_exp.hpp
//   affine                          on affine_map<T>: steps of a linear recurrence         operators/affine.hpp
//   smallest largest                on selection<T, K>: the K least, the K greatest       operators/selection.hpp
//   make_operator(f, identity)      any function, with its identity
//
// A lambda is an operator without identity that doesn't commute.
#pragma once

#include <tessera/core/operator_traits.hpp>
#include <tessera/operators/affine.hpp>
#include <tessera/operators/basic.hpp>
#include <tessera/operators/log_sum_exp.hpp>
#include <tessera/operators/selection.hpp>
#include <tessera/operators/welford.hpp>
#include <tessera/operators/zip.hpp>

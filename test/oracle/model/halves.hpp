// The 16-bit floats as numbers of the model.
#pragma once

#include "../halves.hpp"
#include "number.hpp"

namespace oracle::model {

template <>
inline constexpr bool is_float<__half> = true;
template <>
inline constexpr bool is_float<__nv_bfloat16> = true;

}  // namespace oracle::model

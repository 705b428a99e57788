// Combines one value of each lane of a block, once for an array or a row.
#pragma once

#include <tessera/core/policy.hpp>
#include <tessera/operators.hpp>
#include <tessera/warp/reduce_instruction.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Each warp by itself, where no instruction does it: for a single call that takes no longer, and fewer registers
/// than a slot a lane.
template <class R, class Op>
inline constexpr stl::conditional_t<tessera::detail::instruction_for<Op, R>() ==
                                        tessera::detail::warp_instruction::none,
                                    policy<choice::shuffles>, policy<>>
    warp_by_warp{};

}  // namespace grid::detail
TESSERA_NAMESPACE_END

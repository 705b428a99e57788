// The library's definitions for select.hpp, of the types in instantiations.py.
// Only bytes move: elements and flags of one size have one kernel.
#pragma once

#include <tessera/grid/select.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <unsigned Bytes, unsigned FlagBytes>
cudaError_t select_instantiation(flags_request const& what, execution on) noexcept {
  using element = tessera::detail::unit_of<Bytes>;
  using flag = tessera::detail::unit_of<FlagBytes>;
  return select_launcher<element>::launch(static_cast<element const*>(what.in), static_cast<flag const*>(what.flags),
                                          what.n, static_cast<element*>(what.out), static_cast<element*>(what.others),
                                          what.count, what.kind, on);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END

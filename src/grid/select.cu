// Selections and partitions by flags. Only bytes move: elements and flags of one size have one kernel.
#include <tessera/grid/select.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <unsigned Bytes, unsigned FlagBytes>
cudaError_t select_instantiation(flags_request const& what, execution on) noexcept {
  using element = tessera::detail::unit_of<Bytes>;
  using flag = tessera::detail::unit_of<FlagBytes>;
  return select_launcher<element>::launch(
      static_cast<element const*>(what.in), static_cast<flag const*>(what.flags), what.n,
      static_cast<element*>(what.out), static_cast<element*>(what.others), what.count, what.kind, on);
}

#define TESSERA_SELECT_INSTANTIATION(Bytes, FlagBytes) \
  template cudaError_t select_instantiation<Bytes, FlagBytes>(flags_request const&, execution) noexcept;

TESSERA_SELECT_INSTANTIATION(2, 1)
TESSERA_SELECT_INSTANTIATION(2, 4)
TESSERA_SELECT_INSTANTIATION(4, 1)
TESSERA_SELECT_INSTANTIATION(4, 4)
TESSERA_SELECT_INSTANTIATION(8, 1)
TESSERA_SELECT_INSTANTIATION(8, 4)

}  // namespace grid::detail
TESSERA_NAMESPACE_END

// The arguments of scans by key and scans of segments.
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A segmented scan's arguments besides the arrays. `start` points to the host's memory, and may be null.
template <class R>
struct segmented_scan_request {
  bool exclusive;
  R const* start;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END

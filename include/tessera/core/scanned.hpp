// The result of a scan with `with_total`.
#pragma once

#include <tessera/core/items.hpp>

TESSERA_NAMESPACE_BEGIN

/// The result of a scan with `with_total`: the lane's value (or items), and the combination of all participants, in
/// every lane. The total doesn't contain a given start.
template <class X, class T = detail::item_t<X>>
struct scanned {
  X value;
  T total;
};

TESSERA_NAMESPACE_END

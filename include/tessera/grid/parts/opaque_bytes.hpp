// Bytes of any type, for code that makes and assigns values, which a type of the user's may not allow.
#pragma once

#include <tessera/core/config.hpp>

#include <cstddef>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// An object of `Size` bytes, which moves by the words that its alignment allows.
template <std::size_t Size, std::size_t Align>
struct alignas(Align) opaque_bytes {
  unsigned char bytes[Size];
};
template <class T>
using opaque_t = opaque_bytes<sizeof(T), alignof(T)>;

}  // namespace grid::detail
TESSERA_NAMESPACE_END

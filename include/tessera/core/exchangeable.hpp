// Types whose values lanes can exchange as bytes.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/number.hpp>

TESSERA_NAMESPACE_BEGIN

/// True if a value of T may be taken apart into bytes in one lane and reassembled in another: every trivially copyable
/// type, and the pairs of 16-bit floats, whose copy constructors are trivial in fact but not by declaration. Specialize
/// it as `stl::true_type` for a type of yours that has such a pair as a member.
template <class T>
struct is_exchangeable : stl::bool_constant<stl::is_trivially_copyable<T>::value || detail::is_half_pair<T>> {};

/// `is_exchangeable<T>::value`.
template <class T>
inline constexpr bool is_exchangeable_v = is_exchangeable<T>::value;

TESSERA_NAMESPACE_END

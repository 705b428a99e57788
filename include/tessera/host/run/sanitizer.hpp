// Tells AddressSanitizer and ThreadSanitizer about fibers. In other builds these functions do nothing.
#pragma once

#include <tessera/core/config.hpp>

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define TESSERA_HOST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESSERA_HOST_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TESSERA_HOST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TESSERA_HOST_TSAN 1
#endif
#endif

#if defined(TESSERA_HOST_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(TESSERA_HOST_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

#if defined(TESSERA_HOST_ASAN) || defined(TESSERA_HOST_TSAN)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

#if defined(TESSERA_HOST_ASAN)
inline void before_switch(void** fake, const void* base, std::size_t bytes) {
  __sanitizer_start_switch_fiber(fake, base, bytes);
}
inline void after_switch(void* fake, const void** base, std::size_t* bytes) {
  __sanitizer_finish_switch_fiber(fake, base, bytes);
}
inline void forget_frames(void* base, std::size_t bytes) {
  __asan_unpoison_memory_region(base, bytes);
}
#else
inline void before_switch(void**, const void*, std::size_t) {}
inline void after_switch(void*, const void**, std::size_t*) {}
inline void forget_frames(void*, std::size_t) {}
#endif

#if defined(TESSERA_HOST_TSAN)
inline void* thread_token() {
  return __tsan_get_current_fiber();
}
inline void* make_token() {
  return __tsan_create_fiber(0);
}
inline void drop_token(void* token) {
  __tsan_destroy_fiber(token);
}
inline void switch_token(void* token) {
  __tsan_switch_to_fiber(token, 0);
}
#else
inline void* thread_token() {
  return nullptr;
}
inline void* make_token() {
  return nullptr;
}
inline void drop_token(void*) {}
inline void switch_token(void*) {}
#endif

}  // namespace host::detail
TESSERA_NAMESPACE_END

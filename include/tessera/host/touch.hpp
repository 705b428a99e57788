// Checks an access of one lane to shared memory, and records it in the element's history.
#pragma once

#include <cstddef>
#include <string>
#include <tessera/core/config.hpp>
#include <tessera/host/kernel_interface.hpp>
#include <tessera/host/shared_array.hpp>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// An index and the source line of the access.
struct index_at {
  template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
  TESSERA_FN index_at(Integer i, call_site where = call_site::here()) : index(static_cast<long long>(i)), site(where) {}

  long long index;
  call_site site;
};

inline std::string describe_access(access_kind kind, unsigned lane, const call_site& site) {
  return std::string(detail::name_of(kind)) + " by lane " + std::to_string(lane) + ", at " + detail::describe(site);
}

/// Checks one access by the running lane, and returns the element's address. `type` is the value's type_tag
/// for traces.
inline void* checked_address(const lane_id& id, shared_array& array, index_at at, access_kind kind, bool reads,
                             const char* type) {
  engine& now = detail::engine_of(id, "a shared array", at.site);
  unsigned const lane = now.current();
  auto const element = [&] {
    return "element " + std::to_string(at.index) + " of " + detail::describe(array.signature()) + ":\n  " +
           detail::describe_access(kind, lane, at.site);
  };
  if (at.index < 0 || static_cast<std::size_t>(at.index) >= array.signature().count)
    now.fail(misuse_kind::index_out_of_range, at.site, element);
  std::size_t const i = static_cast<std::size_t>(at.index);
  access_history& history = array.history(i);
  if (reads && !history.written())
    now.fail(misuse_kind::uninitialized_read, at.site,
             [&] { return element() + "\n  before any lane has written it"; });
  auto const before = [&](const access& old) { return now.happens_before(old.lane, old.tick, lane); };
  if (const access* const other = history.note({kind, lane, now.tick(), at.site}, before))
    now.fail(misuse_kind::shared_race, at.site, [&] {
      return element() + "\n  " + detail::describe_access(other->kind, other->lane, other->site) +
             "\n  and no sync of both lanes came between the two";
    });
  void* const address = static_cast<char*>(array.data()) + i * array.signature().bytes;
  if (trace_recorder* const trace = now.trace())
    trace->access(lane, kind, type, array.signature().bytes, static_cast<unsigned>(i), at.site, address);
  return address;
}

/// Checks that the running lane's access to so many bytes of a caller's scratch, as slots of one kind, is ordered after
/// accesses to the same bytes as slots of another kind.
inline void check_scratch(engine& now, unsigned number, std::size_t begin, std::size_t bytes,
                          std::uint64_t kind_of_slots, access_kind kind, const call_site& site) {
  unsigned const lane = now.current();
  auto const before = [&](const access& old) { return now.happens_before(old.lane, old.tick, lane); };
  const access* const other =
      now.history_of_scratch(number).note(begin, bytes, kind_of_slots, {kind, lane, now.tick(), site}, before);
  if (other == nullptr) return;
  now.fail(misuse_kind::shared_race, site, [&] {
    return "bytes " + std::to_string(begin) + " to " + std::to_string(begin + bytes - 1) +
           " of a scratch, which values of all sizes share on the GPU, of " +
           detail::describe(now.signature_of_array(number)) + ":\n  " + detail::describe_access(kind, lane, site) +
           "\n  " + detail::describe_access(other->kind, other->lane, other->site) +
           "\n  and no sync of both lanes came between the two";
  });
}

// The implementation of host::shared, for code that is compiled for both sides.

TESSERA_ONE_SIDED
TESSERA_FN void* touch([[maybe_unused]] const lane_id& id, [[maybe_unused]] shared_array* array,
                       [[maybe_unused]] index_at at, [[maybe_unused]] access_kind kind, [[maybe_unused]] bool reads,
                       [[maybe_unused]] const char* type) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
  return nullptr;
#else
  return detail::checked_address(id, *array, at, kind, reads, type);
#endif
}

TESSERA_ONE_SIDED
TESSERA_FN shared_array* declare_array([[maybe_unused]] const lane_id& id,
                                       [[maybe_unused]] const array_signature& signature) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
  return nullptr;
#else
  return &detail::engine_of(id, "the declaration of a shared array", signature.site).declare_shared(signature);
#endif
}

TESSERA_ONE_SIDED
TESSERA_FN std::size_t length_of([[maybe_unused]] const shared_array* array) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
  return 0;
#else
  return array->signature().count;
#endif
}

TESSERA_ONE_SIDED
TESSERA_FN void* bytes_of([[maybe_unused]] const shared_array* array) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
  return nullptr;
#else
  return array->data();
#endif
}

}  // namespace host::detail
TESSERA_NAMESPACE_END

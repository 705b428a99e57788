// The backend of a host tile of several warps: its barriers are rendezvous, and every access to a slot is checked.
// group/multi_warp_group.hpp lists the members of a backend.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/library_memory.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/scratch_layout.hpp>
#include <tessera/group/multi_warp_group.hpp>
#include <tessera/host/group.hpp>
#include <tessera/host/touch.hpp>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// An array of slots in the block's shared memory: `count` values for the whole block.
struct slot_array {
  unsigned key;
  unsigned memory;  // 0 for the library's own memory
  const char* type;
  std::size_t bytes;
  std::size_t count;
  unsigned tile_size;
  std::size_t begin;  // the byte of the caller's scratch where slot 0 is on the GPU
};

/// Checks one access by the running lane, and returns the slot's address.
TESSERA_ONE_SIDED
TESSERA_FN void* access_slot([[maybe_unused]] const lane_id& id, [[maybe_unused]] const slot_array& storage,
                             [[maybe_unused]] unsigned index, [[maybe_unused]] access_kind kind,
                             [[maybe_unused]] const call_site& site, [[maybe_unused]] const char* type) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
  return nullptr;
#else
  engine& now = detail::engine_of(id, "a slot", site);
  array_signature const array{
      storage.type, storage.bytes, 16, storage.count, {"slots of tiles", "", storage.tile_size}};
  std::uint64_t const key = std::uint64_t{storage.memory} << 32 | storage.key;
  if (storage.memory != 0)
    detail::check_scratch(now, storage.memory, storage.begin + index * storage.bytes, storage.bytes,
                          std::uint64_t{storage.bytes} << 32 | storage.key, kind, site);
  return detail::checked_address(id, now.array_of_slots(key, array), {index, site}, kind, kind == access_kind::read,
                                 type);
#endif
}

/// The slots of one tile, beginning at index `first` of the block's. Types of the same size share slots.
template <class T>
struct checked_slots {
  lane_id id;
  slot_array array;
  unsigned first;
  call_site site;

  TESSERA_FN void write(unsigned slot, T const& x) const {
    tessera::detail::copy_bytes(detail::access_slot(id, array, first + slot, access_kind::write, site, type_tag<T>()),
                                TESSERA_ADDRESS_OF(x), sizeof(T));
  }
  TESSERA_FN T read(unsigned slot) const {
    tessera::detail::words<T> w{};
    tessera::detail::copy_bytes(
        w.word, detail::access_slot(id, array, first + slot, access_kind::read, site, type_tag<T>()), sizeof(T));
    return tessera::detail::from_words<T>(w);
  }
  TESSERA_FN T read_or(T const& x, bool reads, unsigned slot) const { return reads ? read(slot) : x; }
  TESSERA_FN checked_slots from(unsigned slot) const { return {id, array, first + slot, site}; }
  template <unsigned Count, bool Some = false>
  TESSERA_FN items<T, Count> read_row(unsigned slot, bool reads = true) const {
    auto out = tessera::detail::from_words<items<T, Count>>({});
    for (unsigned i = 0; i < (reads ? Count : 0); ++i) {
      T const x = read(slot + i);
      tessera::detail::copy_bytes(TESSERA_ADDRESS_OF(out.item[i]), TESSERA_ADDRESS_OF(x), sizeof(T));
    }
    return out;
  }
};

/// Stops the lane if its tile of `size` lanes reaches past the end of the caller's scratch, which is for `threads`
/// threads.
TESSERA_ONE_SIDED
TESSERA_FN void require_scratch_size([[maybe_unused]] const lane_id& id, [[maybe_unused]] const collective_call& call,
                                     [[maybe_unused]] unsigned size, [[maybe_unused]] unsigned threads) {
#if !TESSERA_ARCH
  unsigned const tile = id.rank / size;
  if ((tile + 1) * size <= threads) return;
  engine& now = detail::engine_of(id, call.name, call.site);
  now.fail(misuse_kind::index_out_of_range, call.site, [&] {
    return "lane " + std::to_string(id.rank) + ", in tile " + std::to_string(tile) + " of " + std::to_string(size) +
           " lanes, exchanges through a scratch for " + std::to_string(threads) + " threads, in " + call.name +
           ", at " + detail::describe(call.site) + ":\n  write scratch<T, " + std::to_string(now.size()) + ">";
  });
#endif
}

/// The memory of a call without scratch, with as many slots as on the GPU.
template <class Layout>
struct library_memory : Layout {
  template <class T, unsigned Row>
  static constexpr bool has_inputs = true;
  template <class T>
  static constexpr bool has_results = true;
  static constexpr unsigned threads = ~0u;
  static constexpr unsigned key = 0;
  template <unsigned N>
  TESSERA_FN static constexpr unsigned begin_of(unsigned, unsigned) {
    return 0;
  }
};

template <unsigned N, class Memory>
class backend {
 public:
  static constexpr unsigned size = N;
  static constexpr bool has_trailing_barrier = Memory::has_trailing_barrier;
  static constexpr unsigned least_row_with_result = Memory::least_row_with_result;
  static constexpr unsigned most_moved = Memory::most_moved;
  static constexpr bool may_be_partial = true, is_block = true;
  template <class T>
  static constexpr unsigned row = Memory::template row<T>;

  TESSERA_FN backend(const lane_id& id, const collective_call& call, Memory memory)
      : id_(id), call_(call), memory_(memory) {}

  /// The group of the same lanes that exchanges through the library's memory.
  TESSERA_FN auto with_library_memory() const {
    using memory = library_memory<tessera::detail::library_layout_of<N, true>>;
    return backend<N, memory>(id_, call_, {});
  }

  TESSERA_FN unsigned rank() const { return id_.rank & (N - 1); }
  TESSERA_FN unsigned valid_count() const { return host::group<N>(id_, call_).valid_count(); }
  TESSERA_FN host::group<32> in_warp() const { return {id_, call_}; }
  template <unsigned M>
  TESSERA_FN host::group<M> part() const {
    return {id_, call_};
  }

  TESSERA_FN void barrier() const { host::group<N>(id_, call_).sync(); }
  TESSERA_FN constexpr bool can_count() const { return true; }
  TESSERA_FN unsigned barrier_count(bool mine) const {
    unsigned const total = host::group<N>(id_, call_).ballot(mine).count();
    barrier();
    return total;
  }

  TESSERA_FN static bool of_warp(bool which, bool /*mine*/) { return which; }

  template <class T, unsigned Row, bool ForRaking = false>
  TESSERA_FN checked_slots<T> inputs() const {
    tessera::detail::require_scratch_room<Memory::template has_inputs<T, Row>>();
    return slots_for<T, Row>(0);
  }
  template <class T, unsigned Row>
  TESSERA_FN checked_slots<T> outputs() const {
    tessera::detail::require_scratch_room<Memory::template has_results<T>>();
    return slots_for<T, 1>(1);
  }

 private:
  template <class T, unsigned Row>
  TESSERA_FN checked_slots<T> slots_for(unsigned use) const {
    unsigned const kind = N << 20 | Row << 4 | use, tile = id_.rank / N, first = tile * (N / 32 * Row);
    std::size_t const begin = std::size_t{Memory::template begin_of<N>(tile, use)} - first * sizeof(T);
    return {id_, {kind, memory_.key, type_tag<char[sizeof(T)]>(), sizeof(T), 32 * Row, N, begin}, first, call_.site};
  }

  lane_id id_;
  collective_call call_;
  Memory memory_;
};

template <unsigned N, class Policy>
TESSERA_FN auto memory_of([[maybe_unused]] Policy const& policy) {
  using memory = tessera::detail::chosen_memory<Policy>;
  if constexpr (std::is_same_v<memory, choice::library_memory>) {
    return library_memory<tessera::detail::library_layout_of<N, true>>{};
  } else {
    return policy.scratch->template memory<memory::has_trailing_barrier>();
  }
}

using any_memory = library_memory<tessera::detail::library_layout_of<256, true>>;
static_assert(tessera::detail::is_group<tessera::detail::multi_warp_group<backend<256, any_memory>>>,
              "Several warps of a host tile are a group: see group/group.hpp.");

}  // namespace host::detail
TESSERA_NAMESPACE_END

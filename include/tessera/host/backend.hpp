// Where a host tile of several warps runs: rendezvous for barriers, checked memory for slots. See detail/multi_warp_group.hpp.
#pragma once

#include <tessera/config.hpp>
#include <tessera/detail/multi_warp_group.hpp>
#include <tessera/host/group.hpp>
#include <tessera/host/touch.hpp>
#include <tessera/policy.hpp>
#include <type_traits>

namespace tessera::host::detail {

/// What the library keeps in the block's shared memory: `count` values for the whole block.
struct slot_form {
  unsigned key;
  unsigned memory;  // the library's own is 0
  const char* type;
  std::size_t bytes;
  std::size_t count;
  unsigned tile_size;
};

/// Checks one access by the running lane, and gives the value's address.
TESSERA_ONE_SIDED
TESSERA_FN void* touch_slot([[maybe_unused]] const identity& who, [[maybe_unused]] const slot_form& form,
                            [[maybe_unused]] unsigned index, [[maybe_unused]] access_kind kind,
                            [[maybe_unused]] const call_site& site) {
#if TESSERA_ARCH
  a_host_tile_cannot_be_used_in_a_kernel();
  return nullptr;
#else
  engine& now = engine_of(who, "a slot", site);
  array_form const array{form.type, form.bytes, 16, form.count, {"slots of tiles", "", form.tile_size}};
  std::uint64_t const key = std::uint64_t{form.memory} << 32 | form.key;
  return touch(who, now.slots(key, array), {index, site}, kind, kind == access_kind::read);
#endif
}

/// Slots of T, from `first` on those of one tile. Types of one size share them.
template <class T>
struct checked_slots {
  identity who;
  slot_form form;
  unsigned first;
  call_site site;

  TESSERA_FN void write(unsigned slot, T const& x) const {
    tessera::detail::copy_bytes(touch_slot(who, form, first + slot, access_kind::write, site), &x, sizeof(T));
  }
  TESSERA_FN T read(unsigned slot) const {
    tessera::detail::words<T> w{};
    tessera::detail::copy_bytes(w.word, touch_slot(who, form, first + slot, access_kind::read, site),
                                sizeof(T));
    return tessera::detail::from_words<T>(w);
  }
  template <unsigned Count>
  TESSERA_FN void write_row(unsigned slot, items<T, Count> const& x) const {
    for (unsigned i = 0; i < Count; ++i) write(slot + i, x[i]);
  }
  template <unsigned Count>
  TESSERA_FN items<T, Count> read_row(unsigned slot) const {
    auto out = tessera::detail::from_words<items<T, Count>>({});
    for (unsigned i = 0; i < Count; ++i) {
      T const x = read(slot + i);
      tessera::detail::copy_bytes(&out.item[i], &x, sizeof(T));
    }
    return out;
  }
};

/// Stops the lane where the caller's scratch, for so many threads, ends before its tile of `size` does.
TESSERA_ONE_SIDED
TESSERA_FN void require_room([[maybe_unused]] const identity& who,
                             [[maybe_unused]] const collective_call& call, [[maybe_unused]] unsigned size,
                             [[maybe_unused]] unsigned threads) {
#if !TESSERA_ARCH
  unsigned const tile = who.rank / size;
  if ((tile + 1) * size <= threads) return;
  engine& now = engine_of(who, call.name, call.site);
  now.fail(misuse_kind::index_out_of_range, [&] {
    return "lane " + std::to_string(who.rank) + ", in tile " + std::to_string(tile) + " of " +
           std::to_string(size) + " lanes, exchanges through a scratch for " + std::to_string(threads) +
           " threads, in " + call.name + ", at " + describe(call.site) + ":\n  write scratch<T, " +
           std::to_string(now.size()) + ">";
  });
#endif
}

/// No scratch was given, or one in which `row<T>` values of T fit for each warp.
struct library_memory {
  static constexpr unsigned buffers = 2;
  static constexpr unsigned threads = ~0u;
  static constexpr bool has_trailing_barrier = true;
  static constexpr bool holds_results = false;
  template <class T>
  static constexpr unsigned row = 1;
  static constexpr unsigned key = 0;
};

template <unsigned N, class Memory>
class backend {
 public:
  static constexpr unsigned size = N;
  static constexpr unsigned buffers = Memory::buffers;
  static constexpr bool has_trailing_barrier = Memory::has_trailing_barrier,
                        holds_results = Memory::holds_results;
  static constexpr bool may_be_partial = true;
  template <class T>
  static constexpr unsigned row = Memory::template row<T>;

  TESSERA_FN backend(const identity& who, const collective_call& call, Memory memory)
      : who_(who), call_(call), memory_(memory) {}

  TESSERA_FN unsigned rank() const { return who_.rank & (N - 1); }
  TESSERA_FN unsigned valid_count() const { return host::group<N>(who_, call_).valid_count(); }
  TESSERA_FN host::group<32> in_warp() const { return {who_, call_}; }
  template <unsigned M>
  TESSERA_FN host::group<M> part() const {
    return {who_, call_};
  }

  TESSERA_FN void barrier() const { host::group<N>(who_, call_).sync(); }
  TESSERA_FN constexpr bool can_count() const { return true; }
  TESSERA_FN unsigned barrier_count(bool mine) const {
    unsigned const total = host::group<N>(who_, call_).ballot(mine).count();
    barrier();
    return total;
  }

  template <class T, unsigned Row, tessera::detail::slot_use Use>
  TESSERA_FN checked_slots<T> slots(unsigned buffer) const {
    constexpr unsigned kind = N << 16 | Row << 8 | static_cast<unsigned>(Use) << 1;
    return {who_,
            {kind | buffer, memory_.key, type_tag<char[sizeof(T)]>(), sizeof(T), 32 * Row, N},
            who_.rank / N * (N / 32 * Row),
            call_.site};
  }

 private:
  identity who_;
  collective_call call_;
  Memory memory_;
};

template <class Policy>
TESSERA_FN auto memory_of([[maybe_unused]] Policy const& policy) {
  using memory = typename Policy::memory;
  if constexpr (std::is_same_v<memory, choice::library_memory>) {
    return library_memory{};
  } else {
    return policy.scratch->template memory<memory::has_trailing_barrier>();
  }
}

static_assert(tessera::detail::is_group<tessera::detail::multi_warp_group<backend<256, library_memory>>>,
              "Several warps of a host tile are a group: see detail/group.hpp.");

}  // namespace tessera::host::detail

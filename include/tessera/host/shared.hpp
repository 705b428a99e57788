// Shared memory of a block, each access checked: for races, for reads of what was never written, for bad
// indices.
//
//   host::shared<int> scratch(block, 32);  // in every lane of the block, like `__shared__ int scratch[32]`
//   scratch[rank] = x;                     // a write
//   block.sync();
//   int const y = scratch[rank ^ 1];       // a read (not `auto`: that is still a reference)
//   scratch[0].fetch_add(1);               // atomics don't race with each other
//
// Checks are exact, whatever the schedule: two accesses are in order if a sync that both lanes joined lies
// between, else they race. `block.sync()`, `tile.sync()` and `lanes.sync()` order memory; shuffles and votes
// don't.
#pragma once

#include <cstddef>
#include <string>
#include <tessera/config.hpp>
#include <tessera/host/block.hpp>
#include <tessera/host/kernel_interface.hpp>
#include <tessera/host/shared_array.hpp>
#include <type_traits>

namespace tessera::host {

/// An index, and the source line where it was written down.
struct index_at {
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
  index_at(I i, call_site where = call_site::here()) : index(static_cast<long long>(i)), site(where) {}

  long long index;
  call_site site;
};

namespace detail {

inline std::string describe_access(access_kind kind, unsigned lane, const call_site& site) {
  return std::string(name_of(kind)) + " by lane " + std::to_string(lane) + ", at " + describe(site);
}

/// Checks one access by the running lane, and gives the element's address.
inline void* touch(const identity& who, shared_array& array, index_at at, access_kind kind, bool reads) {
  engine& now = engine_of(who, "a shared array", at.site);
  unsigned const lane = now.current();
  auto const element = [&] {
    return "element " + std::to_string(at.index) + " of " + describe(array.form()) + ":\n  " +
           describe_access(kind, lane, at.site);
  };
  if (at.index < 0 || static_cast<std::size_t>(at.index) >= array.form().count)
    now.fail(misuse_kind::index_out_of_range, element);
  std::size_t const i = static_cast<std::size_t>(at.index);
  access_history& history = array.history(i);
  if (reads && !history.written())
    now.fail(misuse_kind::uninitialized_read, [&] { return element() + "\n  of what nothing has written"; });
  auto const before = [&](const access& old) { return now.happens_before(old.lane, old.tick, lane); };
  if (const access* const other = history.note({kind, lane, now.tick(), at.site}, before))
    now.fail(misuse_kind::shared_race, [&] {
      return element() + "\n  " + describe_access(other->kind, other->lane, other->site) +
             "\n  with no sync of both lanes between";
    });
  return static_cast<char*>(array.data()) + i * array.form().bytes;
}

}  // namespace detail

template <class T>
class shared {
  static_assert(std::is_trivially_copyable_v<T>,
                "host::shared<T>: shared memory holds trivially copyable types only.");

 public:
  /// One element, about to be accessed.
  class reference {
   public:
    operator T() const { return get(); }
    reference& operator=(T x) {
      put(x);
      return *this;
    }
    reference& operator=(const reference& from) { return *this = from.get(); }
    reference(const reference&) = default;

    /// Not atomic: a read, then a write.
    template <class U>
    reference& operator+=(U x) {
      return *this = static_cast<T>(get() + x);
    }
    template <class U>
    reference& operator-=(U x) {
      return *this = static_cast<T>(get() - x);
    }
    template <class U>
    reference& operator*=(U x) {
      return *this = static_cast<T>(get() * x);
    }
    template <class U>
    reference& operator/=(U x) {
      return *this = static_cast<T>(get() / x);
    }
    template <class U>
    reference& operator&=(U x) {
      return *this = static_cast<T>(get() & x);
    }
    template <class U>
    reference& operator|=(U x) {
      return *this = static_cast<T>(get() | x);
    }
    template <class U>
    reference& operator^=(U x) {
      return *this = static_cast<T>(get() ^ x);
    }
    reference& operator++() { return *this += 1; }
    reference& operator--() { return *this -= 1; }

    /// Atomic; each returns the value before.
    T fetch_add(T x) {
      return update([x](T old) { return static_cast<T>(old + x); });
    }
    T fetch_sub(T x) {
      return update([x](T old) { return static_cast<T>(old - x); });
    }
    T fetch_and(T x) {
      return update([x](T old) { return static_cast<T>(old & x); });
    }
    T fetch_or(T x) {
      return update([x](T old) { return static_cast<T>(old | x); });
    }
    T fetch_xor(T x) {
      return update([x](T old) { return static_cast<T>(old ^ x); });
    }
    T fetch_min(T x) {
      return update([x](T old) { return x < old ? x : old; });
    }
    T fetch_max(T x) {
      return update([x](T old) { return old < x ? x : old; });
    }
    T exchange(T x) {
      return update([x](T) { return x; });
    }
    T compare_exchange(T expected, T x) {
      return update([=](T old) { return old == expected ? x : old; });
    }
    T atomic_load() const { return *address(detail::access_kind::atomic, true); }
    void atomic_store(T x) { *address(detail::access_kind::atomic, false) = x; }

   private:
    friend class shared;
    reference(const shared& array, index_at at) : array_(&array), at_(at) {}

    T* address(detail::access_kind kind, bool reads) const {
      return static_cast<T*>(detail::touch(array_->who_, *array_->array_, at_, kind, reads));
    }
    T get() const { return *address(detail::access_kind::read, true); }
    void put(T x) { *address(detail::access_kind::write, false) = x; }
    template <class F>
    T update(F f) const {
      T* const at = address(detail::access_kind::atomic, true);
      T const old = *at;
      *at = f(old);
      return old;
    }

    const shared* array_;
    index_at at_;
  };

  /// The k-th array that a lane declares is the k-th of the block: all lanes declare the same ones, in the
  /// same order. Not a barrier.
  shared(const block& where, std::size_t count, call_site site = call_site::here())
      : who_(where.who()),
        array_(&detail::engine_of(who_, "the declaration of a shared array", site)
                    .declare_shared({detail::type_tag<T>(), sizeof(T), alignof(T), count, site})) {}

  std::size_t size() const { return array_->form().count; }
  reference operator[](index_at i) const { return {*this, i}; }
  T read(index_at i) const { return (*this)[i]; }
  void write(index_at i, T x) const { (*this)[i] = x; }
  /// The elements themselves, unchecked: for code that takes a pointer. What is written through it doesn't count as
  /// written for the checked accesses.
  T* data() const { return static_cast<T*>(array_->data()); }

 private:
  detail::identity who_;
  detail::shared_array* array_;
};

}  // namespace tessera::host

// A list of values, and a value that may be missing: what the model needs of std::vector and std::optional.
//
// The oracle has hundreds of types of values. For each of them std::vector and std::optional are some hundred functions to
// compile, which was two thirds of all functions of its programs; these are twenty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace oracle::model {

/// A value of R, or none. R has a default value.
template <class R>
class maybe {
 public:
  maybe() = default;
  maybe(std::nullopt_t) {}
  maybe(R const& value) : value_(value), has_(true) {}

  explicit operator bool() const { return has_; }
  bool has_value() const { return has_; }
  R& operator*() { return value_; }
  R const& operator*() const { return value_; }
  R* operator->() { return &value_; }
  R const* operator->() const { return &value_; }
  /// The value, which must be there.
  R const& value() const { return has_ ? value_ : throw std::bad_optional_access(); }
  void reset() { has_ = false; }

  friend bool operator==(maybe const& a, maybe const& b) {
    return a.has_ == b.has_ && (!a.has_ || a.value_ == b.value_);
  }

 private:
  R value_{};
  bool has_ = false;
};

/// Memory for the elements of a list, of any type.
class list_memory {
 public:
  list_memory() = default;
  list_memory(list_memory const&) = delete;
  ~list_memory() { ::operator delete(data_); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 protected:
  void swap(list_memory& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  /// Room for so many elements of `each` bytes. `move(from, to, n)` moves n elements; without it their bytes are copied.
  void reserve(std::size_t count, std::size_t each, void (*move)(void*, void*, std::size_t) = nullptr) {
    if (count <= capacity_) return;
    capacity_ = std::max(count, 2 * capacity_);
    void* const larger = ::operator new(capacity_* each);
    if (move != nullptr)
      move(data_, larger, size_);
    else if (size_ != 0)
      std::memcpy(larger, data_, size_ * each);
    ::operator delete(data_);
    data_ = larger;
  }
  void copy_bytes(list_memory const& other, std::size_t each) {
    reserve(other.size_, each);
    if (other.size_ != 0) std::memcpy(data_, other.data_, other.size_ * each);
    size_ = other.size_;
  }

  void* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// The elements of a list one after the other in memory, as std::vector has them.
template <class T>
class list : public list_memory {
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  static constexpr bool of_bytes = std::is_trivially_copyable_v<T>;

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = T const*;

  list() = default;
  explicit list(std::size_t count, T const& value = T()) { assign(count, value); }
  list(std::initializer_list<T> values) { append(values.begin(), values.end()); }
  template <class Iterator, class = decltype(*std::declval<Iterator&>())>
  list(Iterator first, Iterator last) {
    append(first, last);
  }
  list(list const& other) : list_memory() {
    if constexpr (of_bytes)
      copy_bytes(other, sizeof(T));
    else
      append(other.begin(), other.end());
  }
  list(list&& other) noexcept { swap(other); }
  list& operator=(list other) {
    swap(other);
    return *this;
  }
  ~list() {
    if constexpr (!of_bytes) resize(0);
  }

  T* data() { return static_cast<T*>(data_); }
  T* begin() { return static_cast<T*>(data_); }
  T* end() { return static_cast<T*>(data_) + size_; }
  T const* begin() const { return static_cast<T const*>(data_); }
  T const* end() const { return static_cast<T const*>(data_) + size_; }
  T& operator[](std::size_t i) { return static_cast<T*>(data_)[i]; }
  T const& operator[](std::size_t i) const { return static_cast<T const*>(data_)[i]; }
  T& front() { return *static_cast<T*>(data_); }
  T const& front() const { return *static_cast<T const*>(data_); }
  T& back() { return static_cast<T*>(data_)[size_ - 1]; }
  T const& back() const { return static_cast<T const*>(data_)[size_ - 1]; }

  void push_back(T const& value) {
    if (size_ == capacity_) return push_back_in_larger(value);
    new (static_cast<T*>(data_) + size_++) T(value);
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(T(*first));
  }
  void assign(std::size_t count, T const& value) {
    list other;
    other.make_room(count);
    while (other.size_ < count) new (static_cast<T*>(other.data_) + other.size_++) T(value);
    swap(other);
  }
  /// New elements have the default value.
  void resize(std::size_t count) {
    make_room(count);
    while (size_ < count) new (static_cast<T*>(data_) + size_++) T();
    while (size_ > count) static_cast<T*>(data_)[--size_].~T();
  }

  friend bool operator==(list const& a, list const& b) {
    bool same = a.size_ == b.size_;
    for (std::size_t i = 0; same && i < a.size_; ++i) same = a[i] == b[i];
    return same;
  }

 private:
  void push_back_in_larger(T const value) {  // a copy, since the value may be an element of this list
    make_room(size_ + 1);
    new (static_cast<T*>(data_) + size_++) T(value);
  }
  void make_room(std::size_t count) {
    if constexpr (of_bytes)
      reserve(count, sizeof(T));
    else
      reserve(count, sizeof(T), [](void* from, void* to, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
          T& old = static_cast<T*>(from)[i];
          new (static_cast<T*>(to) + i) T(std::move(old));
          old.~T();
        }
      });
  }
};

/// The numbers 0 … count − 1, of which the first `sorted` are in order, and equal ones in the order of their numbers.
inline list<std::size_t> stable_order(std::size_t count, std::size_t sorted, void const* what,
                                      bool (*comes_before)(void const* what, std::size_t a, std::size_t b)) {
  list<std::size_t> at(count);
  for (std::size_t i = 0; i < count; ++i) at[i] = i;
  std::stable_sort(at.begin(), at.begin() + sorted,
                   [&](std::size_t a, std::size_t b) { return comes_before(what, a, b); });
  return at;
}
/// The positions of the values in order; those from `sorted` on stay.
template <class T, class Before>
list<std::size_t> order_of_first(std::size_t sorted, list<T> const& all, Before const& before) {
  struct sorting {
    list<T> const& all;
    Before const& before;
  };
  sorting const of{all, before};
  return stable_order(all.size(), sorted, &of, [](void const* what, std::size_t a, std::size_t b) -> bool {
    auto const& [values, comes_first] = *static_cast<sorting const*>(what);
    return comes_first(values[a], values[b]);
  });
}

}  // namespace oracle::model

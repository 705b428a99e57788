// Iterators that compute what they read, for tests of calls by iterators.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>
#include <iterator>
#include <tuple>
#include <utility>

namespace test {

/// f(0), f(1) …: an iterator whose elements are nowhere in memory.
template <class F>
struct computed {
  using value_type = decltype(std::declval<F const&>()(std::int64_t{}));
  using difference_type = std::int64_t;
  using reference = value_type;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;

  F f;
  std::int64_t at = 0;

  TESSERA_FN value_type operator*() const { return f(at); }
  TESSERA_FN value_type operator[](std::int64_t i) const { return f(at + i); }
  TESSERA_FN computed operator+(std::int64_t i) const { return {f, at + i}; }
};
template <class F>
computed(F) -> computed<F>;

/// Every Step-th element of an array, by references that are proxies: they convert to T and take one, and nothing else.
template <class T, int Step>
struct strided {
  using value_type = T;
  using difference_type = std::int64_t;
  class reference {
   public:
    TESSERA_FN explicit reference(T* at) : at_(at) {}
    TESSERA_FN operator T() const { return *at_; }
    TESSERA_FN reference const& operator=(T const& x) const {
      *at_ = x;
      return *this;
    }

   private:
    T* at_;
  };
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;

  T* first;

  TESSERA_FN reference operator*() const { return reference(first); }
  TESSERA_FN strided operator+(std::int64_t i) const { return {first + i * Step}; }
};

/// Tuples of elements, as those of thrust::zip_iterator.
template <class... It>
struct zipping {
  using value_type = std::tuple<typename std::iterator_traits<It>::value_type...>;

  std::tuple<It...> first;

  std::tuple<It...> const& get_iterator_tuple() const { return first; }
  value_type operator*() const {
    return std::apply([](auto const&... it) { return value_type(*it...); }, first);
  }
  zipping operator+(std::int64_t i) const {
    return {std::apply([i](auto const&... it) { return std::tuple<It...>(it + i...); }, first)};
  }
};

}  // namespace test

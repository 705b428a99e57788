// Types of the user's for sorts on the GPU, and their arrays.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "backend.hpp"
#include "samples.hpp"

namespace test {

/// A type without default constructor and assignment, ordered by a part of it.
struct city {
  TESSERA_FN city(int p, int n, int m) : people(p), number(n), more(m) {}
  city(city const&) = default;
  city& operator=(city const&) = delete;
  int const people, number, more;
};
struct larger_city {
  TESSERA_FN bool operator()(city const& a, city const& b) const { return a.people > b.people; }
};
/// Of an odd size.
struct name {
  unsigned char letters[3];
};
struct in_the_alphabet {
  TESSERA_FN bool operator()(name const& a, name const& b) const {
    for (int i = 0; i < 2; ++i)  // the last letter doesn't count
      if (a.letters[i] != b.letters[i]) return a.letters[i] < b.letters[i];
    return false;
  }
};

template <class T>
T drawn_one(random_engine& random, int number);
template <>
inline city drawn_one<city>(random_engine& random, int number) {
  return {static_cast<int>(random() % 50), number, -number};
}
template <>
inline name drawn_one<name>(random_engine& random, int) {
  return {{static_cast<unsigned char>(random() % 3), static_cast<unsigned char>(random() % 3),
           static_cast<unsigned char>(random())}};
}
template <>
inline std::int16_t drawn_one<std::int16_t>(random_engine& random, int) {
  return static_cast<std::int16_t>(random());
}
template <>
inline std::uint8_t drawn_one<std::uint8_t>(random_engine& random, int) {
  return static_cast<std::uint8_t>(random());
}

template <class T>
std::vector<unsigned char> bytes_of(T const* x, std::size_t n) {
  std::vector<unsigned char> out(n * sizeof(T));
  if (n > 0) std::memcpy(out.data(), static_cast<void const*>(x), out.size());
  return out;
}

/// The GPU's copy of elements, as bytes: T may have no default constructor.
template <class T>
class array_of {
 public:
  explicit array_of(std::vector<T> const& x) : bytes_(bytes_of(x.data(), x.size())) {}
  T* data() const { return reinterpret_cast<T*>(bytes_.data()); }
  std::vector<unsigned char> to_host() const { return bytes_.to_host(); }

 private:
  gpu_array<unsigned char> bytes_;
};

}  // namespace test

// An order, a key and predicates of structs, for the calls that take functions.
#pragma once

#include <cstdint>

#include <tessera/core/config.hpp>

namespace oracle::arrays {

struct first_word_less {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    return a.w[0] % 1000 < b.w[0] % 1000;
  }
};
struct first_word {
  template <class T>
  TESSERA_FN std::uint32_t operator()(T const& x) const {
    return x.w[0] % 1000;
  }
};
struct is_odd {
  template <class T>
  TESSERA_FN bool operator()(T const& x) const {
    return x.w[0] % 2 != 0;
  }
};
struct both_odd {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    return is_odd{}(a) == is_odd{}(b);
  }
};

}  // namespace oracle::arrays

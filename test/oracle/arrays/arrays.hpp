// The oracle of arrays: a call with its arrays, which the files beside this make of a line of text, and main.cpp runs in a sequence.
//
//   call=sort type=float op= size=tile values=special align=mixed place=apart memory=shared form=less
//
// Each file registers makers. A maker draws the call's inputs, asks the model (../model/arrays.hpp) for its outputs, and says how to
// launch it. So what a call must give is known before anything runs.
#pragma once

#include <tessera/grid/execution.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../model/arrays.hpp"
#include "../model/halves.hpp"
#include "../values.hpp"

namespace oracle::arrays {

namespace model = oracle::model::arrays;
namespace grid = tessera::grid;
using model::index;

/// A choice in each dimension.
class choices {
 public:
  std::map<std::string, std::string> of;

  std::string const& operator[](std::string const& dimension) const {
    static std::string const none;
    auto const found = of.find(dimension);
    return found == of.end() ? none : found->second;
  }
  bool is(char const* dimension, char const* choice) const { return (*this)[dimension] == choice; }
};

/// An array in the GPU's memory, with words before and after it that nobody may write.
struct buffer {
  static constexpr std::size_t guard = 256;
  static constexpr unsigned char poison = 0xcd;

  std::vector<unsigned char> image, expected;  // of guards and elements: before a launch, and after it
  std::size_t begin = guard, elements = 0;
  std::function<std::string(unsigned char const*)> judge;  // what is wrong with the elements; else ""
  std::vector<unsigned char> first;                        // what the first launch gave, where `expected` isn't exact
  unsigned char* device = nullptr;

  std::string differs(std::vector<unsigned char> const& got);
};

/// An array of T. Its place is known when the call is launched.
template <class T>
struct array {
  buffer* at = nullptr;
  T* operator()() const { return at ? reinterpret_cast<T*>(at->device + at->begin) : nullptr; }
};

template <class T>
index size(std::vector<T> const& x) {
  return static_cast<index>(x.size());
}
/// Elements that nobody wrote.
template <class T>
std::vector<T> poisoned(index n) {
  std::vector<T> x(static_cast<std::size_t>(n));
  if (n > 0) std::memset(static_cast<void*>(x.data()), buffer::poison, x.size() * sizeof(T));
  return x;
}

/// One call.
class call {
 public:
  choices what;
  u64 seed = 0;
  index n = 0;
  std::deque<buffer> buffers;
  std::function<cudaError_t(grid::execution)> launch;

  /// A number from 0 to `below` − 1; each `which` is another.
  index drawn(u64 which, index below) const {
    return below < 1 ? 0 : static_cast<index>(mixed(seed, 77, which) % static_cast<u64>(below));
  }
  bool in_place() const { return what.is("place", "in_place"); }

  /// An array that the call reads.
  template <class T>
  array<T const> in(std::vector<T> const& x) {
    return {add(x, x, {})};
  }
  /// `initial` until the call writes `expected`; elements that it leaves alone are the same in both.
  template <class T>
  array<T> over(std::vector<T> const& initial, std::vector<T> const& expected,
                std::function<bool(T const&, T const&, std::size_t)> near = nullptr) {
    bool const exact = !near;
    if (exact) near = [](T const& got, T const& want, std::size_t) { return same(got, want); };
    buffer* const made = add(initial, expected, [expected, near](unsigned char const* bytes) {
      for (std::size_t i = 0; i < expected.size(); ++i) {
        T got;
        std::memcpy(&got, bytes + i * sizeof(T), sizeof(T));
        if (!near(got, expected[i], i))
          return "element " + std::to_string(i) + " is " + shown(got) + ", expected " + shown(expected[i]);
      }
      return std::string();
    });
    if (!exact) made->first.resize(1);
    return {made};
  }
  /// Poison until then.
  template <class T>
  array<T> out(std::vector<T> const& expected) {
    return over(poisoned<T>(size(expected)), expected);
  }
  /// An input, and its output: the same array, or another.
  template <class T>
  std::pair<array<T const>, array<T>> in_and_out(std::vector<T> const& x, std::vector<T> const& expected) {
    if (!in_place()) return {in(x), out(expected)};
    std::vector<T> whole = expected;  // a select leaves the rest as it is
    if (x.size() > whole.size()) whole.insert(whole.end(), x.begin() + size(expected), x.end());
    array<T> const both = over(x, whole);
    return {{both.at}, both};
  }
  /// An array whose elements `judge` finds right or wrong; `expected` is right.
  template <class T>
  array<T> judged(std::vector<T> const& initial, std::vector<T> const& expected,
                  std::function<bool(std::vector<T> const&)> judge) {
    std::size_t const n_elements = expected.size();
    return {add(initial, expected, [judge, n_elements](unsigned char const* bytes) {
      std::vector<T> got(n_elements);
      if (n_elements > 0) std::memcpy(static_cast<void*>(got.data()), bytes, n_elements * sizeof(T));
      return std::string(judge(got) ? "" : "the elements aren't in order, or not the same ones");
    })};
  }

 private:
  /// How many elements after a multiple of 256 bytes the next array begins.
  std::size_t offset() const {
    if (what.is("align", "aligned")) return 0;
    return what.is("align", "one") ? 1 : static_cast<std::size_t>(drawn(900 + buffers.size(), 16));
  }
  template <class T>
  buffer* add(std::vector<T> const& initial, std::vector<T> const& expected,
              std::function<std::string(unsigned char const*)> judge) {
    std::size_t const bytes = expected.size() * sizeof(T), at = buffer::guard + offset() * sizeof(T);
    buffers.emplace_back();
    buffer& made = buffers.back();
    made.begin = at;
    made.elements = expected.size();
    made.judge = std::move(judge);
    made.image.assign(at + bytes + buffer::guard, buffer::poison);
    if (bytes > 0) std::memcpy(made.image.data() + at, initial.data(), bytes);
    made.expected = made.image;
    if (bytes > 0) std::memcpy(made.expected.data() + at, expected.data(), bytes);
    return &made;
  }
};

/// What is wrong with the bytes that a launch left; else "".
inline std::string buffer::differs(std::vector<unsigned char> const& got) {
  bool const exact = first.empty(), repeated = first.size() > 1;
  if (exact && got == expected) return "";
  std::size_t const end = expected.size() - guard;
  for (std::size_t i = 0; i < got.size(); ++i)
    if ((i < begin || i >= end) && got[i] != poison)
      return "something was written " +
             (i < begin ? std::to_string(begin - i) + " bytes before" : std::to_string(i - end) + " bytes after") +
             " the elements";
  if (!judge) return exact && got == expected ? "" : "an input was changed";
  std::string const wrong = judge(got.data() + begin);
  if (!wrong.empty() || exact) return wrong;
  if (repeated && got != first) return "the bits aren't those of the first launch";
  first = got;
  return "";
}

// ---- Makers

using maker = void (*)(call&);

/// Makers by the call's name; `any NAME` those of a user's types and operators.
inline std::map<std::string, maker>& makers() {
  static std::map<std::string, maker> all;
  return all;
}
/// A type of its own for files that nvcc compiles.
template <bool Any = TESSERA_CUDA>
struct registered {
  registered(std::initializer_list<std::pair<char const*, maker>> some) {
    for (auto const& [name, make] : some) makers()[(Any ? "any " : "") + std::string(name)] = make;
  }
};

// ---- What is drawn

/// The most elements of an array: under a sanitizer TESSERA_TEST_MOST, as in ../../gpu.hpp.
inline index most_elements() {
  char const* const given = std::getenv("TESSERA_TEST_MOST");
  return given ? std::atoll(given) : index{1} << 40;
}
/// How many elements a choice of `size` is. A shrunk call says it: n=17.
inline index size_of(choices const& what, u64 h) {
  std::string const& size = what["size"];
  if (!what["n"].empty()) return std::stoll(what["n"]);
  if (size == "tile") {
    index const tiles[] = {1920, 2048, 2304, 2560, 3072, 3840, 4096, 4864, 6656, 7680, 8192, 16384};
    return tiles[h % 12] * static_cast<index>(1 + (h >> 8) % 3) + static_cast<index>((h >> 16) % 3) - 1;
  }
  index n = 0;
  if (size == "many")
    n = static_cast<index>(100'000 + h % 200'000);
  else if (size == "million")
    n = static_cast<index>((1 << 20) - 5 + h % 300'000);
  else
    n = std::stoll(size);
  return std::min(n, most_elements());
}

/// n elements. Of floats, so that every order of additions or multiplications by Op gives the same bits.
template <class Op, class T>
std::vector<T> elements(call const& c, index n, u64 which = 0, bool plain = false) {
  constexpr bool is_number_type = oracle::model::is_number<T>;
  constexpr bool adds = std::is_same_v<Op, tessera::plus>, multiplies = std::is_same_v<Op, tessera::multiplies>;
  bool const special = c.what.is("values", "special") && !plain, few = c.what.is("values", "few");
  bool const is_float = oracle::model::is_float<T>;
  auto kind = few ? values::few : special ? values::special : values::any;
  unsigned profile = 7;
  if (special) profile = 1 + static_cast<unsigned>(c.drawn(which + 500, 4));
  if (is_float && adds && !few) kind = values::exact;
  if (is_float && multiplies) kind = values::unit;
  if (!is_float && special) kind = values::any, profile = 1;
  if (!is_float && plain) profile = few ? 7 : 0;
  std::vector<T> x(static_cast<std::size_t>(n));
  for (index i = 0; i < n; ++i) {
    T& y = x[static_cast<std::size_t>(i)];
    y = sampler<T>::of(mixed(c.seed, 1000 + which, static_cast<u64>(i)), profile, kind);
    if constexpr (is_number_type && multiplies)  // a product of many 2s and halves would overflow
      if (is_float && n > 20'000 && (y == T(2.0f) || y == T(0.5f))) y = T(1.0f);
  }
  return x;
}
template <class T>
std::vector<T> elements(call const& c, index n, u64 which = 0, bool plain = false) {
  return elements<void, T>(c, n, which, plain);
}

/// Lengths of segments and runs, up to n in all: short ones, one that is nearly all, or all kinds, empty ones too (of runs none).
inline std::vector<index> lengths(call const& c, index n, bool may_be_empty) {
  std::vector<index> all;
  index left = n;
  for (u64 i = 0; left > 0; ++i) {
    u64 const h = mixed(c.seed, 31, i);
    index length = 1 + static_cast<index>(h % 3);
    if (c.what.is("spread", "long")) length = i == 1 ? std::max<index>(1, left - 5) : length;
    if (c.what.is("spread", "mixed")) length = 1 + static_cast<index>((h >> 8) % (1ull << (h % 14)));
    if (may_be_empty && !c.what.is("spread", "long") && (h >> 40) % 4 == 0) length = 0;
    all.push_back(std::min(length, left));
    left -= all.back();
  }
  return all;
}
/// Offsets of segments in n elements: sometimes the first isn't 0, and the last not n.
inline std::vector<index> offsets(call const& c, index n) {
  index const before = c.drawn(41, 3) == 0 ? c.drawn(42, std::min<index>(n + 1, 40)) : 0;
  index const after = c.drawn(43, 3) == 0 ? c.drawn(44, std::min<index>(n - before + 1, 40)) : 0;
  std::vector<index> all{before};
  for (index const length : lengths(c, n - before - after, true)) all.push_back(all.back() + length);
  return all;
}
/// Keys in runs of such lengths: neighbors in different runs differ.
template <class Key>
std::vector<Key> keys_in_runs(call const& c, index n) {
  std::vector<Key> keys;
  u64 key = mixed(c.seed, 51) % 7;
  for (index const length : lengths(c, n, false)) {
    key = (key + 1 + mixed(c.seed, 52, keys.size()) % 5) % 7;
    keys.insert(keys.end(), static_cast<std::size_t>(length), static_cast<Key>(static_cast<int>(key)));
  }
  return keys;
}

/// Whether a float is as near as the model says, or up to `steps` of its own in the last place off what that rounds to.
template <class T>
bool is_near(T const& got, T const& rounded, model::near const& want, int steps) {
  auto const x = static_cast<long double>(static_cast<oracle::model::arithmetic_t<T>>(got));
  if (std::isnan(want.value) || std::isnan(x)) return std::isnan(want.value) && std::isnan(x);
  if (std::isinf(want.value) || std::isinf(x) || (want.error == 0 && steps == 0)) return got == rounded;
  constexpr bool half = std::is_same_v<T, __half>;
  constexpr long double ulp = sizeof(T) == 8 ? 0x1p-52L : sizeof(T) == 4 ? 0x1p-23L : half ? 0x1p-10L : 0x1p-7L;
  constexpr long double least = sizeof(T) == 8 ? 0x1p-1074L : sizeof(T) == 4 ? 0x1p-149L : half ? 0x1p-24L : 0x1p-133L;
  long double const step = std::max(ulp * std::abs(want.value), least);
  return std::abs(x - want.value) <= want.error + (steps + 0.5L) * step;
}

template <class To, class From>
std::vector<To> as(std::vector<From> const& x) {
  return std::vector<To>(x.begin(), x.end());
}

// ---- Types and operators by name

template <class... T>
struct types {};
template <class T>
struct name_of;
#define ORACLE_NAME(type, text)             \
  template <>                               \
  struct name_of<type> {                    \
    static constexpr char const* of = text; \
  }
ORACLE_NAME(std::uint8_t, "uint8");
ORACLE_NAME(std::int32_t, "int32");
ORACLE_NAME(std::uint32_t, "uint32");
ORACLE_NAME(std::int64_t, "int64");
ORACLE_NAME(std::uint64_t, "uint64");
ORACLE_NAME(float, "float");
ORACLE_NAME(double, "double");
ORACLE_NAME(__half, "half");
ORACLE_NAME(__nv_bfloat16, "bfloat16");
ORACLE_NAME(affine, "affine");
ORACLE_NAME(upper2, "upper2");
#undef ORACLE_NAME

/// Calls f(T()) for the type that the call names.
template <class... T, class F>
void with_type(call& c, types<T...>, F f) {
  bool const found = ((c.what.is("type", name_of<T>::of) && (f(T()), true)) || ...);
  if (!found) throw std::runtime_error("no such type: " + c.what["type"]);
}
/// Calls f(op) for the operator that the call names, of T.
template <class T, class F>
void with_op(call& c, F f) {
  auto const is = [&](char const* name) { return c.what.is("op", name); };
  if constexpr (!oracle::model::is_number<T>) {
    f(joining<T>());
  } else {
    if (is("plus")) f(tessera::plus{});
    if (is("minimum")) f(tessera::minimum{});
    if (is("maximum")) f(tessera::maximum{});
    if (is("multiplies")) f(tessera::multiplies{});
    if constexpr (oracle::model::is_integer<T>) {
      if (is("bit_and")) f(tessera::bit_and{});
      if (is("bit_or")) f(tessera::bit_or{});
      if (is("bit_xor")) f(tessera::bit_xor{});
    }
  }
}

#if TESSERA_CUDA
using numbers = types<affine, upper2>;
using elements_32_64 = numbers;

/// A function of elements, for calls that transform them.
struct last_word {
  TESSERA_FN std::uint32_t operator()(affine const& x) const { return x.w[1]; }
};
inline std::vector<std::uint32_t> last_words(std::vector<affine> const& x) {
  std::vector<std::uint32_t> words;
  for (affine const& y : x) words.push_back(last_word{}(y));
  return words;
}
#else
using integers = types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
using elements_32_64 = types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;
using numbers = types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double, __half, __nv_bfloat16>;
using floats = types<float, double, __half, __nv_bfloat16>;
#endif

}  // namespace oracle::arrays

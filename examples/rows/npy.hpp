// Arrays in files of NumPy's format .npy.
//
//   \x93NUMPY  version  length of the header  {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  the elements
//
// Versions 1.0, 2.0 and 3.0: the length has 2 bytes in the first, 4 in the others. Little-endian, as this machine is.
//
// Source: NEP 1, "A simple file format for NumPy arrays".
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace rows {

enum class number { float16, float32, float64, int64, uint64 };

/// As NumPy calls it.
char const* name_of(number type);
std::size_t size_of(number type);

/// In C order.
struct array {
  number type = number::float32;
  std::vector<std::int64_t> shape;
  std::vector<unsigned char> data;

  /// Of so many zeros.
  static array zeros(number type, std::vector<std::int64_t> shape);
  template <class T>
  T const* as() const {
    return reinterpret_cast<T const*>(data.data());
  }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data.data());
  }
};

/// As Python writes a tuple: "(3, 4)".
std::string text_of(std::vector<std::int64_t> const& shape);

/// What is wrong with a file, in words for its owner.
struct file_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An array of floats of 16, 32 or 64 bits, of one or two dimensions. Throws file_error.
array read_npy(std::string const& name);
/// Throws file_error.
void write_npy(std::string const& name, array const& what);

}  // namespace rows

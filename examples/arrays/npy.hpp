// Reads and writes arrays in NumPy's file format .npy.
//
//   \x93NUMPY  version  length of the header  {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  the elements
//
// The length has 2 bytes in version 1.0, and 4 bytes in versions 2.0 and 3.0. Numbers are little-endian.
//
// Source: NEP 1, "A simple file format for NumPy arrays".
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace arrays {

enum class number { float16, float32, float64, int64, uint64 };

/// NumPy's name of the type.
char const* name_of(number type);
std::size_t size_of(number type);

/// An array in C order.
struct array {
  number type = number::float32;
  std::vector<std::int64_t> shape;
  std::vector<unsigned char> data;

  /// An array of zeros.
  static array zeros(number type, std::vector<std::int64_t> shape);
  /// Keeps the first elements of an array of one dimension.
  void shorten(std::int64_t elements);
  template <class T>
  T const* as() const {
    return reinterpret_cast<T const*>(data.data());
  }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data.data());
  }
};

/// The shape as Python writes a tuple: "(3, 4)".
std::string text_of(std::vector<std::int64_t> const& shape);

/// Thrown when a file can't be read or written, or holds no array that the program supports. `what()` is
/// for the user.
struct file_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads an array of one or two dimensions, with floats of 16, 32 or 64 bits. Throws file_error.
array read_npy(std::string const& name);
/// Writes the array. Throws file_error.
void write_npy(std::string const& name, array const& what);

}  // namespace arrays

#include "npy.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>

namespace arrays {

namespace {

struct type_row {
  number type;
  char const* name;
  char const* descr;
  std::size_t size;
};
constexpr type_row types[] = {
    {number::float16, "float16", "<f2", 2}, {number::float32, "float32", "<f4", 4},
    {number::float64, "float64", "<f8", 8}, {number::int64, "int64", "<i8", 8},
    {number::uint64, "uint64", "<u8", 8},
};
type_row const& row_of(number type) {
  for (type_row const& row : types)
    if (row.type == type) return row;
  throw std::logic_error("a type without a row");
}

std::string_view const magic = "\x93NUMPY";
constexpr std::size_t longest_header = 1 << 20;  // NumPy's own headers for numbers have less than 200 bytes

/// Parses the header, which is the literal of a Python dictionary with three known keys.
class header_parser {
 public:
  explicit header_parser(std::string_view text) : text_(text) {}

  struct header {
    std::string descr;
    bool fortran_order = false;
    std::vector<std::int64_t> shape;
  };

  header parse() {
    bool has_descr = false, has_order = false, has_shape = false;
    header out;
    expect('{');
    while (!accept('}')) {
      std::string const key = quoted();
      expect(':');
      if (key == "descr" && !has_descr) {
        has_descr = true;
        if (next() == '[')
          throw file_error("its elements have fields: only float16, float32 and float64 are supported");
        out.descr = quoted();
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        out.fortran_order = truth();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        out.shape = tuple();
      } else {
        fail("the key '" + key + "' is unknown, or occurs twice");
      }
      if (!accept(',') && next() != '}') fail("a comma is missing");
    }
    if (next() != '\0') fail("something follows the dictionary");
    if (!has_descr || !has_order || !has_shape) fail("'descr', 'fortran_order' or 'shape' is missing");
    return out;
  }

 private:
  [[noreturn]] void fail(std::string const& why) const {
    throw file_error("bad header: " + why + ", at its byte " + std::to_string(at_));
  }
  /// The next character that isn't white space, or '\0' at the end.
  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "' is missing");
  }
  std::string quoted() {
    char const quote = next();
    if (quote != '\'' && quote != '"') fail("a string is missing");
    std::size_t const end = text_.find(quote, at_ + 1);
    if (end == text_.npos) fail("a string has no end");
    std::string const out(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return out;
  }
  bool truth() {
    next();
    for (bool value : {false, true}) {
      std::string_view const word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("True or False is missing");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> out;
    expect('(');
    while (!accept(')')) {
      out.push_back(size());
      if (!accept(',') && next() != ')') fail("a comma is missing");
    }
    return out;
  }
  std::int64_t size() {
    if (next() < '0' || text_[at_] > '9') fail("a size is missing");
    std::int64_t out = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      std::int64_t const digit = text_[at_] - '0';
      if (out > (std::numeric_limits<std::int64_t>::max() - digit) / 10) fail("a size is too large");
      out = 10 * out + digit;
    }
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote sizes with an L
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Reads up to `size` bytes.
std::string take(std::istream& from, std::size_t size) {
  std::string out(size, '\0');
  from.read(out.data(), static_cast<std::streamsize>(size));
  out.resize(static_cast<std::size_t>(from.gcount()));
  return out;
}

std::string take_header(std::istream& from) {
  if (take(from, magic.size()) != magic)
    throw file_error("this isn't a .npy file: it doesn't begin with \\x93NUMPY");
  std::string const version = take(from, 2);
  if (version.size() < 2) throw file_error("truncated: it ends within the header");
  unsigned const major = static_cast<unsigned char>(version[0]),
                 minor = static_cast<unsigned char>(version[1]);
  if (major < 1 || major > 3 || minor != 0)
    throw file_error("version " + std::to_string(major) + "." + std::to_string(minor) +
                     " of the format is unknown: 1.0, 2.0 and 3.0 are supported");
  std::string const length = take(from, major == 1 ? 2 : 4);
  std::size_t bytes = 0;
  for (std::size_t i = length.size(); i-- > 0;) bytes = bytes << 8 | static_cast<unsigned char>(length[i]);
  if (bytes > longest_header) throw file_error("bad header: it has " + std::to_string(bytes) + " bytes");
  std::string const header = take(from, bytes);
  if (length.size() < (major == 1 ? 2u : 4u) || header.size() < bytes)
    throw file_error("truncated: it ends within the header");
  return header;
}

number type_of(std::string const& descr) {
  for (type_row const& row : types)
    if (descr == row.descr && row.type <= number::float64) return row.type;
  std::string const why = !descr.empty() && descr[0] == '>' ? " (big-endian)" : "";
  throw file_error("its elements are '" + descr + "'" + why +
                   ": only float16 '<f2', float32 '<f4' and float64 '<f8' are supported");
}

/// Of all elements; none of a shape that can't be in memory.
std::size_t bytes_of(number type, std::vector<std::int64_t> const& shape) {
  std::size_t bytes = size_of(type);
  for (std::int64_t size : shape) {
    if (size == 0) return 0;
  }
  for (std::int64_t size : shape) {
    if (static_cast<std::size_t>(size) >
        static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()) / bytes)
      throw file_error("bad header: a shape of " + text_of(shape) + " is too large");
    bytes *= static_cast<std::size_t>(size);
  }
  return bytes;
}

}  // namespace

char const* name_of(number type) {
  return row_of(type).name;
}

std::size_t size_of(number type) {
  return row_of(type).size;
}

std::string text_of(std::vector<std::int64_t> const& shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

array array::zeros(number type, std::vector<std::int64_t> shape) {
  array out{type, std::move(shape), {}};
  out.data.resize(bytes_of(type, out.shape));
  return out;
}

void array::shorten(std::int64_t elements) {
  shape = {elements};
  data.resize(bytes_of(type, shape));
}

array read_npy(std::string const& name) {
  errno = 0;
  std::ifstream file(name, std::ios::binary);
  if (!file) throw file_error(std::strerror(errno));
  file.peek();
  if (file.bad() || (file.fail() && !file.eof())) throw file_error("it can't be read: is it a folder?");
  file.clear();

  std::string const text = take_header(file);
  header_parser::header header = header_parser(text).parse();
  array out;
  out.type = type_of(header.descr);
  if (header.shape.empty() || header.shape.size() > 2)
    throw file_error("it has " + std::to_string(header.shape.size()) + " dimensions, " +
                     text_of(header.shape) + ": only arrays of 1 or 2 will do");
  if (header.fortran_order && header.shape.size() == 2)
    throw file_error("it is in Fortran order: only C order will do (numpy.ascontiguousarray)");
  out.shape = std::move(header.shape);

  // By pieces: a header may claim more than there is, and than there is memory for.
  std::size_t const bytes = bytes_of(out.type, out.shape), chunk = std::size_t{1} << 26;
  while (out.data.size() < bytes) {
    std::size_t const before = out.data.size(), more = std::min(chunk, bytes - before);
    out.data.resize(before + more);
    file.read(reinterpret_cast<char*>(out.data.data() + before), static_cast<std::streamsize>(more));
    if (static_cast<std::size_t>(file.gcount()) < more)
      throw file_error("truncated: " + text_of(out.shape) + " of " + name_of(out.type) + " are " +
                       std::to_string(bytes) + " bytes, and there are " +
                       std::to_string(before + static_cast<std::size_t>(file.gcount())));
  }
  if (file.peek() != std::ifstream::traits_type::eof())
    throw file_error("there is more behind the " + std::to_string(bytes) + " bytes of " + text_of(out.shape) +
                     " of " + name_of(out.type));
  return out;
}

void write_npy(std::string const& name, array const& what) {
  std::string header = "{'descr': '" + std::string(row_of(what.type).descr) +
                       "', 'fortran_order': False, 'shape': " + text_of(what.shape) + ", }";
  std::size_t const before = magic.size() + 4, alignment = 64;
  header.append((alignment - (before + header.size() + 1) % alignment) % alignment, ' ');
  header += '\n';

  errno = 0;
  std::ofstream file(name, std::ios::binary);
  if (!file) throw file_error(std::strerror(errno));
  file.write(magic.data(), static_cast<std::streamsize>(magic.size()));
  char const prefix[] = {1, 0, static_cast<char>(header.size() & 0xff),
                         static_cast<char>(header.size() >> 8)};
  file.write(prefix, sizeof prefix);
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  file.write(reinterpret_cast<char const*>(what.data.data()), static_cast<std::streamsize>(what.data.size()));
  file.close();
  if (!file) throw file_error(errno != 0 ? std::strerror(errno) : "it can't be written");
}

}  // namespace arrays

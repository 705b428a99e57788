// Ranges in memory for the joint algorithms: lengths × addresses modulo 16, with one range per tile, and
// ranges of all lengths in one launch. Each range has an allocation of its own, which ends with the range,
// so that compute-sanitizer and ASan report reads past the end.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "backend.hpp"
#include "samples.hpp"

namespace test {

template <class T>
inline constexpr unsigned elements_of_16_bytes = 16 % sizeof(T) == 0 ? static_cast<unsigned>(16 / sizeof(T)) : 1u;

/// Memory for n values, which begins `shift` · alignof(T) bytes after a multiple of 16.
template <class T>
class placed_values {
 public:
  placed_values(std::vector<T> const& x, unsigned shift) : skipped_(shift * alignof(T)) {
    std::vector<unsigned char> bytes(skipped_, 0xcd);
    auto const* const from = reinterpret_cast<unsigned char const*>(x.data());
    bytes.insert(bytes.end(), from, from + x.size() * sizeof(T));
    if (!bytes.empty()) memory_ = std::make_unique<backend::array<unsigned char>>(bytes);
  }
  /// The address; null for no values without a shift.
  T* data() const { return memory_ ? reinterpret_cast<T*>(memory_->data() + skipped_) : nullptr; }
  std::vector<T> to_host() const {
    if (!memory_) return {};
    auto const bytes = memory_->to_host();
    for (std::size_t i = 0; i < skipped_; ++i) EXPECT_EQ(bytes[i], 0xcd) << "stored before the range";
    std::vector<T> out((bytes.size() - skipped_) / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), bytes.data() + skipped_, out.size() * sizeof(T));
    return out;
  }

 private:
  std::size_t skipped_;
  std::unique_ptr<backend::array<unsigned char>> memory_;
};

/// The range of one tile: its values and their address. If `n` is negative, the range is empty.
template <class T>
struct tile_range {
  std::vector<T> x;
  unsigned shift;
  long long n;
  placed_values<T> memory;

  tile_range(std::vector<T> const& values, unsigned at, long long length)
      : x(values), shift(at), n(length), memory(values, at) {}
};

/// The parts of a range, as joint_reduce.hpp describes them: single elements up to `vectors`, vectors up to
/// `back`, and single elements again.
template <class T>
struct range_parts {
  std::size_t vectors, back, n;

  range_parts(std::size_t length, unsigned shift) : n(length) {
    constexpr std::size_t V = elements_of_16_bytes<T>;
    std::size_t const address = shift * alignof(T) % 16;
    bool const aligned = V > 1 && address % sizeof(T) == 0;
    vectors = std::min(n, aligned ? (16 - address) % 16 / sizeof(T) : 0);
    back = vectors + (n - vectors) / V * V;
  }
};

/// Ranges for tiles of N, in random order. Their number fills whole blocks.
template <unsigned N, class T>
std::vector<tile_range<T>> make_ranges(random_engine& random, T (*sample_one)(random_engine&)) {
  constexpr long long V = elements_of_16_bytes<T>;
  constexpr unsigned shifts = 16 / alignof(T);
  std::vector<std::pair<long long, unsigned>> rows;
  for (long long n : {0ll, 1ll, 2ll, V - 1, V, V + 1, N * V - 1, N * V, N * V + 1}) {
    for (unsigned shift = 0; shift < shifts; ++shift) rows.push_back({n, shift});
  }
  for (long long n : {-5ll, static_cast<long long>(N), 4 * N * V - 1, 4 * N * V + 3, 1000ll, 4099ll})
    rows.push_back({n, static_cast<unsigned>(random() % shifts)});
  rows.push_back({std::numeric_limits<long long>::min(), 0});
  while (rows.size() * N % block_lanes_of(N) != 0)
    rows.push_back({static_cast<long long>(random() % 600), static_cast<unsigned>(random() % shifts)});
  std::shuffle(rows.begin(), rows.end(), random);

  std::vector<tile_range<T>> ranges;
  for (auto const& row : rows) {
    std::vector<T> x(static_cast<std::size_t>(std::max(row.first, 0ll)));
    for (T& one : x) one = sample_one(random);
    ranges.emplace_back(x, row.second, row.first);
  }
  return ranges;
}

/// The results of all lanes, from the result of each tile.
template <unsigned N, class Input, class Ranges, class Make>
std::vector<Input> lanes_of(Ranges const& ranges, Make make) {
  std::vector<Input> lanes;
  for (auto const& one : ranges) lanes.insert(lanes.end(), N, make(one));
  return lanes;
}

/// a op b, or one of them if the other doesn't exist.
template <class T, class Op>
std::optional<T> join(std::optional<T> const& a, std::optional<T> const& b, Op op) {
  if (!a) return b;
  if (!b) return a;
  return static_cast<T>(op(*a, *b));
}

/// Combines neighbors first. The number of values is a power of two; some of them may not exist.
template <class T, class Op>
std::optional<T> balanced(std::vector<std::optional<T>> x, Op op) {
  for (; x.size() > 1; x.resize(x.size() / 2)) {
    for (std::size_t i = 0; i < x.size() / 2; ++i) x[i] = join(x[2 * i], x[2 * i + 1], op);
  }
  return x[0];
}

template <class T, class Op>
std::optional<T> left_to_right(std::vector<T> const& x, Op op) {
  std::optional<T> total;
  for (T const& one : x) total = join(total, std::optional<T>(one), op);
  return total;
}

}  // namespace test

// Lengths of segments for tests: what is easy to get wrong.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace test {

struct segment_lengths {
  std::string name;
  std::vector<std::int64_t> lengths;

  /// segments + 1 offsets, the first of them `start`.
  template <class Offset>
  std::vector<Offset> offsets(std::int64_t start) const {
    std::vector<Offset> out{static_cast<Offset>(start)};
    for (std::int64_t length : lengths) out.push_back(static_cast<Offset>(out.back() + static_cast<Offset>(length)));
    return out;
  }
  std::int64_t items() const {
    std::int64_t sum = 0;
    for (std::int64_t length : lengths) sum += length;
    return sum;
  }
  /// Elements and segments.
  std::int64_t size() const { return items() + static_cast<std::int64_t>(lengths.size()); }
};

/// The array whose element `first` is data[0], so that offsets may be large where there are few elements.
template <class T>
T* array_before(T* data, std::int64_t first) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(data) - static_cast<std::uintptr_t>(first) * sizeof(T));
}
/// First offsets of so many elements, from where on 32 bits need to be unsigned: across 2^31, and up to the last one that there is.
inline std::vector<std::int64_t> large_offsets(std::int64_t items) {
  return {(std::int64_t{1} << 31) - items / 2, (std::int64_t{1} << 32) - 1 - items};
}

inline std::vector<segment_lengths> all_segment_lengths() {
  using list = std::vector<std::int64_t>;
  std::mt19937_64 random(1);
  auto const random_list = [&](std::size_t count, auto length) {
    list out(count);
    for (auto& l : out) l = static_cast<std::int64_t>(length());
    return out;
  };
  auto const join = [](list a, list const& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  std::vector<segment_lengths> all{
      {"none", {}},
      {"one empty", {0}},
      {"one of one", {1}},
      {"one of 5000", {5000}},
      {"one of 3 million", {3000001}},
      {"empty ones", list(3000, 0)},
      {"many empty ones", list(700001, 0)},
      {"ones", list(100003, 1)},
      {"eights", list(50000, 8)},
      {"as a tile", {4096, 4096, 4096, 1, 4095, 4097, 2048, 2048, 0, 4096, 0, 0, 8192, 16384, 1024, 1024}},
      {"random", random_list(60000, [&] { return random() % 33; })},
      {"sparse", random_list(300000, [&] { return random() % 50 == 0 ? random() % 100 : 0; })},
      {"very uneven", random_list(5000, [&] { return (std::uint64_t{1} << random() % 14) * (random() % 97) / 97; })},
      {"one giant among small ones", join(join(list(200000, 3), {2000003}), list(200000, 2))},
      {"one giant among empty ones", join(join(list(200000, 0), {2000003}), list(200000, 0))},
      {"giants and nothing", {1000001, 0, 0, 1000001, 0, 1, 999999, 0}},
  };
  return all;
}

}  // namespace test

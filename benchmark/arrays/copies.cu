#include "tasks.hpp"

#include <cub/device/device_memcpy.cuh>
#include <tessera/grid/copy_batches.cuh>

namespace bench {

namespace {

namespace grid = tessera::grid;

/// Buffers of `bytes` each, in another order than their copies, which begin `shift` bytes after multiples of 64.
struct buffers {
  gpu_data<char> from, to;
  gpu_data<void const*> sources;
  gpu_data<void*> destinations;
  gpu_data<unsigned> sizes;

  buffers(std::int64_t count, std::int64_t bytes, std::int64_t shift)
      : from(count * (bytes + 64)),
        to(count * (bytes + 64)),
        sources(pointers<void const*>(count, bytes, shift / 2, from.data())),
        destinations(pointers<void*>(count, bytes, shift, to.data())),
        sizes(std::vector<unsigned>(static_cast<std::size_t>(count), static_cast<unsigned>(bytes))) {
    from.fill(1);
    to.fill(0);
  }

  template <class P>
  static std::vector<P> pointers(std::int64_t count, std::int64_t bytes, std::int64_t shift, char* first) {
    std::vector<P> all;
    for (std::int64_t i = 0; i < count; ++i) {
      bool const is_source = std::is_same_v<P, void const*>;
      std::int64_t const place = is_source ? i * 7919 % count : i;  // count is a power of two
      all.push_back(first + place * (bytes + 64) + (shift == 0 ? 0 : (shift + i) % 16));
    }
    return all;
  }
};

std::vector<pass> copies(std::int64_t count, std::int64_t bytes, std::int64_t shift) {
  buffers const x(count, bytes, shift), theirs(count, bytes, shift);
  auto const memory = std::make_shared<grid::workspace>();
  std::vector<pass> passes{cub_pass("CUB", [=](void* storage, std::size_t& size) {
    return cub::DeviceMemcpy::Batched(storage, size, x.sources.data(), theirs.destinations.data(), x.sizes.data(),
                                      static_cast<unsigned>(count));
  })};
  passes.push_back(
      {"tessera", pass_kind::ours,
       [=] { return grid::copy_batches(x.sources.data(), x.destinations.data(), x.sizes.data(), count, *memory); },
       [=] { return compare(x.to.get(100000), theirs.to.get(100000), 0); }});
  gpu_data<char> const to(count * bytes);
  for (pass& p : copy_ceilings(x.from, to, count * bytes / 16 * 16)) passes.push_back(std::move(p));
  return passes;
}

}  // namespace

void add_copies_of_batches(std::vector<task>& tasks) {
  for (int e : {6, 8, 10, 12, 14, 16, 20}) {
    std::int64_t const bytes = std::int64_t{1} << e, count = std::int64_t{1} << (28 - e);
    std::string const size = e < 10   ? std::to_string(bytes) + " B"
                             : e < 20 ? std::to_string(bytes >> 10) + " KiB"
                                      : "1 MiB";
    for (std::int64_t shift : {0, 5}) {
      tasks.push_back({shift == 0 ? "batched copies" : "batched copies, unaligned", size,
                       2.0 * static_cast<double>(bytes * count), [=] { return copies(count, bytes, shift); }});
    }
  }
}

}  // namespace bench

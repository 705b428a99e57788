// The last accesses to the bytes of a caller's scratch, and the kind of slots that each used.
//
// Slots of one kind (tile size, value size, slots a warp) are an array of their own on host tiles, with a history of
// each slot: access_history.hpp. On the GPU all kinds share the scratch's bytes. So every access as one kind must be
// ordered before accesses to the same bytes as another kind: fresh(scratch) omits the barrier that ensures this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/host/run/access_history.hpp>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

class scratch_history {
 public:
  /// Records that `now` accesses so many bytes as slots of `kind`, and returns an earlier access as another kind that
  /// isn't ordered before it, or null. `before(old)` tells whether `old` happens before `now`. Each byte has a history
  /// of its own, since its neighbors may be another tile's.
  template <class Before>
  const access* note(std::size_t begin, std::size_t bytes, std::uint64_t kind, const access& now, Before before) {
    if (begin + bytes > bytes_.size()) bytes_.resize(begin + bytes);
    for (std::size_t i = begin; i < begin + bytes; ++i) {
      history& byte = bytes_[i];
      if (byte.kind != kind) {
        if (const access* const old = byte.accesses.find([&](const access& a) { return !before(a); })) return old;
        byte.accesses.clear();
        byte.kind = kind;
      }
      byte.accesses.add(now, before);
    }
    return nullptr;
  }

 private:
  struct history {
    std::uint64_t kind = 0;
    access_set accesses;
  };
  std::vector<history> bytes_;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END

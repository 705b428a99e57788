// A warp's rows in shared memory, where they wait without occupying registers. Only the lane that put a row there gets
// it, so no barrier is needed; neighboring lanes' words lie side by side, so that none meet in a bank.
#pragma once

#include <tessera/core/words.hpp>
#include <tessera/tile/load_store.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Rows of X, one for each lane and row.
template <class X, unsigned Rows>
class buffered_rows {
  static constexpr unsigned words = tessera::detail::word_count<X>;
  static constexpr unsigned unit_words = words % 4 == 0 ? 4 : words % 2 == 0 ? 2 : 1;
  static constexpr unsigned units = words / unit_words;
  using unit = tessera::detail::unit_of<4 * unit_words>;

 public:
  TESSERA_FN void put(unsigned row, unsigned lane, X const& x) {
    auto const w = tessera::detail::to_words(x);
    TESSERA_UNROLL
    for (unsigned u = 0; u < units; ++u) {
      unit stored;
      tessera::detail::copy_bytes(TESSERA_ADDRESS_OF(stored), w.word + u * unit_words, sizeof(unit));
      unit_[(row * units + u) * 32 + lane] = stored;
    }
  }
  TESSERA_FN X get(unsigned row, unsigned lane) const {
    tessera::detail::words<X> w;
    TESSERA_UNROLL
    for (unsigned u = 0; u < units; ++u) {
      unit const loaded = unit_[(row * units + u) * 32 + lane];
      tessera::detail::copy_bytes(w.word + u * unit_words, TESSERA_ADDRESS_OF(loaded), sizeof(unit));
    }
    return tessera::detail::from_words<X>(w);
  }

 private:
  unit unit_[Rows * units * 32];
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END

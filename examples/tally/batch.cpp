#include "batch.hpp"

#include <algorithm>
#include <utility>

namespace tally {

batch::batch(std::size_t max_bytes, unsigned max_slices, array<piece> pieces, array<slice> slices,
             array<slice_count> counts)
    : max_bytes_(max_bytes),
      max_slices_(max_slices),
      pieces_(std::move(pieces)),
      slices_(std::move(slices)),
      counts_(std::move(counts)) {}

std::size_t batch::free_bytes() const {
  std::size_t in_slices = std::size_t{max_slices_ - slices_used_} * slice_bytes;
  if (slice_open_) in_slices += slice_bytes - slices_[slices_used_ - 1].bytes;
  return std::min(max_bytes_ - used_, in_slices);
}

void batch::add(std::size_t bytes) {
  while (bytes > 0) {
    if (!slice_open_ || slices_[slices_used_ - 1].bytes == slice_bytes) {
      slices_[slices_used_++] = {static_cast<unsigned>(used_ / piece::bytes), 0};
      slice_open_ = true;
    }
    slice& last = slices_[slices_used_ - 1];
    std::size_t const now = std::min<std::size_t>(bytes, slice_bytes - last.bytes);
    last.bytes += static_cast<unsigned>(now);
    used_ += now;
    bytes -= now;
  }
}

void batch::end_file(std::string name, int error) {
  endings_.push_back({slices_used_, std::move(name), error});
  slice_open_ = false;
  used_ = (used_ + piece::bytes - 1) / piece::bytes * piece::bytes;  // the next slice begins at a piece
}

void batch::clear() {
  endings_.clear();
  used_ = 0;
  slices_used_ = 0;
  slice_open_ = false;
}

}  // namespace tally

// Where the columns of a trace's picture are, and what fits into them.
#pragma once

#include <algorithm>
#include <string>
#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

class svg_layout {
 public:
  static constexpr double gutter = 84;  // the width of the steps' names
  static constexpr double margin = 12;

  explicit svg_layout(unsigned lanes)
      : lanes_(lanes),
        column_((std::min)(64.0, lanes > 64 ? 1024.0 / lanes : static_cast<double>(1024 / lanes))) {}

  /// The width of a letter, by its style.
  static constexpr double normal = 7.3, bold = 7.9, mid = 6.65, narrow = 5.45, tiny = 4.55;
  static double text_width(const std::string& text, double letter) {
    return static_cast<double>(text.size()) * letter;
  }

  unsigned lanes() const { return lanes_; }
  double column() const { return column_; }
  double width() const { return (std::max)(640.0, left(lanes_) + 2 * margin); }
  double left(unsigned lane) const { return gutter + margin + lane * column_; }
  double center(unsigned lane) const { return left(lane) + column_ / 2; }
  bool shows_values() const { return column_ >= 12; }
  /// The number of letters of this width that fit into `lanes` columns.
  std::size_t fits(double letter, unsigned lanes = 1) const {
    double const room = (lanes * column_ - (std::min)(8.0, column_ / 4)) / letter;
    return room < 1 ? 0 : static_cast<std::size_t>(room);
  }

 private:
  unsigned lanes_;
  double column_;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END

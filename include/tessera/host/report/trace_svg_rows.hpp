// Draws the steps of a trace as rows of a picture: values and the arrows between them, votes, matches,
// barriers, results.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <tessera/core/config.hpp>
#include <tessera/host/report/svg_canvas.hpp>
#include <tessera/host/report/svg_layout.hpp>
#include <tessera/host/report/text_writer.hpp>
#include <tessera/host/report/trace_names.hpp>
#include <tessera/host/report/trace_value.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

class svg_rows {
 public:
  static constexpr double height = 18;  // of a row of values

  svg_rows(const svg_layout& at, svg_canvas& out) : at_(at), out_(out) {}

  /// Draws the rows of a step from y on, and returns the y below them.
  double draw(const trace_step& step, double y) {
    y_ = y;
    type_ = detail::readable_type(step.type);
    if (detail::is_barrier(step))
      draw_barrier(step);
    else if (detail::is_vote(step))
      draw_votes(step);
    else if (detail::is_shuffle(step))
      draw_shuffle(step);
    else if (step.what == trace_kind::exchange)
      draw_match(step);
    else if (step.what == trace_kind::result)
      draw_results(step);
    else
      draw_values(step, "memory", detail::step_name(step).c_str(), 4);
    return y_;
  }
  /// Draws what the lanes got in a shuffle, where no row follows that shows it.
  double draw_received(const trace_step& step, double y) {
    y_ = y;
    type_ = detail::readable_type(step.type);
    draw_values(step, "result", "received", 4, true);
    return y_;
  }

  /// True if there are arrows to higher and to lower lanes.
  bool has_up() const { return has_up_; }
  bool has_down() const { return has_down_; }

  void band(const char* style, unsigned begin, unsigned end, double top, double tall) {
    double const gap = at_.shows_values() ? 1 : 0;
    out_.rect(style, at_.left(begin) + gap, top, at_.left(end) - at_.left(begin) - 2 * gap, tall, 4 * gap);
  }

 private:
  static constexpr std::size_t most_rotated = 12;  // letters

  /// How the values of a row are written: the size of their letters, or upwards.
  struct lettering {
    const char* style;
    std::size_t most;  // letters
    bool rotated;
    double height;  // of the row
  };

  void label(double y, const char* name) { out_.text("label", svg_layout::gutter, y, name); }

  /// Calls f(begin, end) for each tile of the step, and greys the lanes that take no part.
  template <class F>
  void each_tile(const trace_step& step, double top, double tall, F f) {
    for (unsigned r = 0; r < at_.lanes();) {
      const trace_cell& cell = step.lanes[r];
      unsigned const limit = cell.takes_part ? cell.end : at_.lanes();
      unsigned end = r + 1;
      while (end < limit && step.lanes[end].takes_part == cell.takes_part) ++end;
      if (cell.takes_part)
        f(r, end);
      else
        band("off", r, end, top, tall);
      r = end;
    }
  }

  // ---- Values and arrows

  std::string text_of(const trace_step& step, unsigned rank, std::size_t most) const {
    if (step.lanes[rank].count > 1) return text_writer() << step.lanes[rank].count << "x";
    return detail::value_text(type_, step.value(rank), step.bytes, most);
  }

  lettering lettering_of(const trace_step& step) const {
    if (!at_.shows_values()) return {"mid", 0, false, height};
    std::size_t const mid = at_.fits(svg_layout::mid), narrow = at_.fits(svg_layout::narrow),
                      tiny = at_.fits(svg_layout::tiny);
    std::size_t most = 0;
    for (unsigned r = 0; r < at_.lanes(); ++r)
      if (step.lanes[r].takes_part) most = (std::max)(most, text_of(step, r, mid < 7 ? 7 : mid).size());
    if (most <= mid || at_.column() >= 40) {
      if (most > mid && most <= narrow) return {"small", narrow, false, height};
      return {"mid", mid, false, height};
    }
    if (most <= narrow) return {"small", narrow, false, height};
    if (most <= tiny) return {"tiny", tiny, false, height};
    most = (std::min)(most, most_rotated);
    return {"small", most, true, static_cast<double>(most) * svg_layout::narrow + 8};
  }

  void draw_value(const trace_step& step, const lettering& how, unsigned rank, unsigned from) {
    if (!at_.shows_values()) return;
    std::string const text = detail::shortened(text_of(step, from, how.most), how.most);
    if (how.rotated)
      out_.rotated_text("small", at_.center(rank) + 3, y_ + how.height / 2, text);
    else
      out_.text(how.style, at_.center(rank), y_ + 13, text);
  }

  /// A band for each tile with its lanes' values, or with those that they got.
  void draw_values(const trace_step& step, const char* style, const char* name, double gap,
                   bool received = false) {
    lettering const how = lettering_of(step);
    each_tile(step, y_, how.height, [&](unsigned begin, unsigned end) {
      band(style, begin, end, y_, how.height);
      for (unsigned r = begin; r < end; ++r) draw_value(step, how, r, received ? step.lanes[r].source : r);
    });
    label(y_ + how.height / 2 + 4, name);
    y_ += how.height + gap;
  }

  void draw_shuffle(const trace_step& step) {
    draw_values(step, "tile", detail::step_name(step).c_str(), 0);
    unsigned farthest = 0;
    for (unsigned r = 0; r < at_.lanes(); ++r)
      if (moves(step, r)) farthest = (std::max)(farthest, distance(r, step.lanes[r].source));
    double const tall = 20 + (std::min)(36.0, at_.column() * farthest / 14);
    for (unsigned r = 0; r < at_.lanes(); ++r)
      if (moves(step, r)) draw_arrow(step, step.lanes[r].source, r, tall);
    y_ += tall + 4;
  }
  void draw_arrow(const trace_step& step, unsigned from, unsigned to, double tall) {
    (from < to ? has_up_ : has_down_) = true;
    out_.arrow(style_of_arrow(from < to), at_.center(from), y_ + 1, at_.center(to), y_ + tall + 3,
               text_writer() << "lane " << from << " to lane " << to << ": "
                             << detail::value_text(type_, step.value(from), step.bytes, ~std::size_t{0}));
  }
  const char* style_of_arrow(bool up) const {
    if (at_.shows_values()) return up ? "up" : "down";
    return up ? "up many" : "down many";
  }
  static bool moves(const trace_step& step, unsigned rank) {
    return step.lanes[rank].takes_part && step.lanes[rank].source != rank;
  }
  static unsigned distance(unsigned a, unsigned b) { return a < b ? b - a : a - b; }

  // ---- Votes, matches, barriers, results

  void draw_votes(const trace_step& step) {
    double const tall = 30, radius = (std::min)(5.0, at_.column() / 2 - 1);
    each_tile(step, y_, tall, [&](unsigned begin, unsigned end) {
      band("tile", begin, end, y_, tall);
      for (unsigned r = begin; r < end; ++r)
        if (radius > 0.5) out_.circle(step.value(r)[0] != 0 ? "yes" : "no", at_.center(r), y_ + 9, radius);
      draw_text(begin, end, y_ + 26, outcome_of(step, begin, end));
    });
    label(y_ + 13, detail::step_name(step).c_str());
    y_ += tall + 4;
  }
  /// "0x0f, 4 of 8" for a ballot, "true" for any.
  static std::string outcome_of(const trace_step& step, unsigned begin, unsigned end) {
    unsigned count = 0;
    std::string mask;
    for (unsigned digit = (end - begin + 3) / 4; digit-- > 0;) {
      unsigned value = 0;
      for (unsigned r = begin + 4 * digit; r < end && r < begin + 4 * digit + 4; ++r)
        value |= static_cast<unsigned>(step.value(r)[0]) << (r - begin) % 4;
      mask += "0123456789abcdef"[value];
      count += tessera::detail::compiler::population(value);
    }
    if (step.kind == primitive::any) return count != 0 ? "true" : "false";
    return text_writer() << "0x" << mask << ", " << count << " of " << end - begin;
  }
  /// Text in the middle of a tile; where it doesn't fit, the part before a comma if that does.
  void draw_text(unsigned begin, unsigned end, double y, const std::string& text) {
    std::size_t const room = at_.fits(svg_layout::mid, end - begin);
    std::string const part = text.size() <= room ? text : text.substr(0, text.find(','));
    if (part.size() <= room) out_.text("mid", (at_.left(begin) + at_.left(end)) / 2, y, part);
  }

  /// Lanes with the same value have the same color.
  void draw_match(const trace_step& step) {
    lettering const how = lettering_of(step);
    each_tile(step, y_, how.height, [&](unsigned begin, unsigned end) {
      for (unsigned r = begin; r < end; ++r) {
        band(style_of_key(key_of(step, begin, r)), r, r + 1, y_, how.height);
        draw_value(step, how, r, r);
      }
    });
    label(y_ + how.height / 2 + 4, detail::step_name(step).c_str());
    y_ += how.height + 4;
  }
  static const char* style_of_key(unsigned key) {
    constexpr const char* styles[] = {"key k0", "key k1", "key k2", "key k3",
                                      "key k4", "key k5", "key k6", "key k7"};
    return styles[key % 8];
  }
  /// The number of different values before the tile's first lane that has lane r's value.
  static unsigned key_of(const trace_step& step, unsigned begin, unsigned r) {
    unsigned different = 0;
    for (unsigned lane = begin; !same_value(step, lane, r); ++lane) different += is_first(step, begin, lane);
    return different;
  }
  /// True if no lane of the tile before this one has its value.
  static bool is_first(const trace_step& step, unsigned begin, unsigned lane) {
    for (unsigned before = begin; before < lane; ++before)
      if (same_value(step, before, lane)) return false;
    return true;
  }
  static bool same_value(const trace_step& step, unsigned a, unsigned b) {
    return std::memcmp(step.value(a), step.value(b), step.bytes) == 0;
  }

  void draw_barrier(const trace_step& step) {
    double const y = y_ + 8;
    each_tile(step, y - 2, 4, [&](unsigned begin, unsigned end) {
      out_.line("barrier", at_.left(begin) + 4, y, at_.left(end) - 4, y);
    });
    label(y + 4, "barrier");
    y_ += 18;
  }

  /// One value for each tile where its lanes have the same result, else one for each lane.
  void draw_results(const trace_step& step) {
    if (!same_in_tiles(step)) return draw_values(step, "result", "result", 4);
    each_tile(step, y_, height, [&](unsigned begin, unsigned end) {
      band("result", begin, end, y_, height);
      std::size_t const room = at_.fits(svg_layout::mid, end - begin);
      draw_text(begin, end, y_ + 13,
                detail::shortened(detail::value_text(type_, step.value(begin), step.bytes, room), room));
    });
    label(y_ + 13, "result");
    y_ += height + 4;
  }
  bool same_in_tiles(const trace_step& step) const {
    for (unsigned r = 1; r < at_.lanes(); ++r)
      if (step.lanes[r].takes_part && step.lanes[r - 1].takes_part && step.lanes[r].begin < r &&
          !same_value(step, r - 1, r))
        return false;
    return true;
  }

  const svg_layout& at_;
  svg_canvas& out_;
  std::string type_;  // of the values of the step that is drawn
  double y_ = 0;      // the bottom of what has been drawn
  bool has_up_ = false, has_down_ = false;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END

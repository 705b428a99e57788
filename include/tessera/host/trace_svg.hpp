// Draws a record as SVG: a column for each lane, time downwards, a box for each call and in it a row for each step.
//
//   reduce  int, plus  tile<4>          kernel.cpp:12
//            0     1     2     3
//   xor 1   [a     b     c     d ]      the values that the lanes give
//            `>< '       `><'           an arrow for each value that another lane gets
//   xor 2   [ab    ab    cd    cd]
//              ...
#pragma once

#include <algorithm>
#include <string>
#include <tessera/config.hpp>
#include <tessera/host/svg_canvas.hpp>
#include <tessera/host/trace_names.hpp>
#include <tessera/host/trace_value.hpp>
#include <vector>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

/// The style sheet. Every color has a second value for dark backgrounds.
inline const char* svg_style() {
  return "text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans "
         "Mono',monospace;fill:#1f2328}\n"
         ".name{font-weight:700;font-size:13px}.small{font-size:9px;text-anchor:middle}.tiny{font-size:7.5px;"
         "text-anchor:middle}"
         ".mid{font-size:11px;text-anchor:middle}.dim{fill:#656d76}.label{text-anchor:end;font-size:11px;"
         "fill:#656d76}"
         ".site{text-anchor:end;fill:#0b5cad}.bad{fill:#b3151f;font-weight:700}\n"
         ".page{fill:#fff}.call{fill:#f4f6f8}.tile{fill:#d9e8fb;stroke:#8fb4e3}.off{fill:#e6e8eb}.result{"
         "fill:#d7f2dd;stroke:#7cc08d}"
         ".memory{fill:#f3e3fb;stroke:#c39ddb}.life{stroke:#d5dae0}.warp{stroke:#aab2bb;stroke-dasharray:2 "
         "3}.bracket{fill:none;stroke:#8c959f}\n"
         ".right,.left{fill:none;stroke-width:1.3}.right{stroke:#1769d2;marker-end:url(#r)}.left{stroke:#"
         "c2570c;marker-end:url(#l)}"
         ".r{fill:#1769d2}.l{fill:#c2570c}.many{stroke-width:.6;opacity:.6}\n"
         ".yes{fill:#1a7f37;stroke:#1a7f37}.no{fill:#fff;stroke:#8c959f}.barrier{stroke:#7a3fc4;stroke-width:"
         "4;stroke-linecap:round}"
         ".waits{fill:#fbdfe0;stroke:#d1242f}.fault{stroke:#d1242f;stroke-width:2;fill:none}.rest{fill:#"
         "e6e8eb;stroke:#aab2bb}\n"
         ".k0{fill:#cfe3fb}.k1{fill:#fde2c4}.k2{fill:#d5f0d8}.k3{fill:#ecdcf8}.k4{fill:#fad7dc}.k5{fill:#"
         "cdeeee}.k6{fill:#f4efb9}"
         ".k7{fill:#e3ded6}.key{stroke:#8c959f}\n"
         "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.dim,.label{fill:#9aa4af}.site{fill:#79b8ff}."
         "bad{fill:#ff7b72}"
         ".page{fill:#0d1117}.call{fill:#161b22}.tile{fill:#1b3355;stroke:#3d6aa8}.off{fill:#22272e}.result{"
         "fill:#173a22;stroke:#2f7a44}"
         ".memory{fill:#35214a;stroke:#7e57a8}.life{stroke:#2b323b}.warp{stroke:#57606a}.bracket{stroke:#"
         "768390}"
         ".right{stroke:#6cb2ff}.left{stroke:#ffa657}.r{fill:#6cb2ff}.l{fill:#ffa657}.yes{fill:#3fb950;"
         "stroke:#3fb950}"
         ".no{fill:#0d1117;stroke:#768390}.barrier{stroke:#b78af0}.waits{fill:#4b1a1f;stroke:#ff7b72}.fault{"
         "stroke:#ff7b72}"
         ".rest{fill:#22272e;stroke:#57606a}.k0{fill:#1f3f66}.k1{fill:#5c3a14}.k2{fill:#1f4a2a}.k3{fill:#"
         "432a5c}.k4{fill:#5a2530}"
         ".k5{fill:#174848}.k6{fill:#4d4713}.k7{fill:#3b3833}.key{stroke:#768390}}\n";
}

/// Where the picture's parts are.
class svg_layout {
 public:
  static constexpr double gutter = 84;  // the width of the steps' names
  static constexpr double margin = 12;

  explicit svg_layout(unsigned lanes)
      : lanes_(lanes),
        column_(std::min(64.0, lanes > 64 ? 1024.0 / lanes : static_cast<double>(1024 / lanes))) {}

  unsigned lanes() const { return lanes_; }
  double column() const { return column_; }
  double width() const { return std::max(640.0, left(lanes_) + 2 * margin); }
  double left(unsigned lane) const { return gutter + margin + lane * column_; }
  double center(unsigned lane) const { return left(lane) + column_ / 2; }
  bool shows_values() const { return column_ >= 12; }
  /// The number of characters of this width that fit into `lanes` columns.
  std::size_t fits(double character, unsigned lanes = 1) const {
    double const room = (lanes * column_ - 4) / character;
    return room < 1 ? 0 : static_cast<std::size_t>(room);
  }

 private:
  unsigned lanes_;
  double column_;
};

class svg_picture {
 public:
  explicit svg_picture(const trace_record& record) : record_(record), at_(record.size) {}

  std::string text() {
    draw_head();
    for (const trace_call& call : record_.calls) draw_call(call);
    if (record_.more != 0) draw_line("bad", more_steps(record_));
    if (!record_.failure.empty()) draw_failure();
    draw_legend();
    draw_lanes();
    return whole();
  }

 private:
  static constexpr double mid_character = 6.65, small_character = 5.45, tiny_character = 4.55;  // widths
  static constexpr double row = 18;                // the height of a row of values
  static constexpr std::size_t most_rotated = 12;  // characters

  // ---- The picture as a whole

  std::string whole() const {
    std::string const width = svg_number(at_.width()), height = svg_number(y_ + svg_layout::margin);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
           width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height + "\">\n<title>" +
           xml_escaped(block_name(record_)) + "</title>\n<style>\n" + svg_style() + "</style>\n<defs>" +
           head("r") + head("l") + "</defs>\n<rect class=\"page\" width=\"" + width + "\" height=\"" +
           height + "\" rx=\"8\"/>\n" + back_.elements() + lines_.elements() + front_.elements() + "</svg>\n";
  }
  static std::string head(const char* id) {
    return std::string("<marker id=\"") + id +
           "\" viewBox=\"0 0 6 6\" refX=\"5.5\" refY=\"3\" markerWidth=\"6\" markerHeight=\"6\" "
           "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"" +
           id + "\" d=\"M0,0.4L6,3L0,5.6Z\"/></marker>";
  }

  void draw_head() {
    front_.text("name", svg_layout::margin, y_ += 22, block_name(record_));
    front_.text("site", at_.width() - svg_layout::margin, y_, short_site(record_.launch),
                "launched at " + full_site(record_.launch));
    front_.text("dim", svg_layout::margin, y_ += 18,
                std::string("schedule ") + name_of(record_.context.order.order) + ", seed " +
                    std::to_string(record_.context.order.seed));
    y_ += 14;
    for (unsigned first = 0; first < record_.size; first += 32)
      draw_warp(first, std::min(first + 32, record_.size));
    y_ += 18;
    draw_lane_numbers();
    lanes_begin_ = y_ += 6;
  }
  void draw_warp(unsigned first, unsigned end) {
    double const left = at_.left(first) + 2, right = at_.left(end) - 2;
    std::string const name = "warp " + std::to_string(first / 32);
    double const half = static_cast<double>(name.size()) * mid_character / 2 + 4, middle = (left + right) / 2;
    if (right - left < 2 * half) return;
    front_.text("mid dim", middle, y_ + 4, name);
    front_.path("bracket",
                "M" + svg_canvas::pair(left, y_ + 5) + "V" + svg_number(y_) + "H" + svg_number(middle - half),
                "");
    front_.path(
        "bracket",
        "M" + svg_canvas::pair(right, y_ + 5) + "V" + svg_number(y_) + "H" + svg_number(middle + half), "");
  }
  void draw_lane_numbers() {
    unsigned const every = at_.column() >= 14 ? 1 : 32;
    for (unsigned lane = 0; lane < record_.size; lane += every)
      front_.text(at_.column() >= 20 ? "mid dim" : "small dim", at_.center(lane), y_, std::to_string(lane));
  }
  /// A line for each lane, and one between warps, behind everything else.
  void draw_lanes() {
    if (at_.shows_values())
      for (unsigned lane = 0; lane < record_.size; ++lane)
        lines_.line("life", at_.center(lane), lanes_begin_, at_.center(lane), lanes_end_);
    for (unsigned lane = 32; lane < record_.size; lane += 32)
      lines_.line("warp", at_.left(lane), lanes_begin_ - 30, at_.left(lane), lanes_end_);
  }
  void draw_line(const char* style, const std::string& text) {
    front_.text(style, svg_layout::margin, y_ += 18, text);
  }

  void draw_legend() {
    lanes_end_ = y_;
    y_ += 22;
    double x = svg_layout::margin;
    legend_arrow(x, true, "value to a higher lane");
    legend_arrow(x, false, "to a lower lane");
    if (has(is_barrier)) {
      front_.line("barrier", x + 2, y_ - 4, x + 18, y_ - 4);
      legend_text(x, "barrier");
    }
    if (has(is_vote)) {
      front_.circle("yes", x + 4, y_ - 4, 4);
      front_.circle("no", x + 16, y_ - 4, 4);
      legend_text(x, "votes true, false");
    }
  }
  void legend_arrow(double& x, bool right, const char* text) {
    if (!has(is_shuffle)) return;
    front_.path(right ? "right" : "left",
                "M" + svg_canvas::pair(right ? x : x + 20, y_ - 4) + "H" + svg_number(right ? x + 20 : x),
                "");
    legend_text(x, text);
  }
  void legend_text(double& x, const std::string& text) {
    front_.text("dim", x + 26, y_, text);
    x += 26 + static_cast<double>(text.size()) * 7.3 + 24;
  }
  template <class Is>
  bool has(Is is) const {
    for (const trace_call& call : record_.calls)
      for (const trace_step& step : call.steps)
        if (is(step)) return true;
    return false;
  }

  // ---- A call

  void draw_call(const trace_call& call) {
    double const top = y_ += 6;
    front_.rect("call", svg_layout::margin / 2, top, at_.width() - svg_layout::margin, 24,
                6);  // hides the lanes' lines
    y_ += 17;
    std::string const name = call_name(call), site = short_site(call.site);
    double const right = at_.width() - svg_layout::margin - 6;
    front_.text("name", svg_layout::margin + 6, y_, name);
    front_.text("site", right, y_, site, full_site(call.site));
    double const from = svg_layout::margin + 6 + static_cast<double>(name.size()) * 7.9 + 12;
    double const room = right - from - static_cast<double>(site.size()) * 7.3 - 12;
    std::string const detail = call_detail(call);
    if (room > 0)
      front_.text("dim", from, y_, shortened(detail, static_cast<std::size_t>(room / 7.3)), detail);
    y_ += 8;
    for (const trace_step& step : call.steps) draw_step(step);
    if (call.steps.size() == 1 && is_shuffle(call.steps[0])) draw_received(call.steps[0]);
    y_ += 4;
    back_.rect("call", svg_layout::margin / 2, top, at_.width() - svg_layout::margin, y_ - top, 6);
  }

  void draw_step(const trace_step& step) {
    if (is_barrier(step)) return draw_barrier(step);
    if (is_vote(step)) return draw_votes(step);
    if (step.what == trace_kind::exchange && step.kind == primitive::match) return draw_match(step);
    if (step.what == trace_kind::result) return draw_results(step);
    draw_values(step, is_shuffle(step) ? "tile" : "memory", step_name(step), false);
    if (is_shuffle(step)) draw_arrows(step);
    y_ += 4;
  }

  void label(double y, const std::string& name) { front_.text("label", svg_layout::gutter, y, name); }

  /// Calls f(begin, end) for each tile of the step, and marks the lanes that take no part.
  template <class F>
  void each_tile(const trace_step& step, double top, double height, F f) {
    for (unsigned r = 0; r < record_.size;) {
      trace_cell const& cell = step.lanes[r];
      unsigned end = r + 1;
      if (cell.takes_part) {
        while (end < cell.end && end < record_.size && step.lanes[end].takes_part) ++end;
        f(r, end);
      } else {
        while (end < record_.size && !step.lanes[end].takes_part) ++end;
        front_.rect("off", at_.left(r) + 1, top, at_.left(end) - at_.left(r) - 2, height, 3);
      }
      r = end;
    }
  }
  void band(const std::string& style, unsigned begin, unsigned end, double top, double height,
            const std::string& title = "") {
    front_.rect(style.c_str(), at_.left(begin) + 1, top, at_.left(end) - at_.left(begin) - 2, height, 4,
                title);
  }

  // ---- Rows of values

  std::string text_of(const trace_step& step, unsigned rank, std::size_t most) const {
    if (step.lanes[rank].count > 1) return std::to_string(step.lanes[rank].count) + "x";
    return value_text(type_, step.value(rank), step.bytes, most);
  }
  std::string title_of(const trace_step& step, unsigned rank) const {
    std::string text = "lane " + std::to_string(rank) + ": ";
    if (is_access(step)) text += "[" + std::to_string(step.lanes[rank].index) + "] ";
    text += value_text(type_, step.value(rank), step.bytes, ~std::size_t{0});
    if (step.lanes[rank].count > 1) text += " and " + std::to_string(step.lanes[rank].count - 1) + " more";
    return text;
  }

  /// How the values of a row are written: the size of their letters, or upright.
  struct lettering {
    const char* style;
    std::size_t most;  // characters
    bool rotated;
    double height;  // of the row
  };
  lettering lettering_of(const trace_step& step) const {
    std::size_t const mid = at_.fits(mid_character), small = at_.fits(small_character),
                      tiny = at_.fits(tiny_character);
    std::size_t most = 0;
    for (unsigned r = 0; r < record_.size; ++r)
      if (step.lanes[r].takes_part)
        most = std::max(most, text_of(step, r, std::max(mid, std::size_t{7})).size());
    if (most <= mid) return {"mid", mid, false, row};
    if (most <= small) return {"small", small, false, row};
    if (most <= tiny) return {"tiny", tiny, false, row};
    if (at_.column() >= 40) return {"mid", mid, false, row};
    most = std::min(most, most_rotated);
    return {"small", most, true, static_cast<double>(most) * small_character + 8};
  }

  void draw_value(const lettering& how, unsigned rank, double top, const std::string& value) {
    std::string const text = shortened(value, how.most);
    if (how.rotated)
      front_.rotated_text("small", at_.center(rank) + 3, top + how.height / 2, text);
    else
      front_.text(how.style, at_.center(rank), top + 13, text);
  }

  /// A band for each tile with its lanes' values. With `sources` a lane shows the value of the lane that it got.
  void draw_values(const trace_step& step, const std::string& style, const std::string& name, bool sources) {
    type_ = readable_type(step.type);
    lettering const how = lettering_of(step);
    double const top = y_;
    each_tile(step, top, how.height, [&](unsigned begin, unsigned end) {
      band(style, begin, end, top, how.height);
      for (unsigned r = begin; r < end; ++r) draw_cell(step, how, r, sources ? step.lanes[r].source : r, top);
    });
    label(top + how.height / 2 + 4, name);
    y_ += how.height;
  }
  void draw_cell(const trace_step& step, const lettering& how, unsigned rank, unsigned from, double top) {
    if (!at_.shows_values() || step.bytes == 0) return;
    draw_value(how, rank, top, text_of(step, from, how.most));
  }

  void draw_received(const trace_step& step) {
    draw_values(step, "result", "received", true);
    y_ += 4;
  }

  /// Arrows from the row of values that was drawn last to the next row.
  void draw_arrows(const trace_step& step) {
    double longest = 0;
    for (unsigned r = 0; r < record_.size; ++r)
      if (moves(step, r)) longest = std::max(longest, at_.column() * distance(r, step.lanes[r].source));
    double const height = 20 + std::min(36.0, longest / 14);
    for (unsigned r = 0; r < record_.size; ++r) {
      if (!moves(step, r)) continue;
      unsigned const from = step.lanes[r].source;
      std::string const style =
          std::string(from < r ? "right" : "left") + (at_.shows_values() ? "" : " many");
      front_.arrow(style.c_str(), at_.center(from), y_ + 1, at_.center(r), y_ + height + 3,
                   "lane " + std::to_string(from) + " to lane " + std::to_string(r) + ": " +
                       value_text(type_, step.value(from), step.bytes, ~std::size_t{0}));
    }
    y_ += height;
  }
  static bool moves(const trace_step& step, unsigned rank) {
    return step.lanes[rank].takes_part && step.lanes[rank].source != rank;
  }
  static double distance(unsigned a, unsigned b) { return static_cast<double>(a < b ? b - a : a - b); }

  // ---- Votes, matches, barriers, results

  void draw_votes(const trace_step& step) {
    double const top = y_, height = 30, radius = std::min(5.0, at_.column() / 2 - 1);
    each_tile(step, top, height, [&](unsigned begin, unsigned end) {
      std::string const outcome = outcome_of(step, begin, end);
      band("tile", begin, end, top, height, outcome);
      for (unsigned r = begin; r < end; ++r)
        if (radius > 0.5) front_.circle(step.value(r)[0] != 0 ? "yes" : "no", at_.center(r), top + 9, radius);
      tile_text(begin, end, top + 26, outcome);
    });
    label(top + 13, step_name(step));
    y_ += height + 6;
  }
  /// "0x0f, 4 of 8" for a ballot, "true" for any.
  std::string outcome_of(const trace_step& step, unsigned begin, unsigned end) const {
    unsigned count = 0;
    std::string mask;
    for (unsigned r = (end - begin + 3) / 4 * 4; r > 0; r -= 4) {
      unsigned digit = 0;
      for (unsigned bit = 0; bit < 4; ++bit)
        if (begin + r - 4 + bit < end && step.value(begin + r - 4 + bit)[0] != 0) digit |= 1u << bit, ++count;
      mask += "0123456789abcdef"[digit];
    }
    if (step.kind == primitive::any) return count != 0 ? "true" : "false";
    return "0x" + mask + ", " + std::to_string(count) + " of " + std::to_string(end - begin);
  }
  /// Text in the middle of a tile, of the first part of it that fits.
  void tile_text(unsigned begin, unsigned end, double y, const std::string& text) {
    std::size_t const room = at_.fits(mid_character, end - begin);
    std::string const fits = text.size() <= room ? text : text.substr(0, text.find(','));
    if (fits.size() <= room) front_.text("mid", (at_.left(begin) + at_.left(end)) / 2, y, fits);
  }

  void draw_match(const trace_step& step) {
    type_ = readable_type(step.type);
    lettering const how = lettering_of(step);
    double const top = y_;
    each_tile(step, top, how.height, [&](unsigned begin, unsigned end) {
      for (unsigned r = begin; r < end; ++r) {
        band("key k" + std::to_string(class_of(step, begin, r) % 8), r, r + 1, top, how.height);
        draw_cell(step, how, r, r, top);
      }
    });
    label(top + how.height / 2 + 4, step_name(step));
    y_ += how.height + 6;
  }
  /// The number of different values before the first lane of the tile that has lane r's value.
  static unsigned class_of(const trace_step& step, unsigned begin, unsigned r) {
    unsigned different = 0;
    for (unsigned lane = begin; lane <= r; ++lane) {
      if (same_value(step, lane, r)) break;
      bool first = true;
      for (unsigned before = begin; before < lane; ++before) first = first && !same_value(step, before, lane);
      different += first;
    }
    return different;
  }
  static bool same_value(const trace_step& step, unsigned a, unsigned b) {
    return std::memcmp(step.value(a), step.value(b), step.bytes) == 0;
  }

  void draw_barrier(const trace_step& step) {
    double const y = y_ + 8;
    each_tile(step, y - 2, 4, [&](unsigned begin, unsigned end) {
      front_.line("barrier", at_.left(begin) + 4, y, at_.left(end) - 4, y);
    });
    label(y + 4, step_name(step));
    y_ += 18;
  }

  /// One band where all lanes of a tile have the same result, else one for each.
  void draw_results(const trace_step& step) {
    type_ = readable_type(step.type);
    if (!same_in_tiles(step)) {
      draw_values(step, "result", "result", false);
    } else {
      double const top = y_;
      each_tile(step, top, row, [&](unsigned begin, unsigned end) {
        band("result", begin, end, top, row, title_of(step, begin));
        tile_text(begin, end, top + 13,
                  value_text(type_, step.value(begin), step.bytes, at_.fits(mid_character, end - begin)));
      });
      label(top + 13, "result");
      y_ += row;
    }
    y_ += 4;
  }
  bool same_in_tiles(const trace_step& step) const {
    for (unsigned r = 1; r < record_.size; ++r)
      if (step.lanes[r].takes_part && step.lanes[r - 1].takes_part && step.lanes[r].begin < r &&
          !same_value(step, r - 1, r))
        return false;
    return true;
  }

  // ---- The end of a launch that failed

  void draw_failure() {
    y_ += 6;
    double const top = y_;
    front_.rect("call", svg_layout::margin / 2, top, at_.width() - svg_layout::margin, 24, 6);
    front_.text("bad", svg_layout::margin + 6, y_ += 17, "the launch ended here: " + record_.failure);
    y_ += 8;
    for (const trace_ending& ending : record_.endings) draw_ending(ending);
    y_ += 2;
    back_.rect("call", svg_layout::margin / 2, top, at_.width() - svg_layout::margin, y_ - top, 6);
  }
  void draw_ending(const trace_ending& ending) {
    double const top = y_;
    for (std::size_t i = 0; i < ending.lanes.size();) {
      std::size_t last = i;
      while (last + 1 < ending.lanes.size() && ending.lanes[last + 1] == ending.lanes[last] + 1) ++last;
      band(ending.at_fault ? "waits" : "rest", ending.lanes[i], ending.lanes[last] + 1, top, row);
      i = last + 1;
    }
    if (ending.at_fault && at_.shows_values())
      for (unsigned const lane : ending.lanes) draw_cross(at_.center(lane), top + row / 2);
    std::string const lanes = list_lanes(ending.lanes);
    double const right = at_.width() - svg_layout::margin - 6;
    front_.text(ending.at_fault ? "bad" : "dim", svg_layout::gutter + svg_layout::margin, y_ += row + 14,
                lanes + ": " + ending.text);
    front_.text("site", right, y_, short_site(ending.site), full_site(ending.site));
    y_ += 10;
  }
  void draw_cross(double x, double y) {
    front_.path("fault",
                "M" + svg_canvas::pair(x - 4, y - 4) + "L" + svg_canvas::pair(x + 4, y + 4) + "M" +
                    svg_canvas::pair(x - 4, y + 4) + "L" + svg_canvas::pair(x + 4, y - 4),
                "");
  }

  const trace_record& record_;
  svg_layout at_;
  svg_canvas back_, lines_, front_;
  std::string type_;  // of the values of the step that is drawn
  double y_ = 0;      // the bottom of what has been drawn
  double lanes_begin_ = 0, lanes_end_ = 0;
};

inline std::string svg_of(const trace_record& record) {
  return svg_picture(record).text();
}

}  // namespace host::detail
TESSERA_NAMESPACE_END

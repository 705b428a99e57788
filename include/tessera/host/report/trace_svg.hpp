// Draws a record as SVG: a column for each lane, time downwards, a box for each call and in it a row for
// each step.
//
//            0     1     2     3
//   reduce  int, plus, tile<4>          kernel.cpp:12
//   xor 1   [a     b     c     d ]      the values that the lanes give
//            `>< '       `><'           an arrow for each value that another lane gets
//   xor 2   [ab    ab    cd    cd]
//              ...
#pragma once

#include <algorithm>
#include <string>
#include <tessera/core/config.hpp>
#include <tessera/host/report/svg_canvas.hpp>
#include <tessera/host/report/svg_layout.hpp>
#include <tessera/host/report/svg_style.hpp>
#include <tessera/host/report/text_writer.hpp>
#include <tessera/host/report/trace_names.hpp>
#include <tessera/host/report/trace_svg_rows.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

class svg_picture {
 public:
  explicit svg_picture(const trace_record& record) : record_(record), at_(record.size), rows_(at_, front_) {}

  std::string text() {
    draw_head();
    for (const trace_call& call : record_.calls) draw_call(call);
    if (record_.more != 0) front_.text("bad", margin + 6, y_ += 22, detail::more_steps(record_));
    if (!record_.failure.empty()) draw_failure();
    draw_lanes();
    draw_legend();
    return whole();
  }

 private:
  static constexpr double margin = svg_layout::margin;

  // ---- The picture as a whole

  std::string whole() const {
    double const width = at_.width(), height = y_ + margin;
    text_writer out;
    out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""
        << width << "\" height=\"" << height << "\" viewBox=\"0 0 " << width << " " << height
        << "\">\n<title>" << detail::xml_escaped(detail::block_name(record_)) << "</title>\n<style>\n"
        << svg_style() << "</style>\n<defs>";
    put_arrowhead(out, "u");
    put_arrowhead(out, "d");
    out << "</defs>\n<rect class=\"page\" width=\"" << width << "\" height=\"" << height << "\" rx=\"8\"/>\n"
        << back_.elements() << lines_.elements() << front_.elements() << "</svg>\n";
    return out;
  }
  static void put_arrowhead(text_writer& out, const char* id) {
    out << "<marker id=\"" << id
        << "\" viewBox=\"0 0 6 6\" refX=\"5.5\" refY=\"3\" markerWidth=\"6\" markerHeight=\"6\" "
           "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\""
        << id << "\" d=\"M0,0.4L6,3L0,5.6Z\"/></marker>";
  }

  void draw_head() {
    front_.text("name", margin, y_ += 22, detail::block_name(record_));
    front_.titled_text("site", at_.width() - margin, y_, detail::short_site(record_.launch),
                       detail::full_site(record_.launch));
    front_.text("dim", margin, y_ += 18,
                text_writer() << "schedule " << host::name_of(record_.context.order.order) << ", seed "
                              << static_cast<unsigned long long>(record_.context.order.seed));
    y_ += 14;
    for (unsigned first = 0; first < record_.size; first += 32)
      draw_warp(first, (std::min)(first + 32, record_.size));
    y_ += 18;
    unsigned const every = at_.column() >= 14 ? 1 : 32;
    for (unsigned lane = 0; lane < record_.size; lane += every)
      front_.text(at_.column() >= 20 ? "mid dim" : "small dim", at_.center(lane), y_, text_writer() << lane);
    lanes_begin_ = y_ += 6;
  }
  /// A bracket around the numbers of a warp's lanes.
  void draw_warp(unsigned first, unsigned end) {
    double const left = at_.left(first) + 2, right = at_.left(end) - 2, middle = (left + right) / 2;
    text_writer name;
    name << "warp " << first / 32;
    double const half = svg_layout::text_width(name, svg_layout::mid) / 2 + 4;
    if (right - left < 2 * half) return;
    front_.text("mid dim", middle, y_ + 4, name);
    front_.corner("bracket", left, y_ + 5, middle - half, y_);
    front_.corner("bracket", right, y_ + 5, middle + half, y_);
  }
  /// A line for each lane, and one between warps, behind everything else.
  void draw_lanes() {
    if (at_.shows_values())
      for (unsigned lane = 0; lane < record_.size; ++lane)
        lines_.line("life", at_.center(lane), lanes_begin_, at_.center(lane), y_);
    for (unsigned lane = 32; lane < record_.size; lane += 32)
      lines_.line("warp", at_.left(lane), lanes_begin_ - 30, at_.left(lane), y_);
  }

  void draw_legend() {
    y_ += 22;
    double x = margin;
    if (rows_.has_up()) draw_sign(x, "up", x, x + 20, "value to a higher lane");
    if (rows_.has_down()) draw_sign(x, "down", x + 20, x, "value to a lower lane");
    if (has(is_barrier)) draw_sign(x, "barrier", x + 2, x + 18, "barrier");
    if (has(is_vote)) {
      front_.circle("yes", x + 4, y_ - 4, 4);
      front_.circle("no", x + 16, y_ - 4, 4);
      draw_meaning(x, "votes true, false");
    }
  }
  void draw_sign(double& x, const char* style, double from, double to, const char* meaning) {
    front_.line(style, from, y_ - 4, to, y_ - 4);
    draw_meaning(x, meaning);
  }
  void draw_meaning(double& x, const std::string& meaning) {
    front_.text("dim", x + 26, y_, meaning);
    x += svg_layout::text_width(meaning, svg_layout::normal) + 50;
  }
  bool has(bool (*is)(const trace_step&)) const {
    for (const trace_call& call : record_.calls)
      for (const trace_step& step : call.steps)
        if (is(step)) return true;
    return false;
  }

  // ---- Calls, and the end of a launch that failed

  double right() const { return at_.width() - margin - 6; }

  /// A box, whose head hides the lanes' lines.
  double begin_box(double head = 24) {
    double const top = y_ += 6;
    front_.rect("call", margin / 2, top, at_.width() - margin, head, 6);
    y_ += 25;
    return top;
  }
  void end_box(double top) {
    y_ += 4;
    back_.rect("call", margin / 2, top, at_.width() - margin, y_ - top, 6);
  }

  void draw_call(const trace_call& call) {
    double const top = begin_box(), line = top + 17;
    std::string const name = detail::call_name(call), site = detail::short_site(call.site),
                      detail = detail::call_detail(call);
    front_.text("name", margin + 6, line, name);
    front_.titled_text("site", right(), line, site, detail::full_site(call.site));
    double const from = margin + 18 + svg_layout::text_width(name, svg_layout::bold);
    double const room = right() - from - svg_layout::text_width(site, svg_layout::normal) - 12;
    if (room > 0)
      front_.titled_text("dim", from, line,
                         detail::shortened(detail, static_cast<std::size_t>(room / svg_layout::normal)),
                         detail);
    for (const trace_step& step : call.steps) y_ = rows_.draw(step, y_);
    if (call.steps.size() == 1 && detail::is_shuffle(call.steps[0]))
      y_ = rows_.draw_received(call.steps[0], y_);
    end_box(top);
  }

  void draw_failure() {
    double const top = begin_box(29 + 42 * static_cast<double>(record_.endings.size()));
    front_.text("bad", margin + 6, top + 17, text_writer() << "the launch ended here: " << record_.failure);
    for (const trace_ending& ending : record_.endings) draw_ending(ending);
    end_box(top);
  }
  void draw_ending(const trace_ending& ending) {
    for (std::size_t i = 0; i < ending.lanes.size();) {
      std::size_t end = i + 1;
      while (end < ending.lanes.size() && ending.lanes[end] == ending.lanes[end - 1] + 1) ++end;
      rows_.band(ending.at_fault ? "bad-lanes" : "rest", ending.lanes[i], ending.lanes[end - 1] + 1, y_,
                 svg_rows::height);
      i = end;
    }
    if (ending.at_fault && at_.shows_values())
      for (unsigned const lane : ending.lanes) draw_cross(at_.center(lane), y_ + svg_rows::height / 2);
    y_ += svg_rows::height + 13;
    front_.text(ending.at_fault ? "bad" : "dim", at_.left(0), y_,
                text_writer() << detail::list_lanes(ending.lanes) << ": " << ending.text);
    front_.titled_text("site", right(), y_, detail::short_site(ending.site), detail::full_site(ending.site));
    y_ += 11;
  }
  void draw_cross(double x, double y) {
    front_.line("fault", x - 4, y - 4, x + 4, y + 4);
    front_.line("fault", x - 4, y + 4, x + 4, y - 4);
  }

  const trace_record& record_;
  svg_layout at_;
  svg_canvas back_, lines_, front_;
  svg_rows rows_;
  double y_ = 0;  // the bottom of what has been drawn
  double lanes_begin_ = 0;
};

inline std::string svg_of(const trace_record& record) {
  return svg_picture(record).text();
}

}  // namespace host::detail
TESSERA_NAMESPACE_END

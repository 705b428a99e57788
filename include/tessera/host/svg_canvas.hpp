// The elements of an SVG file: what trace_svg.hpp draws with. Colors are classes of the style sheet, which has a set for light
// and one for dark backgrounds.
#pragma once

#include <cstdio>
#include <string>
#include <tessera/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace host::detail {

inline std::string xml_escaped(const std::string& text) {
  std::string out;
  for (char const c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20)
      out += ' ';
    else
      out += c;
  }
  return out;
}

/// "12", "12.5": a coordinate, with at most one decimal.
inline std::string svg_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", x);
  std::string out = text;
  if (out.size() > 2 && out.compare(out.size() - 2, 2, ".0") == 0) out.resize(out.size() - 2);
  return out == "-0" ? "0" : out;
}

/// The elements in the order in which they are drawn.
class svg_canvas {
 public:
  const std::string& elements() const { return out_; }

  void rect(const char* style, double x, double y, double width, double height, double radius,
            const std::string& title = "") {
    open("rect", style);
    put("x", x).put("y", y).put("width", width).put("height", height).put("rx", radius);
    close("rect", title);
  }
  void line(const char* style, double x0, double y0, double x1, double y1) {
    open("line", style);
    put("x1", x0).put("y1", y0).put("x2", x1).put("y2", y1);
    close("line", "");
  }
  void circle(const char* style, double x, double y, double radius) {
    open("circle", style);
    put("cx", x).put("cy", y).put("r", radius);
    close("circle", "");
  }
  /// A curve that leaves and arrives vertically, with an arrowhead.
  void arrow(const char* style, double x0, double y0, double x1, double y1, const std::string& title) {
    double const middle = (y0 + y1) / 2;
    path(style,
         "M" + pair(x0, y0) + "C" + pair(x0, middle) + " " + pair(x1, middle) + " " + pair(x1, y1 - 4) + "V" +
             svg_number(y1),
         title);
  }
  void path(const char* style, const std::string& data, const std::string& title) {
    open("path", style);
    out_ += " d=\"" + data + "\"";
    close("path", title);
  }
  void text(const char* style, double x, double y, const std::string& what, const std::string& title = "") {
    open("text", style);
    put("x", x).put("y", y);
    text_end(what, title);
  }
  /// Text that reads upwards, centered around (x, y).
  void rotated_text(const char* style, double x, double y, const std::string& what) {
    open("text", style);
    out_ += " transform=\"translate(" + pair(x, y) + ")rotate(-90)\"";
    text_end(what, "");
  }

  static std::string pair(double x, double y) { return svg_number(x) + "," + svg_number(y); }

 private:
  void open(const char* element, const char* style) {
    out_ += std::string("<") + element + " class=\"" + style + "\"";
  }
  svg_canvas& put(const char* name, double x) {
    out_ += std::string(" ") + name + "=\"" + svg_number(x) + "\"";
    return *this;
  }
  void close(const char* element, const std::string& title) {
    if (title.empty())
      out_ += "/>\n";
    else
      out_ += "><title>" + xml_escaped(title) + "</title></" + element + ">\n";
  }
  void text_end(const std::string& what, const std::string& title) {
    out_ += ">";
    if (!title.empty()) out_ += "<title>" + xml_escaped(title) + "</title>";
    out_ += xml_escaped(what) + "</text>\n";
  }

  std::string out_;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END

// The elements of an SVG file: what trace_svg.hpp draws with. Colors are classes of the style sheet,
// which has a set for light and one for dark backgrounds.
#pragma once

#include <string>
#include <tessera/core/config.hpp>
#include <tessera/host/report/text_writer.hpp>

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

/// The elements in the order in which they are drawn.
class svg_canvas {
 public:
  const std::string& elements() const { return out_.text(); }

  void rect(const char* style, double x, double y, double width, double height, double radius) {
    out_ << "<rect class=\"" << style << "\" x=\"" << x << "\" y=\"" << y << "\" width=\"" << width
         << "\" height=\"" << height << "\" rx=\"" << radius << "\"/>\n";
  }
  void line(const char* style, double x0, double y0, double x1, double y1) {
    out_ << "<line class=\"" << style << "\" x1=\"" << x0 << "\" y1=\"" << y0 << "\" x2=\"" << x1
         << "\" y2=\"" << y1 << "\"/>\n";
  }
  void circle(const char* style, double x, double y, double radius) {
    out_ << "<circle class=\"" << style << "\" cx=\"" << x << "\" cy=\"" << y << "\" r=\"" << radius
         << "\"/>\n";
  }
  /// A curve that leaves and arrives vertically, with an arrowhead. A viewer shows the title where the
  /// mouse is.
  void arrow(const char* style, double x0, double y0, double x1, double y1, const std::string& title) {
    double const middle = (y0 + y1) / 2;
    out_ << "<path class=\"" << style << "\" d=\"M" << x0 << "," << y0 << "C" << x0 << "," << middle << " "
         << x1 << "," << middle << " " << x1 << "," << y1 - 4 << "V" << y1 << "\"><title>"
         << detail::xml_escaped(title) << "</title></path>\n";
  }
  /// A path from (x0, y0) straight to y1 and then to (x1, y1).
  void corner(const char* style, double x0, double y0, double x1, double y1) {
    out_ << "<path class=\"" << style << "\" d=\"M" << x0 << "," << y0 << "V" << y1 << "H" << x1 << "\"/>\n";
  }
  void text(const char* style, double x, double y, const std::string& what) {
    out_ << "<text class=\"" << style << "\" x=\"" << x << "\" y=\"" << y << "\">"
         << detail::xml_escaped(what) << "</text>\n";
  }
  void titled_text(const char* style, double x, double y, const std::string& what, const std::string& title) {
    out_ << "<text class=\"" << style << "\" x=\"" << x << "\" y=\"" << y << "\"><title>"
         << detail::xml_escaped(title) << "</title>" << detail::xml_escaped(what) << "</text>\n";
  }
  /// Text that reads upwards, centered around (x, y).
  void rotated_text(const char* style, double x, double y, const std::string& what) {
    out_ << "<text class=\"" << style << "\" transform=\"translate(" << x << "," << y << ")rotate(-90)\">"
         << detail::xml_escaped(what) << "</text>\n";
  }

 private:
  text_writer out_;
};

}  // namespace host::detail
TESSERA_NAMESPACE_END

// A panel maps x and y to pixels; long series are thinned to the smallest and
// largest value per pixel column, so that no spike is lost.
#include "Chart.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

using namespace mpc::run;

namespace {

constexpr double kLeft = 72, kRight = 20, kTop = 30, kBottom = 42;
constexpr double kWidth = 820, kPanelHeight = 230;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kPlotHeight = kPanelHeight - kTop - kBottom;
constexpr size_t kMostDots = 40;

__attribute__((format(printf, 2, 3))) void append(std::string &text,
                                                  const char *pattern, ...) {
  char line[512];
  va_list values;
  va_start(values, pattern);
  std::vsnprintf(line, sizeof(line), pattern, values);
  va_end(values);
  text += line;
}

/// `text` between tags.
std::string escape(const std::string &text) {
  std::string escaped;
  for (char c : text)
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else // XML has no way to write control characters.
      escaped += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  return escaped;
}

class PanelDrawing {
public:
  PanelDrawing(const Panel &panel, Range x, double top)
      : panel(panel), x(x), top(top + kTop) {}

  void draw(std::string &svg, const std::string &xTitle) const {
    append(svg, "<text x=\"%g\" y=\"%g\" class=\"title\">%s</text>\n", kLeft,
           top - 10, panel.title.c_str());
    drawAxes(svg, xTitle);
    for (const Series &series : panel.series)
      drawSeries(svg, series);
    double legend = kWidth - kRight;
    drawMarks(svg, legend);
    for (auto series = panel.series.rbegin(); series != panel.series.rend();
         ++series)
      addLegend(svg, legend, series->colour, series->name);
  }

private:
  double pixelX(double value) const {
    return kLeft + x.place(value) * kPlotWidth;
  }
  double pixelY(double position) const {
    return top + (1 - panel.y.place(position)) * kPlotHeight;
  }

  void drawAxes(std::string &svg, const std::string &xTitle) const {
    double bottom = top + kPlotHeight;
    for (const Tick &tick : makeTicks(panel.axis, panel.y)) {
      append(svg, "<path d=\"M%g %.1fH%g\" class=\"grid\"/>\n", kLeft,
             pixelY(tick.position), kWidth - kRight);
      append(svg, "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
             kLeft - 8, pixelY(tick.position) + 4, tick.text.c_str());
    }
    for (const Tick &tick : makeTicks(Axis::Count, x)) {
      append(svg, "<path d=\"M%.1f %gv5\" class=\"axis\"/>\n",
             pixelX(tick.position), bottom);
      append(svg,
             "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%s</text>\n",
             pixelX(tick.position), bottom + 18, tick.text.c_str());
    }
    append(svg, "<path d=\"M%g %gV%gH%g\" class=\"axis\"/>\n", kLeft, top,
           bottom, kWidth - kRight);
    append(svg, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>\n",
           kLeft + kPlotWidth / 2, bottom + 34, xTitle.c_str());
  }

  void drawSeries(std::string &svg, const Series &series) const {
    append(svg, "<polyline fill=\"none\" stroke=\"%s\" points=\"",
           series.colour.c_str());
    for (size_t begin = 0; begin < series.points.size();) {
      double column = std::floor(pixelX(series.points[begin].x));
      size_t end = begin + 1, low = begin, high = begin;
      for (; end < series.points.size() &&
             std::floor(pixelX(series.points[end].x)) == column;
           ++end) {
        low = series.points[end].y < series.points[low].y ? end : low;
        high = series.points[end].y > series.points[high].y ? end : high;
      }
      addPoint(svg, series.points[std::min(low, high)]);
      if (low != high)
        addPoint(svg, series.points[std::max(low, high)]);
      begin = end;
    }
    svg += "\"/>\n";
    if (series.points.size() > kMostDots)
      return;
    for (Point point : series.points)
      append(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n",
             pixelX(point.x), pixelY(measure(panel.axis, point.y)),
             series.colour.c_str());
  }

  void addPoint(std::string &svg, Point point) const {
    append(svg, "%.1f,%.1f ", pixelX(point.x),
           pixelY(measure(panel.axis, point.y)));
  }

  /// Writes `name` left of `end`, which moves to its left; names for which
  /// there is no room are left out.
  void addLegend(std::string &svg, double &end, const std::string &colour,
                 const std::string &name) const {
    double begin = end - 7.0 * static_cast<double>(name.size()) - 16;
    if (begin < kLeft + 120)
      return;
    append(svg, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\" fill=\"%s\">", end,
           top - 10, colour.c_str());
    svg += escape(name) + "</text>\n";
    end = begin;
  }

  void drawMarks(std::string &svg, double &legend) const {
    if (panel.marks.empty())
      return;
    svg += "<path class=\"mark\" d=\"";
    for (double mark : panel.marks)
      append(svg, "M%.1f %gv-10", pixelX(mark), top + kPlotHeight);
    svg += "\"/>\n";
    addLegend(svg, legend, "#c53030",
              "skipped steps: " + std::to_string(panel.marks.size()));
  }

  const Panel &panel;
  Range x;
  double top;
};

} // namespace

std::string mpc::run::drawSvg(const Chart &chart) {
  double height = kPanelHeight * static_cast<double>(chart.panels.size());
  std::string svg;
  append(svg,
         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" "
         "height=\"%g\" viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" "
         "font-size=\"12\">\n",
         kWidth, height, kWidth, height);
  svg += "<style>.title{font-size:14px;font-weight:bold}.grid{stroke:#e2e8f0}"
         ".axis{stroke:#4a5568;fill:none}.mark{stroke:#c53030;stroke-width:2}"
         "polyline{stroke-width:1.4}</style>\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  double top = 0;
  for (const Panel &panel : chart.panels) {
    PanelDrawing(panel, chart.x, top).draw(svg, chart.xTitle);
    top += kPanelHeight;
  }
  return svg + "</svg>\n";
}

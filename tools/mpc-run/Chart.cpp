// A panel maps x and y to pixels; long series are thinned to the smallest and
// largest value per pixel column, so that no spike is lost.
#include "Chart.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>

using namespace mpc::run;

namespace {

constexpr double kLeft = 72, kRight = 20, kTop = 30, kBottom = 42;
constexpr double kWidth = 820, kPanelHeight = 230;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kPlotHeight = kPanelHeight - kTop - kBottom;

__attribute__((format(printf, 2, 3))) void append(std::string &text,
                                                  const char *pattern, ...) {
  char line[512];
  va_list values;
  va_start(values, pattern);
  std::vsnprintf(line, sizeof(line), pattern, values);
  va_end(values);
  text += line;
}

/// A range of values on an axis, in the axis's own measure (logarithms). Any
/// finite numbers will do: differences are taken of halves, which cannot
/// overflow, and the range is never too narrow for its numbers to tell apart.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Gives an empty or single value some room.
  void widen(double least) {
    if (!(low <= high))
      low = high = 0;
    least = std::max(least, 1e-9 * std::max(std::abs(low), std::abs(high)));
    if (high / 2 - low / 2 >= least / 2)
      return;
    constexpr double most = std::numeric_limits<double>::max();
    double middle = low / 2 + high / 2;
    low = std::max(middle - least / 2, -most);
    high = std::min(middle + least / 2, most);
  }
  double place(double value) const {
    return (value / 2 - low / 2) / (high / 2 - low / 2);
  }
  /// A `count`th of it.
  double part(double count) const { return high / count - low / count; }
};

double measure(Axis axis, double value) {
  switch (axis) {
  case Axis::Linear:
    return value;
  case Axis::Logarithmic2:
    return std::log2(value);
  case Axis::Logarithmic10:
    return std::log10(value);
  }
  return value;
}

/// 1, 2 or 5 times a power of ten, and not less than `least`.
double roundStep(double least) {
  double power = std::pow(10, std::floor(std::log10(least)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least)
      return factor * power;
  return 10 * power;
}

std::string tickText(Axis axis, double position) {
  char text[32];
  if (axis == Axis::Logarithmic2)
    std::snprintf(text, sizeof(text), "2^%g", position);
  else
    std::snprintf(text, sizeof(text), "%g",
                  axis == Axis::Linear ? position : std::pow(10, position));
  return text;
}

/// The multiples of `step` within the range. They are counted, not added up:
/// a sum may stand still.
std::vector<double> multiples(Range range, double step) {
  std::vector<double> positions;
  double last = std::floor(range.high / step + 1e-9);
  for (double n = std::ceil(range.low / step - 1e-9); n <= last; ++n)
    positions.push_back(n * step);
  return positions;
}

/// 1, 2 and 5 times each power of ten; where there are many powers, some of
/// these alone. As logarithms.
std::vector<double> decades(Range range) {
  double stride = std::max(1.0, std::ceil(range.part(8)));
  std::vector<double> positions;
  for (double power = std::floor(range.low / stride) * stride;
       power <= range.high; power += stride) {
    positions.push_back(power);
    for (double factor : {2.0, 5.0})
      if (stride == 1)
        positions.push_back(power + std::log10(factor));
  }
  std::erase_if(positions, [&](double p) {
    double number = std::pow(10, p);
    return p < range.low - 1e-9 || p > range.high + 1e-9 || number == 0 ||
           !std::isfinite(number);
  });
  return positions;
}

std::vector<double> tickPositions(Axis axis, Range range) {
  if (axis == Axis::Logarithmic10)
    return decades(range);
  double step = roundStep(range.part(6));
  if (axis == Axis::Logarithmic2)
    step = std::max(1.0, std::round(step));
  return multiples(range, step);
}

class PanelDrawing {
public:
  PanelDrawing(const Panel &panel, Range x, double top)
      : panel(panel), axis(panel.axis), x(x), top(top + kTop) {
    for (const Series &series : panel.series)
      for (const Point &point : series.points)
        if (!(point.y > 0))
          axis = Axis::Linear;
    for (const Series &series : panel.series)
      for (const Point &point : series.points)
        y.include(measure(axis, point.y));
    y.widen(axis == Axis::Logarithmic2 ? 2 : axis == Axis::Linear ? 1e-6 : 0.5);
  }

  void draw(std::string &svg, const std::string &xTitle) const {
    append(svg, "<text x=\"%g\" y=\"%g\" class=\"title\">%s</text>\n", kLeft,
           top - 10, panel.title.c_str());
    drawAxes(svg, xTitle);
    for (const Series &series : panel.series)
      drawSeries(svg, series);
    double legend = kWidth - kRight;
    for (auto series = panel.series.rbegin(); series != panel.series.rend();
         ++series) {
      if (series->points.empty())
        continue;
      append(svg,
             "<text x=\"%g\" y=\"%g\" text-anchor=\"end\" fill=\"%s\">%s"
             "</text>\n",
             legend, top - 10, series->colour.c_str(), series->name.c_str());
      legend -= 7.0 * static_cast<double>(series->name.size()) + 16;
    }
    drawMarks(svg, legend);
  }

private:
  double pixelX(double value) const {
    return kLeft + x.place(value) * kPlotWidth;
  }
  double pixelY(double position) const {
    return top + (1 - y.place(position)) * kPlotHeight;
  }

  void drawAxes(std::string &svg, const std::string &xTitle) const {
    double bottom = top + kPlotHeight;
    for (double position : tickPositions(axis, y)) {
      append(svg, "<path d=\"M%g %.1fH%g\" class=\"grid\"/>\n", kLeft,
             pixelY(position), kWidth - kRight);
      append(svg, "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
             kLeft - 8, pixelY(position) + 4, tickText(axis, position).c_str());
    }
    for (double position : tickPositions(Axis::Linear, x)) {
      append(svg, "<path d=\"M%.1f %gv5\" class=\"axis\"/>\n", pixelX(position),
             bottom);
      append(svg,
             "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%g</text>\n",
             pixelX(position), bottom + 18, position);
    }
    append(svg, "<path d=\"M%g %gV%gH%g\" class=\"axis\"/>\n", kLeft, top,
           bottom, kWidth - kRight);
    append(svg, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>\n",
           kLeft + kPlotWidth / 2, bottom + 34, xTitle.c_str());
  }

  void drawSeries(std::string &svg, const Series &series) const {
    if (series.points.empty())
      return;
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
  }

  void addPoint(std::string &svg, Point point) const {
    append(svg, "%.1f,%.1f ", pixelX(point.x), pixelY(measure(axis, point.y)));
  }

  void drawMarks(std::string &svg, double legend) const {
    if (panel.marks.empty())
      return;
    svg += "<path class=\"mark\" d=\"";
    for (double mark : panel.marks)
      append(svg, "M%.1f %gv-10", pixelX(mark), top + kPlotHeight);
    svg += "\"/>\n";
    append(svg,
           "<text x=\"%g\" y=\"%g\" text-anchor=\"end\" fill=\"#c53030\">"
           "skipped steps: %zu</text>\n",
           legend, top - 10, panel.marks.size());
  }

  const Panel &panel;
  Axis axis;
  Range x, y;
  double top;
};

} // namespace

/// What is not finite has no place on an axis.
static std::vector<Panel> keepFinite(std::vector<Panel> panels) {
  for (Panel &panel : panels) {
    for (Series &series : panel.series)
      std::erase_if(series.points, [](Point point) {
        return !std::isfinite(point.x) || !std::isfinite(point.y);
      });
    std::erase_if(panel.marks,
                  [](double mark) { return !std::isfinite(mark); });
  }
  return panels;
}

std::string mpc::run::drawChart(const std::string &xTitle,
                                const std::vector<Panel> &given) {
  std::vector<Panel> panels = keepFinite(given);
  Range x;
  for (const Panel &panel : panels) {
    for (const Series &series : panel.series)
      for (const Point &point : series.points)
        x.include(point.x);
    for (double mark : panel.marks)
      x.include(mark);
  }
  x.widen(1);
  double height = kPanelHeight * static_cast<double>(panels.size());
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
  for (const Panel &panel : panels) {
    PanelDrawing(panel, x, top).draw(svg, xTitle);
    top += kPanelHeight;
  }
  return svg + "</svg>\n";
}

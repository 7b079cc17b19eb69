#include "Chart.h"

#include <cmath>

using namespace mpc::run;

/// What is not finite has no place on an axis.
static void keepFinite(Panel &panel) {
  for (Series &series : panel.series)
    std::erase_if(series.points, [](Point point) {
      return !std::isfinite(point.x) || !std::isfinite(point.y);
    });
  std::erase_if(panel.series,
                [](const Series &series) { return series.points.empty(); });
  std::erase_if(panel.marks, [](double mark) { return !std::isfinite(mark); });
}

/// Of the room that values have at least. What stands still has a tenth of
/// itself on either side: numbers at the axis that are read at a glance.
static double leastRange(const Panel &panel) {
  if (panel.axis == Axis::Logarithmic2)
    return 2;
  if (panel.axis != Axis::Linear)
    return 0.1;
  const Range &y = panel.y;
  double size = std::max(std::abs(y.low), std::abs(y.high));
  if (!std::isfinite(size) || size == 0)
    return 1;
  bool isConstant = y.high / 2 - y.low / 2 < 1e-6 * size;
  return isConstant ? size / 5 : 0;
}

static void findRange(Panel &panel) {
  for (const Series &series : panel.series)
    for (const Point &point : series.points)
      if (!(point.y > 0))
        panel.axis = Axis::Linear;
  for (const Series &series : panel.series)
    for (const Point &point : series.points)
      panel.y.include(measure(panel.axis, point.y));
  panel.y.widen(leastRange(panel));
}

Chart::Chart(std::string title, std::vector<Panel> given)
    : xTitle(std::move(title)), panels(std::move(given)) {
  for (Panel &panel : panels) {
    keepFinite(panel);
    findRange(panel);
    for (const Series &series : panel.series)
      for (const Point &point : series.points)
        x.include(point.x);
    for (double mark : panel.marks)
      x.include(mark);
  }
  x.widen(1);
}

// Line charts: panels below each other that share their x axis, as SVG or as
// text for a terminal.
#ifndef MPC_TOOLS_MPC_RUN_PLOT_CHART_H
#define MPC_TOOLS_MPC_RUN_PLOT_CHART_H

#include "Ticks.h"

namespace mpc::run {

struct Point {
  double x, y;
};
/// A curve; where it has few points, each is a dot as well.
struct Series {
  std::string name, colour;
  std::vector<Point> points; ///< By rising x.
};

struct Panel {
  std::string title;
  Axis axis; ///< A logarithmic one becomes linear if a value is not positive.
  std::vector<Series> series;
  std::vector<double> marks; ///< Strokes at the bottom: skipped steps.
  Range y = {};              ///< Of its values; found by Chart.
};

/// Panels that are ready to be drawn. Points that are not finite are left out;
/// any other numbers have their place.
struct Chart {
  Chart(std::string xTitle, std::vector<Panel> panels);

  std::string xTitle;
  std::vector<Panel> panels;
  Range x;
};

std::string drawSvg(const Chart &chart);
/// Lines of at most `width` characters, all of them ASCII but for names.
std::string drawText(const Chart &chart, size_t width);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_PLOT_CHART_H

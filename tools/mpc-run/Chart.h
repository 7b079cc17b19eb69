// Line charts as SVG: panels below each other that share their x axis.
#ifndef MPC_TOOLS_MPC_RUN_CHART_H
#define MPC_TOOLS_MPC_RUN_CHART_H

#include <string>
#include <vector>

namespace mpc::run {

struct Point {
  double x, y;
};
struct Series {
  std::string name, colour;
  std::vector<Point> points; ///< By rising x.
};

enum class Axis { Linear, Logarithmic2, Logarithmic10 };

struct Panel {
  std::string title;
  Axis axis; ///< A logarithmic one becomes linear if a value is not positive.
  std::vector<Series> series;
  std::vector<double> marks; ///< Ticks at the bottom: skipped steps.
};

/// Points that are not finite are left out; any other numbers are drawn.
std::string drawChart(const std::string &xTitle,
                      const std::vector<Panel> &panels);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_CHART_H

// Where an axis has its numbers, and how they are written.
#ifndef MPC_TOOLS_MPC_RUN_PLOT_TICKS_H
#define MPC_TOOLS_MPC_RUN_PLOT_TICKS_H

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace mpc::run {

/// Count: whole numbers, linear.
enum class Axis { Count, Linear, Logarithmic2, Logarithmic10 };

/// `value` in the axis's own measure: its logarithm, or itself.
double measure(Axis axis, double value);

/// A range of values on an axis, in the axis's own measure. Any finite numbers
/// will do: differences are taken of halves, which cannot overflow, and the
/// range is never too narrow for its numbers to tell apart.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Gives an empty or single value some room.
  void widen(double least);
  /// From 0 at `low` to 1 at `high`.
  double place(double value) const {
    return (value / 2 - low / 2) / (high / 2 - low / 2);
  }
  /// A `count`th of it.
  double part(double count) const { return high / count - low / count; }
};

struct Tick {
  double position; ///< In the axis's own measure.
  std::string text;
};

/// A few round numbers within the range, which was widened.
std::vector<Tick> makeTicks(Axis axis, Range range);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_PLOT_TICKS_H

// Values that somebody follows through the compiler (mpc-opt --explain).
//
// A watch is a location around the location that an op has anyway:
// fused<{graph.watch = ...}>[the location]. Passes keep and copy the locations
// of the values that they rewrite, so a watch survives them without their
// help, and what they derive from a watched op (a cast for its operand, its
// gradient, a warning) carries the watch inside its own location. Only
// mpc-differentiate has to say more: which op makes a watched value's gradient.
#ifndef MPC_DIALECT_GRAPH_IR_WATCH_H
#define MPC_DIALECT_GRAPH_IR_WATCH_H

#include "mlir/IR/Location.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

enum class WatchKind : int64_t {
  Value,          ///< The op makes the watched value, or it is this argument.
  Gradient,       ///< The op makes the gradient of the watched value.
  Group,          ///< The op executes a group that makes the watched value,
  GradientGroup,  ///< or its gradient.
  Reader,         ///< The op reads the watched value as operand `result`,
  GradientReader, ///< or its gradient.
};

struct Watch {
  WatchKind kind;
  /// Which of the watched values.
  int64_t id;
  /// The result that holds it; -1 if it is in none.
  int64_t result;

  bool operator==(const Watch &) const = default;
};

/// `location` with one more watch on it.
Location addWatch(Location location, Watch watch);

/// The watches right on `location`: those of locations that it only refers to
/// ("gradient of graph.tanh" at a watched op) are not its own.
SmallVector<Watch, 2> watchesOf(Location location);

/// `location` without its own watches.
Location withoutWatches(Location location);

/// The ids of all watches but those of readers, on `location` or on one that it
/// refers to.
SmallVector<int64_t, 2> idsWithin(Location location);

/// Marks what makes `gradient` as the gradient of the values that are watched
/// at `location`, result `result`.
void watchGradient(Location location, unsigned result, Value gradient);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_WATCH_H

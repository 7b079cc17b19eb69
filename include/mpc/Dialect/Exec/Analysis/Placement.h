// Where buffers lie in one block of memory, so that those that live at the same
// time lie apart. Knows lifetimes, not programs.
//
// Best fit: each buffer goes into the smallest gap that it fits between those
// that are placed already and live at the same time. How much that wastes
// depends on the order in which buffers are placed, so several are tried, by
// size first: that is the one that wins most often. Then those that begin with
// what lives at the peak, which lies without gaps by itself. At last what did
// not fit is moved, in the end to any place. No order is tried that cannot win,
// and how many are is bounded by counted work, not by time: a plan depends on
// nothing but the buffers.
#ifndef MPC_DIALECT_EXEC_ANALYSIS_PLACEMENT_H
#define MPC_DIALECT_EXEC_ANALYSIS_PLACEMENT_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::exec {

/// A buffer of `bytes` that holds something from step `first` to step `last`.
struct Lifetime {
  int64_t bytes, first, last;
};

/// The largest sum of bytes that are live at one time: no placement needs less.
struct Peak {
  int64_t bytes = 0;
  int64_t time = 0; ///< The first at which that many are live.

  static Peak of(ArrayRef<Lifetime> buffers);
};

struct Placement {
  SmallVector<int64_t> offsets; ///< One for each buffer.
  int64_t bytes = 0;            ///< Where the last of them ends.
  StringRef order;              ///< Of those that were tried: "size", ...
  int64_t work = 0;             ///< Looks at a placed buffer, of all orders.

  static Placement find(ArrayRef<Lifetime> buffers);
};

} // namespace mpc::exec

#endif // MPC_DIALECT_EXEC_ANALYSIS_PLACEMENT_H

// When the values of a straight line are needed. Fusing an op into a kernel
// that runs long before anybody needs the op saves a read and costs memory in
// between: the backward pass would leave its intermediate values lying about
// from the forward pass on. Private to grouping.
#ifndef MPC_LIB_DIALECT_GRAPH_ANALYSIS_DEADLINES_H
#define MPC_LIB_DIALECT_GRAPH_ANALYSIS_DEADLINES_H

#include "mpc/Interfaces/LLVM.h"
#include <limits>

namespace mpc::graph {

class Deadlines {
public:
  /// Nobody but the end of the block waits.
  static constexpr int kNever = std::numeric_limits<int>::max();

  /// Of all ops of `block`; ops for which `isFence` holds are the deadlines:
  /// library calls and collectives, which kernels cannot join.
  Deadlines(Block &block, function_ref<bool(Operation *)> isFence);

  /// Number of the first fence, in program order, that waits for `op`.
  int of(Operation *op) const { return facts.lookup(op).deadline; }

  /// Bytes that must be stored until the deadline of `op` if it runs in front
  /// of the earlier `fence`, together with all after it that can run there: a
  /// product that is only summed carries the sum, but the factor of one that
  /// waits for what a later fence yields is stored itself.
  int64_t carriedBytes(Operation *op, int fence);

  /// Whether `user` has all operands in front of `fence`, and is none itself.
  bool canRunBefore(Operation *user, int fence) const;

private:
  struct Fact {
    int deadline = kNever;
    int ready = 0; ///< The first fence that it can run in front of.
    bool isFence = false;
  };
  DenseMap<Operation *, Fact> facts;
  DenseMap<std::pair<Operation *, int>, int64_t> carried; ///< What was asked.
};

/// Bytes of a tensor in memory.
int64_t getStoredBytes(Value value);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_ANALYSIS_DEADLINES_H

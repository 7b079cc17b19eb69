// The running statistics that an entry moves: mpc-track-statistics makes them,
// accumulation sums them over micro-batches, reduction averages them over
// ranks. Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_MOVEDSTATISTICS_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_MOVEDSTATISTICS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"

namespace mpc::graph {

/// A state of role `running_statistic` and what `func` returns for it.
struct MovedStatistic {
  Marked state;
  Value next;
};
SmallVector<MovedStatistic> movedStatistics(mlir::func::FuncOp func);

/// The averages of which `next` is the last, that one first: each moves what
/// the one behind it in the list has made.
SmallVector<MovingAverageOpInterface> averagesOf(Value next);

/// What ranks average: the statistics of each batch, or the sum over
/// micro-batches that a step adds to a state; nothing where all ranks have the
/// same.
SmallVector<mlir::OpOperand *> statisticUses(mlir::func::FuncOp func);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_MOVEDSTATISTICS_H

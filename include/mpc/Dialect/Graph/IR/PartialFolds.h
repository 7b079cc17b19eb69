// Folds that are made of folds of so many rows at a time: the interfaces of
// PartialFolds.td.
#ifndef MPC_DIALECT_GRAPH_IR_PARTIALFOLDS_H
#define MPC_DIALECT_GRAPH_IR_PARTIALFOLDS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

#include "mpc/Dialect/Graph/IR/PartialFolds.h.inc"

namespace mpc::graph {

/// Rows that `op` folds into each part; 0: it folds in no parts.
inline int64_t getRowsPerPart(Operation *op) {
  auto partial = dyn_cast_if_present<PartialFoldOpInterface>(op);
  return partial ? partial.getRowsPerPart() : 0;
}

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_PARTIALFOLDS_H

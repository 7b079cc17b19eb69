// What the forward pass keeps for the backward pass, and what that costs.
//
// A value is saved if the forward pass makes it and an op of the backward reads
// it, or an op that a region of the model lets the backward compute again.
// Arguments (inputs, parameters) and constants are there anyway. The
// backward inherits precisions, so what ran in 16 bits is saved in 16 bits.
// Later stages may still compute cheap values again instead of keeping them.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_SAVEDVALUES_H
#define MPC_DIALECT_GRAPH_ANALYSIS_SAVEDVALUES_H

#include "mpc/Interfaces/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace mpc::graph {

/// The constant from which the backward of `step` starts; null if it has none.
Operation *findSeed(mlir::func::FuncOp step);

/// The saved values of a step that mpc-differentiate built, in order.
SmallVector<mlir::OpResult> findSavedValues(mlir::func::FuncOp step);

/// Bytes of the elements of a tensor.
int64_t getBytes(mlir::RankedTensorType type);

/// One row of the report: a value of the model, and what is saved of it without
/// and with autocast. Zero bytes: not saved.
struct SavedRow {
  std::string value;    ///< "graph.relu".
  std::string location; ///< "model.mlir:12:8"
  std::string wideType, type;
  int64_t wideBytes = 0, bytes = 0;
};

/// Joins the saved values of the steps of two modules, which are one model
/// without and with autocast, by op and place. Persistent 16-bit copies of
/// parameters are state, and not in the table.
std::vector<SavedRow> compareSavedValues(ModuleOp wide, ModuleOp module);

/// Aligned columns, one line per row, and a line with the sums.
void printSavedValues(ArrayRef<SavedRow> rows, llvm::raw_ostream &stream);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_SAVEDVALUES_H

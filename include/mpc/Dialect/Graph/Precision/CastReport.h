// The two tables that explain mixed precision to a user: which casts a module
// holds, and at which precision each op runs. Data first, then text, so that a
// tool can print them and a report can lay them out.
#ifndef MPC_DIALECT_GRAPH_PRECISION_CASTREPORT_H
#define MPC_DIALECT_GRAPH_PRECISION_CASTREPORT_H

#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"
#include "llvm/Support/raw_ostream.h"

namespace mpc::graph {

/// One `graph.cast` of the module.
struct CastRow {
  std::string function;
  std::string value;    ///< "parameter w1", "input x", "graph.matmul".
  std::string from, to; ///< Types: "64x128xf32", "64x128xf16".
  int64_t bytes;        ///< Moved per call (getCastBytes).
  std::string reason;   ///< Empty: the user wrote the cast.
  std::string location; ///< "model.mlir:12:8"
};

/// One op that autocast decided on.
struct PolicyRow {
  std::string function;
  std::string op;
  std::string policy;  ///< "Allow", "lower_precision_fp".
  std::string type;    ///< Element type of its float operands: "f16".
  std::string results; ///< Types of its results, by commas.
  std::string reason;
  std::string location;
};

/// All casts of `module`, in order. Any stage from autocast on, before exec.
std::vector<CastRow> collectCasts(ModuleOp module);

/// What mpc-autocast with `choice` decides for `module`, which must be at stage
/// import. Fails with an error at the option or op that is wrong.
FailureOr<std::vector<PolicyRow>> collectPolicies(ModuleOp module,
                                                  const AutocastChoice &choice);

/// Aligned columns, one line per row, and a line with the sums.
void printCasts(ArrayRef<CastRow> rows, llvm::raw_ostream &os);
void printPolicies(ArrayRef<PolicyRow> rows, llvm::raw_ostream &os);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_PRECISION_CASTREPORT_H

// What is legal in 16 bits and likely to go wrong, in a function that autocast
// has run on. Knows no op: asks interfaces, and folders where the question is
// what an op computes.
//
//   forced      a rule takes an op whose record says Deny (exp, pow, losses)
//               to 16 bits
//   loss        the loss is computed in 16 bits and widened after: if it
//               overflows, no loss scale helps, and its digits are gone
//   sum         many elements are summed into f16: a mean of 16 over 4096 of
//               them is beyond 65504, whatever the sum was accumulated in
//   chain       many additions one after the other, each rounded to 16 bits:
//               the accumulator stands still once it is 2^11 (f16) or 2^8
//               (bf16) times the addend
//   guard       a constant that keeps a division, logarithm or root from zero
//               is zero in 16 bits, or its reciprocal overflows
//   constant    a cast that somebody wrote takes a constant out of range; for
//               those of autocast mpc-autocast itself warns
// Sources: the threads collected in PyTorch's, Fairseq's and Transformers'
// issues on f16 losses, masks and epsilons; IEEE 754 for the ranges.
#ifndef MPC_DIALECT_GRAPH_PRECISION_PRECISIONLINT_H
#define MPC_DIALECT_GRAPH_PRECISION_PRECISIONLINT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"

namespace mpc::graph {

struct LintFinding {
  Operation *op;
  std::string problem;        ///< "exp runs in f16 by rule 'graph.exp=Allow'"
  std::string fix;            ///< "drop the rule, or give it Deny"
  Operation *cause = nullptr; ///< Another op that the problem comes from.
};

struct LintLimits {
  int64_t sumElements = 4096; ///< From how many on a sum into f16 is named.
  int64_t chainLength = 16;   ///< From how many additions on a chain is.
};

/// What is to be said of `func`, in the order of its ops. `options` are those
/// that autocast ran with.
std::vector<LintFinding> lintPrecision(mlir::func::FuncOp func,
                                       const PrecisionOptions &options,
                                       const LintLimits &limits = {});

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_PRECISION_PRECISIONLINT_H

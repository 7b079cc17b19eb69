// Mode torch: what the dispatcher of PyTorch's autocast, or of Apex O1, does to
// each op, forward.
#ifndef MPC_LIB_DIALECT_GRAPH_ANALYSIS_TORCHPRECISION_H
#define MPC_LIB_DIALECT_GRAPH_ANALYSIS_TORCHPRECISION_H

#include "ForwardTypes.h"

namespace mpc::graph {

class TorchPrecision {
public:
  explicit TorchPrecision(PrecisionAnalysis &analysis) : analysis(analysis) {}

  LogicalResult run(Block &body);

private:
  LogicalResult decide(Operation *op);
  /// The type that `policy` gives to the operands `eligible`.
  FailureOr<FloatType> chooseType(Operation *op, TorchPolicy policy,
                                  ArrayRef<unsigned> eligible);
  FailureOr<FloatType> chooseWidest(Operation *op, ArrayRef<unsigned> voters);
  FailureOr<FloatType> chooseWidestInApex(Operation *op,
                                          ArrayRef<unsigned> voters);
  InFlightDiagnostic refuse(Operation *op, unsigned index, FloatType type);

  PrecisionAnalysis &analysis;
  ForwardTypes current;
};

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_ANALYSIS_TORCHPRECISION_H

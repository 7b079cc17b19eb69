// Mode torch: what the dispatcher of PyTorch's autocast, or of Apex O1, does to
// each op, forward.
#ifndef MPC_LIB_DIALECT_GRAPH_PRECISION_MODES_TORCHPRECISION_H
#define MPC_LIB_DIALECT_GRAPH_PRECISION_MODES_TORCHPRECISION_H

#include "../ForwardTypes.h"
#include "mpc/Dialect/Graph/Precision/OpPolicy.h"

namespace mpc::graph {

class TorchPrecision {
public:
  explicit TorchPrecision(PrecisionAnalysis &analysis) : analysis(analysis) {}

  LogicalResult run(Block &body);

private:
  LogicalResult decide(Operation *op);
  /// The type that the word of `op` gives to the operands `eligible`.
  FailureOr<FloatType> chooseType(Operation *op, const OpPolicy &words,
                                  ArrayRef<unsigned> eligible);
  FailureOr<FloatType> chooseWidest(Operation *op, const OpPolicy &words,
                                    ArrayRef<unsigned> voters);
  FailureOr<FloatType> chooseWidestInApex(Operation *op, const OpPolicy &words,
                                          ArrayRef<unsigned> voters);
  FloatType typeOfOperand(Operation *op, unsigned index, const OpPolicy &words,
                          FloatType type) const;
  InFlightDiagnostic refuse(Operation *op, const OpPolicy &words,
                            unsigned index, FloatType type);

  PrecisionAnalysis &analysis;
  ForwardTypes current;
};

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_PRECISION_MODES_TORCHPRECISION_H

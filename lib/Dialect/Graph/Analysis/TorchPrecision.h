// Mode torch: what PyTorch's autocast dispatcher does to each op, forward.
#ifndef MPC_LIB_DIALECT_GRAPH_ANALYSIS_TORCHPRECISION_H
#define MPC_LIB_DIALECT_GRAPH_ANALYSIS_TORCHPRECISION_H

#include "mpc/Dialect/Graph/Analysis/PrecisionAnalysis.h"

namespace mpc::graph {

class TorchPrecision {
public:
  explicit TorchPrecision(PrecisionAnalysis &analysis) : analysis(analysis) {}

  LogicalResult run(Block &body);

private:
  LogicalResult decide(Operation *op);
  /// The type that `policy` gives to the operands `eligible`; null: they stay.
  FailureOr<FloatType> chooseType(Operation *op, TorchPolicy policy,
                                  ArrayRef<unsigned> eligible);
  FloatType promote(Operation *op, ArrayRef<unsigned> eligible);
  FloatType currentType(Value value) const;
  void checkConstants(Operation *op, const OpDecision &decision);

  PrecisionAnalysis &analysis;
  DenseMap<Value, Type> current; ///< Types of values that changed.
};

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_ANALYSIS_TORCHPRECISION_H

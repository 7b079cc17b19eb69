// Mode whole: the model is cast, not its ops (model.half() of PyTorch, Apex O2
// and O3, jmp). Inputs, parameters and constants (PyTorch's buffers) count as
// the compute type; each op runs in the type of its operands, two types meet in
// f32 (native promotion); what leaves the model has the output type.
//
// Leaving the model means being returned, or being read by the loss: with Apex
// and jmp the loss is computed after the model, from its outputs. The loss
// itself, and the rank-0 arithmetic that leads to it, stay f32 whatever the
// output type: here losses are f32 or f64 by their records.
//
// Ops that are kept f32 (normalization, or Deny by a rule) are islands: what
// they give counts as the compute type again, as cuDNN's batch norm under Apex
// O2 takes and gives f16 with f32 parameters. A region with a type of its own
// is a part of the model that is cast to that type; in a region that is off ops
// run as written.
//
// A value is cast where an op reads it, once per type. So what only the loss
// reads (targets) is not rounded, and neither is what goes from an input or an
// op kept f32 to another such op.
#ifndef MPC_LIB_DIALECT_GRAPH_PRECISION_MODES_WHOLEPRECISION_H
#define MPC_LIB_DIALECT_GRAPH_PRECISION_MODES_WHOLEPRECISION_H

#include "../ForwardTypes.h"
#include "mpc/Dialect/Graph/Precision/OpPolicy.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::graph {

class WholePrecision {
public:
  WholePrecision(PrecisionAnalysis &analysis, MLIRContext *context);

  LogicalResult run(mlir::func::FuncOp func);

private:
  LogicalResult decide(Operation *op);
  /// The type of the operands `eligible` and the first words of the reason.
  std::pair<FloatType, std::string>
  chooseType(Operation *op, const OpPolicy &words,
             ArrayRef<unsigned> eligible) const;
  FloatType chooseLossType(Operation *op, ArrayRef<unsigned> eligible) const;
  void returnToModel(Operation *op, FloatType type);
  void roundOutputs(Operation *terminator, mlir::func::FuncOp func);

  PrecisionAnalysis &analysis;
  FloatType f32, compute, output;
  ForwardTypes current;
  llvm::SetVector<Operation *> lossOps;
};

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_PRECISION_MODES_WHOLEPRECISION_H

// Family Optimizer: verifiers, result names.
#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

static bool isFiniteNotNegative(const llvm::APFloat &value) {
  return value.isFinite() && !(value.isNegative() && value.isNonZero());
}

LogicalResult SgdOp::verify() {
  Value buffer = getMomentumBuffer(), next = getNextMomentumBuffer();
  if (static_cast<bool>(buffer) != static_cast<bool>(next)) // C2
    return emitOpError("expected a momentum buffer and its next value "
                       "together, but got only ")
           << (buffer ? "the buffer" : "the next value");
  Type type = getParameter().getType();
  for (Value value : {buffer, next})
    if (value && value.getType() != type)
      return emitOpError("expected a momentum buffer of the parameter's type ")
             << type << ", but got " << value.getType();
  if (!isFiniteNotNegative(getMomentum()) || // C3
      static_cast<bool>(buffer) != getMomentum().isNonZero())
    return emitOpError("expected a finite momentum, > 0 with a buffer and 0 "
                       "without, but got ")
           << getMomentumAttr() << (buffer ? " with" : " without")
           << " a buffer";
  if (getNesterov() && !buffer) // C4
    return emitOpError("expected a momentum buffer with nesterov");
  if (!isFiniteNotNegative(getWeightDecay())) // C5
    return emitOpError("expected a finite weight_decay >= 0, but got ")
           << getWeightDecayAttr();
  return success();
}

LogicalResult AdamWOp::verify() {
  for (auto [beta, name] : {std::pair(getBeta1Attr(), "beta1"), // C2
                            std::pair(getBeta2Attr(), "beta2")})
    if (double value = beta.getValueAsDouble(); !(value >= 0 && value < 1))
      return emitOpError("expected ") << name << " in [0, 1), but got " << beta;
  for (auto [attr, name] : {std::pair(getEpsilonAttr(), "epsilon"), // C3
                            std::pair(getWeightDecayAttr(), "weight_decay")})
    if (!isFiniteNotNegative(attr.getValue()))
      return emitOpError("expected a finite ")
             << name << " >= 0, but got " << attr;
  return success();
}

void SgdOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getNextParameter(), "next_parameter");
  if (getNextMomentumBuffer())
    setName(getNextMomentumBuffer(), "next_momentum_buffer");
}

void AdamWOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getNextParameter(), "next_parameter");
  setName(getNextExpAvg(), "next_exp_avg");
  setName(getNextExpAvgSq(), "next_exp_avg_sq");
}

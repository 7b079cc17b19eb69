// Family Optimizer: verifiers, result names, moments.
#include "mpc/Dialect/Graph/IR/Ops/Step/Optimizer.h"
#include "OptimizerChecks.h"

using namespace mpc;
using namespace mpc::graph;

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
  if (failed(verifySgd(*this, static_cast<bool>(buffer)))) // C3 - C5
    return failure();
  bool dampens = getDampening().isNonZero();
  if (failed(verifyNotNegative(*this, getDampeningAttr(), "dampening"))) // C6
    return failure();
  if (dampens != static_cast<bool>(getStep()))
    return emitOpError("expected a step with dampening and none without, but "
                       "got dampening ")
           << getDampeningAttr() << (dampens ? " without" : " with")
           << " a step";
  if (dampens && !buffer)
    return emitOpError("expected a momentum buffer with dampening");
  if (dampens && getNesterov()) // C4
    return emitOpError("expected no dampening with nesterov, but got ")
           << getDampeningAttr();
  return success();
}

LogicalResult AdamOp::verify() { return verifyAdam(*this); }  // C2, C3
LogicalResult AdamWOp::verify() { return verifyAdam(*this); } // C2, C3
LogicalResult LambOp::verify() { return verifyAdam(*this); }  // C2, C3

LogicalResult AdagradOp::verify() {
  for (auto [attr, name] : {std::pair(getEpsilonAttr(), "epsilon"),
                            std::pair(getWeightDecayAttr(), "weight_decay"),
                            std::pair(getLrDecayAttr(), "lr_decay")})
    if (failed(verifyNotNegative(*this, attr, name))) // C2
      return failure();
  return success();
}

LogicalResult RmspropOp::verify() {
  size_t count = 1 + (getMomentum().isNonZero() ? 1 : 0) + getCentered();
  if (getAverages().size() != count || getNextAverages().size() != count) // C2
    return emitOpError("expected ")
           << count << " averages and as many next ones, but got "
           << getAverages().size() << " and " << getNextAverages().size();
  Type type = getParameter().getType();
  for (ValueRange values :
       {ValueRange(getAverages()), ValueRange(getNextAverages())})
    for (Type other : values.getTypes())
      if (other != type)
        return emitOpError("expected averages of the parameter's type ")
               << type << ", but got " << other;
  for (auto [attr, name] : {std::pair(getEpsilonAttr(), "epsilon"),
                            std::pair(getWeightDecayAttr(), "weight_decay"),
                            std::pair(getMomentumAttr(), "momentum")})
    if (failed(verifyNotNegative(*this, attr, name))) // C3
      return failure();
  if (double alpha = getAlpha().convertToDouble(); !(alpha >= 0 && alpha <= 1))
    return emitOpError("expected alpha in [0, 1], but got ") // C4
           << getAlphaAttr();
  return success();
}

LogicalResult LomoOp::verify() { // C2
  return verifyNotNegative(*this, getWeightDecayAttr(), "weight_decay");
}

//===-- Names of results --------------------------------------------------===//

void SgdOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getNextParameter(), "next_parameter");
  if (getNextMomentumBuffer())
    setName(getNextMomentumBuffer(), "next_momentum_buffer");
}

template <typename Op>
static void nameAdamResults(Op op, mlir::OpAsmSetValueNameFn setName) {
  setName(op.getNextParameter(), "next_parameter");
  setName(op.getNextExpAvg(), "next_exp_avg");
  setName(op.getNextExpAvgSq(), "next_exp_avg_sq");
}

void AdamOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  nameAdamResults(*this, setName);
}
void AdamWOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  nameAdamResults(*this, setName);
}
void LambOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  nameAdamResults(*this, setName);
}

void AdagradOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getNextParameter(), "next_parameter");
  setName(getNextSum(), "next_sum");
}

void RmspropOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getNextParameter(), "next_parameter");
  for (Value average : getNextAverages())
    setName(average, "next_average");
}

void LomoOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getNextParameter(), "next_parameter");
}

//===-- Moments and what all updates share --------------------------------===//

SmallVector<Value> SgdOp::getMoments() {
  return getMomentumBuffer() ? SmallVector<Value>{getMomentumBuffer()}
                             : SmallVector<Value>{};
}
SmallVector<Value> SgdOp::getShared() {
  return getStep() ? SmallVector<Value>{getLr(), getStep()}
                   : SmallVector<Value>{getLr()};
}

SmallVector<Value> AdamOp::getMoments() { return {getExpAvg(), getExpAvgSq()}; }
SmallVector<Value> AdamOp::getShared() { return {getLr(), getStep()}; }

SmallVector<Value> AdamWOp::getMoments() {
  return {getExpAvg(), getExpAvgSq()};
}
SmallVector<Value> AdamWOp::getShared() { return {getLr(), getStep()}; }

SmallVector<Value> LambOp::getMoments() { return {getExpAvg(), getExpAvgSq()}; }
SmallVector<Value> LambOp::getShared() { return {getLr(), getStep()}; }

SmallVector<Value> AdagradOp::getMoments() { return {getSum()}; }
SmallVector<Value> AdagradOp::getShared() { return {getLr(), getStep()}; }

SmallVector<Value> RmspropOp::getMoments() {
  return SmallVector<Value>(getAverages());
}
SmallVector<Value> RmspropOp::getShared() { return {getLr()}; }

SmallVector<Value> LomoOp::getMoments() { return {}; }
SmallVector<Value> LomoOp::getShared() { return {getLr()}; }

void KahanRoundOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getNextParameter(), "next_parameter");
  setName(getNextCompensation(), "next_compensation");
}

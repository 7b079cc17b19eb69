#include "StepFlow.h"
#include "mlir/IR/Matchers.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Interfaces/OptimizerOpInterface.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

StepFlow::StepFlow(FuncOp func) {
  for (Operation &op : func.getBody().front())
    visit(op);
}

void StepFlow::Facts::join(const Facts &operand) {
  if (!scale) {
    scale = operand.scale;
    otherScale = operand.otherScale;
    scaledAt = operand.scaledAt;
  } else if (operand.scale && operand.scale != scale) {
    otherScale = operand.scale;
  } else if (!otherScale) {
    otherScale = operand.otherScale;
  }
  unscaledAt = unscaledAt ? unscaledAt : operand.unscaledAt;
  steppedAt = steppedAt ? steppedAt : operand.steppedAt;
  reducedAt = reducedAt ? reducedAt : operand.reducedAt;
  isChecked |= operand.isChecked;
  unscales |= operand.unscales;
}

void StepFlow::visit(AllReduceOp reduce) {
  reductions.push_back(reduce);
  for (auto [input, result] :
       llvm::zip_equal(reduce.getInputs(), reduce.getResults())) {
    Facts fact = facts.lookup(input);
    fact.reducedAt = reduce;
    facts[result] = fact;
  }
}

void StepFlow::visit(Operation &op) {
  if (auto reduce = dyn_cast<AllReduceOp>(op))
    return visit(reduce);
  Facts all;
  for (Value operand : op.getOperands())
    all.join(facts.lookup(operand));
  if (auto scale = dyn_cast<ScaleOp>(op)) {
    scales.push_back(scale);
    all.scale = scale.getScale();
    all.otherScale = nullptr;
    all.scaledAt = &op;
  } else if (auto unscale = dyn_cast<UnscaleOp>(op)) {
    all.unscales.resize(unscales.size() + 1);
    all.unscales.set(unscales.size());
    unscales.push_back(unscale);
    all.scale = all.otherScale = nullptr;
    all.scaledAt = nullptr;
    all.unscaledAt = &op;
  } else if (isa<OptimizerOpInterface>(op)) {
    all.steppedAt = &op;
  }
  for (Value result : op.getResults())
    facts[result] = all;
  if (auto unscale = dyn_cast<UnscaleOp>(op))
    facts[unscale.getFoundInf()].isChecked = true;
}

SmallVector<UnscaleOp> StepFlow::unscalesOf(Value value) const {
  SmallVector<UnscaleOp> found;
  llvm::SmallBitVector sources = facts.lookup(value).unscales;
  for (unsigned index : sources.set_bits())
    found.push_back(unscales[index]);
  return found;
}

bool graph::isScaleArgument(FuncOp func, Value value) {
  auto argument = dyn_cast<mlir::BlockArgument>(value);
  return argument && getRole(func, argument.getArgNumber()) == Role::LossScale;
}

bool graph::isZero(Value value) {
  return mlir::matchPattern(value, mlir::m_AnyZeroFloat());
}

Location graph::locationOf(Value value, FuncOp func) {
  return value.getDefiningOp() ? value.getDefiningOp()->getLoc()
                               : func.getLoc();
}

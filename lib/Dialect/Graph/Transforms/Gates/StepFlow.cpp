#include "StepFlow.h"

using namespace mpc;
using namespace mpc::graph;

StepFlow::StepFlow(mlir::func::FuncOp func) {
  for (Operation &op : func.getBody().front())
    visit(op);
}

void StepFlow::visit(Operation &op) {
  Operation *scale = nullptr, *unscale = nullptr, *step = nullptr,
            *reduce = nullptr;
  llvm::SmallBitVector sources;
  bool check = false;
  for (Value operand : op.getOperands()) {
    scale = scale ? scale : scaled.lookup(operand);
    unscale = unscale ? unscale : unscaled.lookup(operand);
    step = step ? step : stepped.lookup(operand);
    reduce = reduce ? reduce : reduced.lookup(operand);
    check |= checked.contains(operand);
    sources |= unscalesOfValue.lookup(operand);
  }
  if (auto scaleOp = dyn_cast<ScaleOp>(op)) {
    scales.push_back(scaleOp);
    scale = &op;
  } else if (auto unscaleOp = dyn_cast<UnscaleOp>(op)) {
    sources.resize(unscales.size() + 1);
    sources.set(unscales.size());
    unscales.push_back(unscaleOp);
    scale = nullptr;
    unscale = &op;
    checked.insert(unscaleOp.getFoundInf());
  } else if (auto reduceOp = dyn_cast<AllReduceOp>(op)) {
    reductions.push_back(reduceOp);
    reduce = &op;
  } else if (isa<OptimizerOpInterface>(op)) {
    step = &op;
  }
  for (Value result : op.getResults()) {
    if (scale)
      scaled[result] = scale;
    if (unscale)
      unscaled[result] = unscale;
    if (step)
      stepped[result] = step;
    if (reduce)
      reduced[result] = reduce;
    if (check)
      checked.insert(result);
    if (sources.any())
      unscalesOfValue[result] = sources;
  }
}

SmallVector<UnscaleOp> StepFlow::unscalesOf(Value value) const {
  SmallVector<UnscaleOp> found;
  llvm::SmallBitVector sources = unscalesOfValue.lookup(value);
  for (unsigned index : sources.set_bits())
    found.push_back(unscales[index]);
  return found;
}

Location graph::locationOf(Value value, mlir::func::FuncOp func) {
  return value.getDefiningOp() ? value.getDefiningOp()->getLoc()
                               : func.getLoc();
}

// Family Optimizer, on lists of tensors: verifiers, type inference, result
// names, and how an update of one tensor becomes one of a list.
#include "mpc/Dialect/Graph/IR/Ops/Step/OptimizerLists.h"
#include "OptimizerChecks.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Optimizer.h"

using namespace mpc;
using namespace mpc::graph;

static LogicalResult verifyOneType(Operation *op, ValueRange gradients) {
  for (Value gradient : gradients)
    if (mlir::getElementTypeOrSelf(gradient) !=
        mlir::getElementTypeOrSelf(gradients.front()))
      return op->emitOpError("expected gradients of one element type, but got ")
             << gradients.getTypes();
  return success();
}

LogicalResult UnscaleL2NormOp::verify() {
  if (getGradients().empty()) // C1
    return emitOpError("expected at least one gradient");
  return verifyOneType(*this, getGradients()); // C2
}

LogicalResult UnscaleL2NormOp::inferReturnTypes(MLIRContext *context,
                                                std::optional<Location>,
                                                Adaptor,
                                                SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 1)));
  types.push_back(RankedTensorType::get({}, mlir::Float32Type::get(context)));
  return success();
}

void UnscaleL2NormOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getFoundInf(), "found_inf");
  setName(getNorm(), "norm");
}

/// `lists` hold what belongs to each of `parameters`, gradients first.
static LogicalResult verifyLists(Operation *op, ValueRange parameters,
                                 ArrayRef<ValueRange> lists) {
  if (parameters.empty())
    return op->emitOpError("expected at least one parameter");
  for (ValueRange list : lists) {
    if (list.size() != parameters.size())
      return op->emitOpError("expected lists of ")
             << parameters.size() << " tensors, but got one of " << list.size();
    for (auto [parameter, value] : llvm::zip(parameters, list))
      if (cast<RankedTensorType>(parameter.getType()).getShape() !=
          cast<RankedTensorType>(value.getType()).getShape())
        return op->emitOpError("expected tensors of the shape of their "
                               "parameter ")
               << parameter.getType() << ", but got " << value.getType();
  }
  return verifyOneType(op, lists.front());
}

LogicalResult FusedAdamWOp::verify() {
  if (failed(verifyLists(*this, getParameters(), // C1 - C3
                         {getGradients(), getExpAvgs(), getExpAvgSqs()})))
    return failure();
  return verifyAdam(*this); // C4
}

LogicalResult FusedSgdOp::verify() {
  SmallVector<ValueRange> lists{getGradients()};
  bool hasBuffers = !getMomentumBuffers().empty();
  if (hasBuffers)
    lists.push_back(getMomentumBuffers());
  if (failed(verifyLists(*this, getParameters(), lists))) // C1 - C3
    return failure();
  return verifySgd(*this, hasBuffers); // C4
}

/// Next values in the order of `lists`, then copies of the first.
static void inferNext(ArrayRef<ValueRange> lists, std::optional<Type> copies,
                      SmallVectorImpl<Type> &types) {
  for (ValueRange list : lists)
    llvm::append_range(types, list.getTypes());
  if (copies)
    for (Type type : lists.front().getTypes())
      types.push_back(cast<RankedTensorType>(type).clone(*copies));
}

LogicalResult FusedAdamWOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location>,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  inferNext(
      {adaptor.getParameters(), adaptor.getExpAvgs(), adaptor.getExpAvgSqs()},
      adaptor.getCopies(), types);
  return success();
}

LogicalResult FusedSgdOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  inferNext({adaptor.getParameters(), adaptor.getMomentumBuffers()},
            adaptor.getCopies(), types);
  return success();
}

//===-- From one tensor to lists ------------------------------------------===//

static mlir::TypeAttr copyTypeOf(const UpdateLists &lists) {
  return lists.copyType ? mlir::TypeAttr::get(lists.copyType) : nullptr;
}

/// The kernel has no dampening.
bool SgdOp::hasListForm() { return !getDampening().isNonZero(); }

ValueRange SgdOp::buildFused(mlir::ImplicitLocOpBuilder &builder,
                             const UpdateLists &lists) {
  ValueRange buffers =
      lists.moments.empty() ? ValueRange() : ValueRange(lists.moments[0]);
  auto fused = FusedSgdOp::create(
      builder, lists.parameters, lists.gradients, buffers, getLr(),
      lists.foundInf, lists.scale, lists.coefficient, copyTypeOf(lists),
      getMomentumAttr(), getWeightDecayAttr(), getNesterovAttr());
  return fused.getResults();
}

bool AdamWOp::hasListForm() { return true; }

ValueRange AdamWOp::buildFused(mlir::ImplicitLocOpBuilder &builder,
                               const UpdateLists &lists) {
  auto fused = FusedAdamWOp::create(
      builder, lists.parameters, lists.gradients, lists.moments[0],
      lists.moments[1], getLr(), getStep(), lists.foundInf, lists.scale,
      lists.coefficient, copyTypeOf(lists), getBeta1Attr(), getBeta2Attr(),
      getEpsilonAttr(), getWeightDecayAttr());
  return fused.getResults();
}

// Family Optimizer: verifiers, type inference, result names.
#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

static bool isFiniteNotNegative(const llvm::APFloat &value) {
  return value.isFinite() && !(value.isNegative() && value.isNonZero());
}

/// The hyperparameters of SGD, for one tensor or a list.
template <typename Op> static LogicalResult verifySgd(Op op, bool hasBuffer) {
  if (!isFiniteNotNegative(op.getMomentum()) ||
      hasBuffer != op.getMomentum().isNonZero())
    return op.emitOpError("expected a finite momentum, > 0 with a buffer and 0 "
                          "without, but got ")
           << op.getMomentumAttr() << (hasBuffer ? " with" : " without")
           << " a buffer";
  if (op.getNesterov() && !hasBuffer)
    return op.emitOpError("expected a momentum buffer with nesterov");
  if (!isFiniteNotNegative(op.getWeightDecay()))
    return op.emitOpError("expected a finite weight_decay >= 0, but got ")
           << op.getWeightDecayAttr();
  return success();
}

/// The hyperparameters of AdamW, for one tensor or a list.
template <typename Op> static LogicalResult verifyAdamW(Op op) {
  for (auto [beta, name] : {std::pair(op.getBeta1Attr(), "beta1"),
                            std::pair(op.getBeta2Attr(), "beta2")})
    if (double value = beta.getValueAsDouble(); !(value >= 0 && value < 1))
      return op.emitOpError("expected ")
             << name << " in [0, 1), but got " << beta;
  for (auto [attr, name] : {std::pair(op.getEpsilonAttr(), "epsilon"),
                            std::pair(op.getWeightDecayAttr(), "weight_decay")})
    if (!isFiniteNotNegative(attr.getValue()))
      return op.emitOpError("expected a finite ")
             << name << " >= 0, but got " << attr;
  return success();
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
  return verifySgd(*this, static_cast<bool>(buffer)); // C3 - C5
}

LogicalResult AdamWOp::verify() { return verifyAdamW(*this); } // C2, C3

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

//===-- Lists of tensors --------------------------------------------------===//

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
  return verifyAdamW(*this); // C4
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

SmallVector<Value> SgdOp::getMoments() {
  return getMomentumBuffer() ? SmallVector<Value>{getMomentumBuffer()}
                             : SmallVector<Value>{};
}
SmallVector<Value> SgdOp::getShared() { return {getLr()}; }

SmallVector<Value> AdamWOp::getMoments() {
  return {getExpAvg(), getExpAvgSq()};
}
SmallVector<Value> AdamWOp::getShared() { return {getLr(), getStep()}; }

static mlir::TypeAttr copyTypeOf(const UpdateLists &lists) {
  return lists.copyType ? mlir::TypeAttr::get(lists.copyType) : nullptr;
}

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

ValueRange AdamWOp::buildFused(mlir::ImplicitLocOpBuilder &builder,
                               const UpdateLists &lists) {
  auto fused = FusedAdamWOp::create(
      builder, lists.parameters, lists.gradients, lists.moments[0],
      lists.moments[1], getLr(), getStep(), lists.foundInf, lists.scale,
      lists.coefficient, copyTypeOf(lists), getBeta1Attr(), getBeta2Attr(),
      getEpsilonAttr(), getWeightDecayAttr());
  return fused.getResults();
}

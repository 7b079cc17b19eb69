// The layout and the verifier of exec.multi_tensor.
#include "mpc/Dialect/Exec/IR/ExecOps.h"

using namespace mpc;
using namespace mpc::exec;
using mlir::MemRefType;

unsigned MultiTensorOp::getNumScalars() {
  unsigned optional = unsigned(getHasFoundInf()) + unsigned(getHasScale()) +
                      unsigned(getHasCoefficient());
  switch (getKind()) {
  case MultiTensorKind::UnscaleL2Norm:
    return optional;
  case MultiTensorKind::AdamW: // lr, step
    return optional + 2;
  case MultiTensorKind::Sgd: // lr
    return optional + 1;
  }
  llvm_unreachable("all kinds are listed");
}

unsigned MultiTensorOp::getNumInputLists() {
  switch (getKind()) {
  case MultiTensorKind::UnscaleL2Norm:
    return 1;
  case MultiTensorKind::AdamW:
    return 4;
  case MultiTensorKind::Sgd:
    return getMomentum().isZero() ? 2 : 3;
  }
  llvm_unreachable("all kinds are listed");
}

unsigned MultiTensorOp::getNumOutputLists() {
  if (getKind() == MultiTensorKind::UnscaleL2Norm)
    return 0;
  // Next values of all but the gradients.
  return getNumInputLists() - 1 + unsigned(getHasCopies());
}

ValueRange MultiTensorOp::getReads() { return getInputs(); }
ValueRange MultiTensorOp::getWrites() { return getOutputs(); }

/// Input list 0, 2, 3 become output list 0, 1, 2.
bool MultiTensorOp::canShare(mlir::SymbolTableCollection &, unsigned read,
                             unsigned write) {
  unsigned scalars = getNumScalars(), count = getCount();
  if (getKind() == MultiTensorKind::UnscaleL2Norm || read < scalars)
    return false;
  unsigned list = (read - scalars) / count, at = (read - scalars) % count;
  if (list == 1)
    return false;
  return write == (list == 0 ? 0 : list - 1) * count + at;
}

namespace {

LogicalResult verifyCounts(MultiTensorOp op) {
  bool isNorm = op.getKind() == MultiTensorKind::UnscaleL2Norm;
  if (isNorm && (op.getHasFoundInf() || op.getHasCoefficient() ||
                 op.getHasCopies())) // [multi_tensor-c1]
    return op.emitOpError("expected no found_inf, coefficient and copies with "
                          "a norm");
  size_t scalars = op.getNumScalars(), lists = op.getNumInputLists();
  size_t inputs = op.getInputs().size();
  if (inputs <= scalars || (inputs - scalars) % lists != 0) // [multi_tensor-c1]
    return op.emitOpError("expected ")
           << scalars << " scalars and " << lists
           << " lists of equal length as inputs, but got " << inputs
           << " buffers";
  size_t outputs = isNorm ? 2 : op.getNumOutputLists() * op.getCount();
  if (op.getOutputs().size() != outputs) // [multi_tensor-c1]
    return op.emitOpError("expected ")
           << outputs << " outputs, but got " << op.getOutputs().size();
  return success();
}

/// The element types of the scalars in front of the lists.
SmallVector<Type> scalarTypes(MultiTensorOp op) {
  Type f32 = mlir::Float32Type::get(op.getContext());
  SmallVector<Type> types(op.getNumScalars(), f32);
  if (op.getHasFoundInf())
    types.front() = IntegerType::get(op.getContext(), 1);
  if (op.getKind() == MultiTensorKind::AdamW)
    types.back() = IntegerType::get(op.getContext(), 32);
  return types;
}

LogicalResult verifyScalars(MultiTensorOp op, ValueRange scalars,
                            TypeRange types) {
  for (auto [scalar, type] : llvm::zip(scalars, types))
    if (scalar.getType() != MemRefType::get({}, type)) // [multi_tensor-c2]
      return op.emitOpError("expected a scalar of type ")
             << MemRefType::get({}, type) << ", but got " << scalar.getType();
  return success();
}

/// All of `element`, and the shapes of `like`.
LogicalResult verifyList(MultiTensorOp op, ValueRange list, ValueRange like,
                         Type element) {
  for (auto [value, model] : llvm::zip(list, like)) {
    auto type = cast<MemRefType>(model.getType());
    auto expected = MemRefType::get(type.getShape(), element);
    if (value.getType() != expected) // [multi_tensor-c3]
      return op.emitOpError("expected a tensor of type ")
             << expected << ", but got " << value.getType();
  }
  return success();
}

Type elementOf(ValueRange list) {
  return cast<MemRefType>(list.front().getType()).getElementType();
}

LogicalResult verifyTensors(MultiTensorOp op) {
  bool isNorm = op.getKind() == MultiTensorKind::UnscaleL2Norm;
  Type f32 = mlir::Float32Type::get(op.getContext());
  ValueRange gradients = op.getInputList(isNorm ? 0 : 1);
  Type gradient = elementOf(gradients);
  if (!gradient.isF32() && !gradient.isF16() &&
      !gradient.isBF16()) // [multi_tensor-c3]
    return op.emitOpError("expected gradients of f32, f16 or bf16, but got ")
           << gradient;
  for (unsigned list = 0; list < op.getNumInputLists(); ++list) {
    bool isGradient = list == (isNorm ? 0 : 1);
    if (failed(verifyList(op, op.getInputList(list), op.getInputList(0),
                          isGradient ? gradient : f32)))
      return failure();
  }
  for (unsigned list = 0; list < op.getNumOutputLists(); ++list) {
    ValueRange outputs = op.getOutputList(list);
    bool isCopy = op.getHasCopies() && list + 1 == op.getNumOutputLists();
    Type copy = elementOf(outputs);
    if (isCopy && !copy.isF16() && !copy.isBF16()) // [multi_tensor-c3]
      return op.emitOpError("expected copies of f16 or bf16, but got ") << copy;
    if (failed(
            verifyList(op, outputs, op.getInputList(0), isCopy ? copy : f32)))
      return failure();
  }
  return success();
}

} // namespace

LogicalResult MultiTensorOp::verify() {
  if (failed(verifyCounts(*this)) ||
      failed(verifyScalars(*this, getInputs().take_front(getNumScalars()),
                           scalarTypes(*this))))
    return failure();
  if (getKind() == MultiTensorKind::UnscaleL2Norm) {
    Type i1 = IntegerType::get(getContext(), 1);
    Type f32 = mlir::Float32Type::get(getContext());
    if (failed(verifyScalars(*this, getOutputs(), {i1, f32})))
      return failure();
  }
  return verifyTensors(*this);
}

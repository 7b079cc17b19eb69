#include "CallBuilder.h"
#include "mpc/Interfaces/Target.h"

using namespace mpc;

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

StridedShape mpc::permute(const StridedShape &lies, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return lies;
  StridedShape permuted{{}, {}, lies.offset};
  for (int64_t dim : dims) {
    permuted.shape.push_back(lies.shape[dim]);
    permuted.strides.push_back(lies.strides[dim]);
  }
  return permuted;
}

FailureOr<CallBuilder::Operand> CallBuilder::find(Value inside) {
  if (isa<mlir::BlockArgument>(inside))
    return Operand{inside, getDenseShape(shapeOf(inside))};
  auto movement = inside.getDefiningOp<MovementOpInterface>();
  if (movement && movement->getNumOperands() == 1) {
    FailureOr<Operand> source = find(movement->getOperand(0));
    if (failed(source))
      return failure();
    std::optional<StridedShape> lies =
        moveInPlace(source->lies, movement.getMovement(), shapeOf(inside));
    if (lies)
      return Operand{source->inside, *lies};
  }
  return inside.getDefiningOp()->emitError(
      "expected an operand of a library call to lie in a value from outside "
      "of its group");
}

mlir::OperandRange CallBuilder::getYielded() {
  return group.getBody().front().getTerminator()->getOperands();
}

/// Where the call writes `inside`: in a value that the group yields. Nothing if
/// that is nowhere.
std::optional<CallBuilder::Operand> CallBuilder::findWritten(Value inside) {
  if (llvm::is_contained(getYielded(), inside))
    return Operand{inside, getDenseShape(shapeOf(inside))};
  if (!inside.hasOneUse())
    return std::nullopt;
  mlir::OpOperand &use = *inside.getUses().begin();
  auto movement = dyn_cast<MovementOpInterface>(use.getOwner());
  std::optional<Operand> moved =
      movement ? findWritten(movement->getResult(0)) : std::nullopt;
  std::optional<StridedShape> lies =
      moved ? moveBack(moved->lies, movement.getMovement(),
                       use.getOperandNumber(), shapeOf(inside))
            : std::nullopt;
  return lies ? std::optional(Operand{moved->inside, *lies}) : std::nullopt;
}

/// `buffer`, or how a call sees a part of it.
Value CallBuilder::view(Value buffer, const StridedShape &lies) {
  auto type = cast<mlir::MemRefType>(buffer.getType());
  StridedShape dense = getDenseShape(type.getShape());
  if (lies.shape == dense.shape && lies.strides == dense.strides &&
      lies.offset == 0)
    return buffer;
  auto layout = mlir::StridedLayoutAttr::get(type.getContext(), lies.offset,
                                             lies.strides);
  auto part = mlir::MemRefType::get(lies.shape, type.getElementType(), layout);
  return exec::ViewOp::create(entry.builder, part, buffer);
}

void CallBuilder::read(program::OperandRole role, const Operand &operand) {
  auto argument = cast<mlir::BlockArgument>(operand.inside);
  Value buffer = view(entry.buffer(group.getInputs()[argument.getArgNumber()]),
                      operand.lies);
  // What the call reads a part of, a tail cannot read by the same argument.
  readInside.push_back(exec::getWholeBuffer(buffer) ? operand.inside : Value());
  inputs.push_back(buffer);
  inputRoles.push_back(static_cast<int32_t>(role));
}

void CallBuilder::read(program::OperandRole role, Value inside) {
  read(role, Operand{inside, getDenseShape(shapeOf(inside))});
}

void CallBuilder::write(program::OperandRole role, Value inside,
                        ArrayRef<int64_t> dims) {
  writtenInside.push_back(inside);
  writtenDims.emplace_back(dims);
  outputRoles.push_back(static_cast<int32_t>(role));
}

/// Buffers for what the group yields, each written as a whole or in parts.
LogicalResult CallBuilder::allocateOutputs() {
  mlir::OperandRange yielded = getYielded();
  DenseMap<Value, Value> buffers;
  for (auto [inside, dims] : llvm::zip_equal(writtenInside, writtenDims)) {
    std::optional<Operand> written = findWritten(inside);
    if (!written)
      break;
    Value &buffer = buffers[written->inside];
    if (!buffer)
      buffer = entry.allocate(group.getResult(
          llvm::find(yielded, written->inside) - yielded.begin()));
    outputs.push_back(view(buffer, permute(written->lies, dims)));
  }
  if (outputs.size() != writtenInside.size() ||
      buffers.size() != yielded.size())
    return group.getBody().front().getTerminator()->emitError(
        "expected a library group to yield its last value, what the library "
        "can store and nothing else");
  return success();
}

LogicalResult CallBuilder::create(Attribute kind, const PlainCall &plain) {
  if (failed(allocateOutputs()))
    return failure();
  FailureOr<TailKernel> tail = TailKernel();
  if (graph::getTarget(group).mayLackEpilogues)
    tail =
        makeTailKernel(group, plain, readInside, writtenInside, entry.kernels);
  if (failed(tail))
    return failure();
  SmallVector<int32_t> roles(inputRoles);
  llvm::append_range(roles, outputRoles);
  auto symbol = tail->kernel ? mlir::FlatSymbolRefAttr::get(tail->kernel)
                             : mlir::FlatSymbolRefAttr();
  exec::CallOp::create(entry.builder, cast<exec::CallKindAttrInterface>(kind),
                       inputs, outputs, roles, symbol, tail->buffers);
  return success();
}

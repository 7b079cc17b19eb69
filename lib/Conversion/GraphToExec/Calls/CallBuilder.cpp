#include "CallBuilder.h"
#include "mpc/Interfaces/Target.h"

using namespace mpc;

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
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

void CallBuilder::read(program::OperandRole role, const Operand &operand) {
  const StridedShape &shape = operand.lies;
  auto argument = cast<mlir::BlockArgument>(operand.inside);
  Value buffer = entry.buffer(group.getInputs()[argument.getArgNumber()]);
  auto type = cast<mlir::MemRefType>(buffer.getType());
  StridedShape dense = getDenseShape(type.getShape());
  if (shape.shape != dense.shape || shape.strides != dense.strides ||
      shape.offset != 0) {
    auto layout = mlir::StridedLayoutAttr::get(type.getContext(), shape.offset,
                                               shape.strides);
    auto view =
        mlir::MemRefType::get(shape.shape, type.getElementType(), layout);
    buffer = exec::ViewOp::create(entry.builder, view, buffer);
  }
  // What the call reads a part of, a tail cannot read by the same argument.
  readInside.push_back(exec::getWholeBuffer(buffer) ? operand.inside : Value());
  inputs.push_back(buffer);
  inputRoles.push_back(static_cast<int32_t>(role));
}

void CallBuilder::read(program::OperandRole role, Value inside) {
  read(role, Operand{inside, getDenseShape(shapeOf(inside))});
}

void CallBuilder::write(program::OperandRole role, Value inside) {
  writtenInside.push_back(inside);
  outputRoles.push_back(static_cast<int32_t>(role));
}

LogicalResult CallBuilder::create(Attribute kind, Value plain) {
  Operation *yield = group.getBody().front().getTerminator();
  for (Value inside : writtenInside) {
    auto found = llvm::find(yield->getOperands(), inside);
    if (found != yield->getOperands().end())
      outputs.push_back(
          entry.allocate(group.getResult(found - yield->operand_begin())));
  }
  if (outputs.size() != writtenInside.size() ||
      outputs.size() != yield->getNumOperands())
    return yield->emitError("expected a library group to yield its last value, "
                            "what the library can store and nothing else");
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

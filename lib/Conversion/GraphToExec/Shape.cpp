// Family Shape: constants, and movements that move nothing.
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "EntryBuilder.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Interfaces/StridedShape.h"
#include "mpc/Support/Assert.h"

using namespace mpc;

void mpc::convertConstant(graph::ConstantOp op, EntryBuilder &entry) {
  if (entry.loop)
    return entry.bind(op, entry.loop->takeConstant(bufferType(op.getType()),
                                                   op.getValueAttr()));
  Value buffer =
      exec::ConstantOp::create(entry.builder, bufferType(op.getType()),
                               op.getValueAttr(), mlir::IntegerAttr());
  entry.bind(op, buffer);
}

void mpc::convertReshape(graph::ReshapeOp op, EntryBuilder &entry) {
  Value view = exec::ViewOp::create(entry.builder, bufferType(op.getType()),
                                    entry.buffer(op.getInput()));
  entry.bind(op, view);
}

/// The first of its parts to be asked for makes the buffer.
Value mpc::getPart(graph::ConcatOp op, unsigned number, EntryBuilder &entry) {
  Value whole = entry.isBound(op.getResult()) ? entry.buffer(op.getResult())
                                              : entry.allocate(op.getResult());
  Movement movement = op.getMovement();
  Value part = op.getInputs()[number];
  StridedShape dense = getDenseShape(op.getType().getShape());
  int64_t offset = 0;
  for (auto [first, stride] :
       llvm::zip_equal(movement.insertions[number], dense.strides))
    offset += first * stride;
  auto type = cast<RankedTensorType>(part.getType());
  auto layout =
      mlir::StridedLayoutAttr::get(op.getContext(), offset, dense.strides);
  auto place =
      mlir::MemRefType::get(type.getShape(), type.getElementType(), layout);
  return exec::ViewOp::create(entry.builder, place, whole);
}

void mpc::convertConcat(graph::ConcatOp op, EntryBuilder &entry) {
  MPC_ASSERT(entry.isBound(op.getResult()), "its parts are written before");
}

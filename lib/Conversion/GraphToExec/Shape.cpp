// Family Shape: constants, and movements that move nothing.
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "EntryBuilder.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"

using namespace mpc;

void mpc::convertConstant(graph::ConstantOp op, EntryBuilder &entry) {
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

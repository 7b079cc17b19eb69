#include "StepBuilder.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"

using namespace mpc;
using namespace mpc::graph;

StepBuilder::StepBuilder(mlir::func::FuncOp func)
    : func(func), signature(func),
      builder(func.getLoc(), func.getBody().front().getTerminator()) {}

Value StepBuilder::constant(Type element, double value) {
  auto type = RankedTensorType::get({}, element);
  Attribute attribute =
      isa<FloatType>(element)
          ? Attribute(builder.getFloatAttr(element, value))
          : Attribute(builder.getIntegerAttr(element, int64_t(value)));
  return ConstantOp::create(builder,
                            mlir::DenseElementsAttr::get(type, attribute));
}

Value StepBuilder::castTo(Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return CastOp::create(builder, type.clone(element), value,
                        builder.getStringAttr("type of the master weights"));
}

Value StepBuilder::select(Value condition, Value onTrue, Value onFalse) {
  return SelectOp::create(builder, condition, onTrue, onFalse);
}

Value StepBuilder::either(Value a, Value b) {
  if (!a || !b || a == b)
    return a ? a : b;
  return select(a, a, b);
}

Value StepBuilder::keep(Value skip, Value old, Value next) {
  return skip ? select(skip, old, next) : next;
}

Value StepBuilder::plusOne(Value counter) {
  return AddOp::create(builder, counter, constant(builder.getI32Type(), 1));
}

FailureOr<Value> StepBuilder::addCounter(StringRef name, Role role,
                                         StringRef group) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  return signature.addState(
      {name, type, role, ZerosAttr::get(func.getContext()), group});
}

// The arithmetic of bodies.
#include "Body.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mpc;
using namespace mpc::graph;
namespace arith = mlir::arith;
namespace math = mlir::math;

bool graph::isFloat(Value value) {
  return isa<FloatType>(mlir::getElementTypeOrSelf(value));
}

Value graph::constant(Body &b, Value like, double number) {
  Type type = like.getType(), element = mlir::getElementTypeOrSelf(type);
  mlir::TypedAttr attr =
      isa<FloatType>(element)
          ? mlir::TypedAttr(b.getFloatAttr(element, number))
          : mlir::TypedAttr(b.getIntegerAttr(element, int64_t(number)));
  if (auto vector = dyn_cast<mlir::VectorType>(type))
    attr = mlir::DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

Value graph::add(Body &b, Value x, Value y) {
  return arith::AddFOp::create(b, x, y);
}
Value graph::mul(Body &b, Value x, Value y) {
  return arith::MulFOp::create(b, x, y);
}
Value graph::div(Body &b, Value x, Value y) {
  return arith::DivFOp::create(b, x, y);
}
Value graph::maximum(Body &b, Value x, double bound) {
  return arith::MaximumFOp::create(b, x, constant(b, x, bound));
}
Value graph::minimum(Body &b, Value x, double bound) {
  return arith::MinimumFOp::create(b, x, constant(b, x, bound));
}
Value graph::isPositive(Body &b, Value x) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x,
                               constant(b, x, 0.0));
}
Value graph::select(Body &b, Value condition, Value onTrue, Value onFalse) {
  return arith::SelectOp::create(b, condition, onTrue, onFalse);
}
Value graph::expOfNegatedMagnitude(Body &b, Value x) {
  return math::ExpOp::create(
      b, arith::NegFOp::create(b, math::AbsFOp::create(b, x)));
}

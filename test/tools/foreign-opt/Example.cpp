#include "Example.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mpc/Dialect/Graph/IR/Ops/Activation.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"

using namespace mpc;
namespace arith = mlir::arith;

#include "ExampleDialect.cpp.inc"
#define GET_OP_CLASSES
#include "ExampleOps.cpp.inc"

void example::ExampleDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ExampleOps.cpp.inc"
      >();
}

/// A number of the type of `like`, a scalar or a vector.
static Value number(mlir::ImplicitLocOpBuilder &b, Value like, double value) {
  Type type = like.getType();
  Type element = mlir::getElementTypeOrSelf(type);
  mlir::TypedAttr attr = b.getFloatAttr(element, value);
  if (auto vector = dyn_cast<mlir::ShapedType>(type))
    attr = mlir::DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

Value example::SoftsignOp::buildBody(mlir::ImplicitLocOpBuilder &b,
                                     ValueRange args) {
  Value magnitude = mlir::math::AbsFOp::create(b, args[0]);
  Value under = arith::AddFOp::create(b, number(b, magnitude, 1.0), magnitude);
  return arith::DivFOp::create(b, args[0], under);
}

/// A rank-0 constant of the element type of `like`.
static Value scalar(mlir::ImplicitLocOpBuilder &b, Value like, double value) {
  Type element = mlir::getElementTypeOrSelf(like);
  return graph::ConstantOp::create(
      b,
      mlir::DenseElementsAttr::get(RankedTensorType::get({}, element),
                                   Attribute(b.getFloatAttr(element, value))));
}

// dx = dy / (1 + |x|)^2
LogicalResult example::SoftsignOp::buildVjp(GradientBuilder &g) {
  auto &b = g.builder();
  Value x = g.operand(0);
  Value magnitude = graph::AbsOp::create(b, x.getType(), x);
  Value under = graph::AddOp::create(b, magnitude, scalar(b, x, 1.0));
  Value square = graph::MulOp::create(b, under, under);
  g.set(0, graph::DivOp::create(b, g.cotangent(0), square));
  return success();
}

SmallVector<Value>
example::SumDifferenceOp::buildBodies(mlir::ImplicitLocOpBuilder &b,
                                      ValueRange args) {
  return {arith::AddFOp::create(b, args[0], args[1]),
          arith::SubFOp::create(b, args[0], args[1])};
}

// da = ds + dd; db = ds - dd
LogicalResult example::SumDifferenceOp::buildVjp(GradientBuilder &g) {
  auto &b = g.builder();
  Value sum = g.cotangent(0), difference = g.cotangent(1);
  g.set(0, graph::AddOp::create(b, sum, difference));
  if (g.needs(1))
    g.set(1, graph::SubOp::create(b, sum, difference));
  return success();
}

SmallVector<Value> example::SwishOp::decompose(mlir::ImplicitLocOpBuilder &b) {
  auto type = llvm::cast<RankedTensorType>(getType());
  auto wideType = type.clone(b.getF32Type());
  auto reason = b.getStringAttr("swish computes in f32");
  bool narrow = type.getElementTypeBitWidth() == 16;
  Value x = getInput();
  if (narrow)
    x = graph::CastOp::create(b, wideType, x, reason);
  Value gate = graph::SigmoidOp::create(b, x.getType(), x);
  Value result = graph::MulOp::create(b, x, gate);
  if (narrow)
    result = graph::CastOp::create(b, type, result, reason);
  return {result};
}

// dx = dy * s * (1 + x * (1 - s)), s = sigmoid(x); in f32, as it is DenyIO
LogicalResult example::SwishOp::buildVjp(GradientBuilder &g) {
  auto &b = g.builder();
  Value x = g.operand(0), one = scalar(b, x, 1.0);
  Value s = graph::SigmoidOp::create(b, x.getType(), x);
  Value rest = graph::SubOp::create(b, one, s);
  Value slope = graph::AddOp::create(b, graph::MulOp::create(b, x, rest), one);
  Value scaled = graph::MulOp::create(b, g.cotangent(0), s);
  g.set(0, graph::MulOp::create(b, scaled, slope));
  return success();
}

LogicalResult example::HollowOp::buildVjp(GradientBuilder &g) {
  g.set(0, g.cotangent(0));
  return success();
}
LogicalResult example::LoudOp::buildVjp(GradientBuilder &g) {
  g.set(0, g.cotangent(0));
  return success();
}
Value example::LoudOp::buildBody(mlir::ImplicitLocOpBuilder &,
                                 ValueRange args) {
  return args[0];
}

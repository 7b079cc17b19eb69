// Family Cast: the computation of one element.
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mpc/Dialect/Graph/IR/ElementCast.h"

using namespace mpc;
using namespace mpc::graph;
namespace arith = mlir::arith;
using Body = mlir::ImplicitLocOpBuilder;

namespace {
Type withElement(Type type, Type element) {
  auto vector = dyn_cast<mlir::VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}
unsigned bits(Type type) { return type.getIntOrFloatBitWidth(); }

/// f64 to f32, an inexact result moved to the odd neighbour. Rounding that to
/// 16 bits gives what rounding the f64 once would: the odd bit remembers that
/// the value was not exactly half way (Boldo and Melquiond, 2008).
Value roundToOdd(Body &b, Value value) {
  Type f32 = withElement(value.getType(), b.getF32Type());
  Type i32 = withElement(value.getType(), b.getI32Type());
  auto cmp = [&](arith::CmpFPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpFOp::create(b, predicate, x, y);
  };
  auto abs = [&](Value x) -> Value { return mlir::math::AbsFOp::create(b, x); };
  Value nearest = arith::TruncFOp::create(b, f32, value);
  Value back = arith::ExtFOp::create(b, value.getType(), nearest);
  Value bits = arith::BitcastOp::create(b, i32, nearest);
  Value one = mlir::createScalarOrSplatConstant(b, b.getLoc(), i32, 1),
        zero = mlir::createScalarOrSplatConstant(b, b.getLoc(), i32, 0);
  Value even = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                     arith::AndIOp::create(b, bits, one), zero);
  Value inexact = cmp(arith::CmpFPredicate::ONE, back, value);
  Value above = cmp(arith::CmpFPredicate::OGT, abs(back), abs(value));
  Value step = arith::SelectOp::create(
      b, above, mlir::createScalarOrSplatConstant(b, b.getLoc(), i32, -1), one);
  Value moves = arith::AndIOp::create(b, even, inexact);
  Value moved = arith::AddIOp::create(
      b, bits, arith::SelectOp::create(b, moves, step, zero));
  return arith::BitcastOp::create(b, f32, moved);
}

Value fromFloat(Body &b, Value value, Type element) {
  Type from = mlir::getElementTypeOrSelf(value);
  Type to = withElement(value.getType(), element);
  if (element.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, value, zero);
  }
  if (isa<IntegerType>(element))
    return arith::FPToSIOp::create(b, to, value);
  if (bits(element) > bits(from))
    return arith::ExtFOp::create(b, to, value);
  if (bits(element) == bits(from))
    return value;
  bool twoSteps = bits(from) == 64 && bits(element) == 16;
  return arith::TruncFOp::create(b, to,
                                 twoSteps ? roundToOdd(b, value) : value);
}

/// i64 to f64, of more than 53 bits with the last one set that f64 holds where
/// one is that follows it: what rounds that to 16 bits rounds the integer.
Value toDoubleOdd(Body &b, Value value) {
  Type from = value.getType();
  auto constant = [&](int64_t bits) {
    return mlir::createScalarOrSplatConstant(b, b.getLoc(), from, bits);
  };
  Value f64 =
      arith::SIToFPOp::create(b, withElement(from, b.getF64Type()), value);
  if (!mlir::getElementTypeOrSelf(from).isInteger(64))
    return f64;
  Value upper = arith::AndIOp::create(b, value, constant(~int64_t(0x7ff)));
  Value rest = arith::AndIOp::create(b, value, constant(0x7ff));
  Value isExact =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, constant(0));
  Value last =
      arith::SelectOp::create(b, isExact, constant(0), constant(0x800));
  Value odd = arith::SIToFPOp::create(b, f64.getType(),
                                      arith::OrIOp::create(b, upper, last));
  Value moved = arith::AddIOp::create(b, value, constant(int64_t(1) << 53));
  Value isLong = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, moved,
                                       constant(int64_t(1) << 54));
  return arith::SelectOp::create(b, isLong, odd, f64);
}

Value fromInt(Body &b, Value value, Type element) {
  Type from = mlir::getElementTypeOrSelf(value);
  Type to = withElement(value.getType(), element);
  if (isa<FloatType>(element)) {
    if (from.isInteger(1)) // 0 and 1 are exact in every format.
      return fromFloat(
          b,
          arith::UIToFPOp::create(
              b, withElement(value.getType(), getComputeType(element)), value),
          element);
    if (bits(element) > 16)
      return arith::SIToFPOp::create(b, to, value);
    return fromFloat(b, toDoubleOdd(b, value), element);
  }
  if (element.isInteger(1)) {
    if (from == element)
      return value;
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
  }
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, to, value);
  if (bits(element) > bits(from))
    return arith::ExtSIOp::create(b, to, value);
  return bits(element) < bits(from) ? arith::TruncIOp::create(b, to, value)
                                    : value;
}
} // namespace

Value graph::buildElementCast(Body &b, Value value, Type storage) {
  Type compute = getComputeType(storage);
  // Straight to 16 bits: rounding f64 or i64 twice would be another number.
  Value result = isa<FloatType>(mlir::getElementTypeOrSelf(value))
                     ? fromFloat(b, value, storage)
                     : fromInt(b, value, storage);
  if (storage == compute)
    return result;
  return arith::ExtFOp::create(b, withElement(value.getType(), compute),
                               result);
}

Value CastOp::buildBody(Body &b, ValueRange args) {
  return buildElementCast(b, args[0],
                          mlir::getElementTypeOrSelf(getResult().getType()));
}

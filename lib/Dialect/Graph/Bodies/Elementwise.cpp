// Family Elementwise: the computation of one element, and which ops a library
// call can absorb.
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "Body.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mpc;
using namespace mpc::graph;
namespace arith = mlir::arith;
namespace math = mlir::math;

namespace {
template <typename FloatOp, typename IntOp>
Value floatOrInt(Body &b, ValueRange args) {
  Type type = args[0].getType();
  return isFloat(args[0]) ? FloatOp::create(b, type, args).getResult()
                          : IntOp::create(b, type, args).getResult();
}

/// `number` as the nearest element of a tensor of `element`.
double roundTo(Type element, llvm::APFloat number) {
  bool inexact;
  number.convert(cast<FloatType>(element).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &inexact);
  return number.convertToDouble();
}

arith::CmpFPredicate floatPredicate(ComparePredicate predicate) {
  switch (predicate) {
  case ComparePredicate::Eq:
    return arith::CmpFPredicate::OEQ;
  case ComparePredicate::Ne:
    return arith::CmpFPredicate::UNE;
  case ComparePredicate::Lt:
    return arith::CmpFPredicate::OLT;
  case ComparePredicate::Le:
    return arith::CmpFPredicate::OLE;
  case ComparePredicate::Gt:
    return arith::CmpFPredicate::OGT;
  case ComparePredicate::Ge:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("all predicates are listed");
}

arith::CmpIPredicate intPredicate(ComparePredicate predicate) {
  switch (predicate) {
  case ComparePredicate::Eq:
    return arith::CmpIPredicate::eq;
  case ComparePredicate::Ne:
    return arith::CmpIPredicate::ne;
  case ComparePredicate::Lt:
    return arith::CmpIPredicate::slt;
  case ComparePredicate::Le:
    return arith::CmpIPredicate::sle;
  case ComparePredicate::Gt:
    return arith::CmpIPredicate::sgt;
  case ComparePredicate::Ge:
    return arith::CmpIPredicate::sge;
  }
  llvm_unreachable("all predicates are listed");
}
} // namespace

Value AddOp::buildBody(Body &b, ValueRange args) {
  return floatOrInt<arith::AddFOp, arith::AddIOp>(b, args);
}
Value SubOp::buildBody(Body &b, ValueRange args) {
  return floatOrInt<arith::SubFOp, arith::SubIOp>(b, args);
}
Value MulOp::buildBody(Body &b, ValueRange args) {
  return floatOrInt<arith::MulFOp, arith::MulIOp>(b, args);
}
Value DivOp::buildBody(Body &b, ValueRange args) {
  return arith::DivFOp::create(b, args[0], args[1]);
}
Value PowOp::buildBody(Body &b, ValueRange args) {
  return math::PowFOp::create(b, args[0], args[1]);
}
// arith.maximumf and minimumf propagate NaN, as PyTorch does.
Value MaximumOp::buildBody(Body &b, ValueRange args) {
  return floatOrInt<arith::MaximumFOp, arith::MaxSIOp>(b, args);
}
Value MinimumOp::buildBody(Body &b, ValueRange args) {
  return floatOrInt<arith::MinimumFOp, arith::MinSIOp>(b, args);
}
Value NegOp::buildBody(Body &b, ValueRange args) {
  if (isFloat(args[0]))
    return arith::NegFOp::create(b, args[0]);
  return arith::SubIOp::create(b, constant(b, args[0], 0), args[0]);
}
Value AbsOp::buildBody(Body &b, ValueRange args) {
  Value x = args[0];
  if (isFloat(x))
    return math::AbsFOp::create(b, x);
  Value negated = arith::SubIOp::create(b, constant(b, x, 0), x);
  return arith::MaxSIOp::create(b, x, negated);
}
Value ExpOp::buildBody(Body &b, ValueRange args) {
  return math::ExpOp::create(b, args[0]);
}
Value LogOp::buildBody(Body &b, ValueRange args) {
  return math::LogOp::create(b, args[0]);
}
Value SqrtOp::buildBody(Body &b, ValueRange args) {
  return math::SqrtOp::create(b, args[0]);
}
// Two exactly rounded steps; math.rsqrt would be an approximation.
Value RsqrtOp::buildBody(Body &b, ValueRange args) {
  Value root = math::SqrtOp::create(b, args[0]);
  return arith::DivFOp::create(b, constant(b, root, 1.0), root);
}
Value Expm1Op::buildBody(Body &b, ValueRange args) {
  return math::ExpM1Op::create(b, args[0]);
}
Value Log1pOp::buildBody(Body &b, ValueRange args) {
  return math::Log1pOp::create(b, args[0]);
}
Value SinOp::buildBody(Body &b, ValueRange args) {
  return math::SinOp::create(b, args[0]);
}
Value CosOp::buildBody(Body &b, ValueRange args) {
  return math::CosOp::create(b, args[0]);
}
Value ReciprocalOp::buildBody(Body &b, ValueRange args) {
  return div(b, constant(b, args[0], 1.0), args[0]);
}
Value FloorOp::buildBody(Body &b, ValueRange args) {
  return math::FloorOp::create(b, args[0]);
}
Value CeilOp::buildBody(Body &b, ValueRange args) {
  return math::CeilOp::create(b, args[0]);
}
Value RoundOp::buildBody(Body &b, ValueRange args) {
  return math::RoundEvenOp::create(b, args[0]);
}
// Both comparisons are false for NaN.
Value SignOp::buildBody(Body &b, ValueRange args) {
  Value zero = constant(b, args[0], 0.0);
  Value below =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, args[0], zero);
  Value rest = select(b, below, constant(b, args[0], -1.0), zero);
  return select(b, isPositive(b, args[0]), constant(b, args[0], 1.0), rest);
}
Value ClampOp::buildBody(Body &b, ValueRange args) {
  Value x = args[0];
  Type element = getType().getElementType();
  if (auto least = getMin())
    x = maximum(b, x, roundTo(element, *least));
  if (auto most = getMax())
    x = minimum(b, x, roundTo(element, *most));
  return x;
}
Value ErfOp::buildBody(Body &b, ValueRange args) {
  return math::ErfOp::create(b, args[0]);
}
Value TanhOp::buildBody(Body &b, ValueRange args) {
  return math::TanhOp::create(b, args[0]);
}
Value CompareOp::buildBody(Body &b, ValueRange args) {
  if (isFloat(args[0]))
    return arith::CmpFOp::create(b, floatPredicate(getPredicate()), args[0],
                                 args[1]);
  return arith::CmpIOp::create(b, intPredicate(getPredicate()), args[0],
                               args[1]);
}
Value IsNanOp::buildBody(Body &b, ValueRange args) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, args[0], args[0]);
}
Value IsInfOp::buildBody(Body &b, ValueRange args) {
  Value magnitude = math::AbsFOp::create(b, args[0]);
  Value infinity =
      constant(b, magnitude, std::numeric_limits<double>::infinity());
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, magnitude,
                               infinity);
}
Value LogicalAndOp::buildBody(Body &b, ValueRange args) {
  return arith::AndIOp::create(b, args[0], args[1]);
}
Value LogicalOrOp::buildBody(Body &b, ValueRange args) {
  return arith::OrIOp::create(b, args[0], args[1]);
}
Value LogicalNotOp::buildBody(Body &b, ValueRange args) {
  return arith::XOrIOp::create(b, args[0], constant(b, args[0], 1));
}
Value SelectOp::buildBody(Body &b, ValueRange args) {
  return arith::SelectOp::create(b, args[0], args[1], args[2]);
}

/// A bias is a vector added along the last dim.
std::optional<Epilogue> AddOp::getEpilogue() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  if (lhs != getType())
    return std::nullopt;
  if (lhs == rhs)
    return Epilogue::Addend;
  bool isBias = lhs.getRank() > 1 && rhs.getRank() == 1 &&
                rhs.getDimSize(0) == lhs.getShape().back();
  return isBias ? std::optional(Epilogue::Bias) : std::nullopt;
}
std::optional<Epilogue> TanhOp::getEpilogue() { return Epilogue::Tanh; }

Value StopGradientOp::buildBody(Body &, ValueRange args) { return args[0]; }

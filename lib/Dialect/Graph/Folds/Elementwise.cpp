// Family Elementwise: folders. Every one is exact in IEEE arithmetic: x + -0
// and x * 1 are x, but x + 0 is not (-0 + 0 = 0) and x * 0 is not 0 (inf, NaN).
// Constants fold where the result is exactly rounded; exp and its like, whose
// last bit depends on the kernel, do not.
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "ConstantFolding.h"
#include <cmath>

using namespace mpc;
using namespace mpc::graph;

namespace {
constexpr auto kNearest = APFloat::rmNearestTiesToEven;

bool isFloat(Value value) {
  return isa<FloatType>(mlir::getElementTypeOrSelf(value));
}

/// The constant of a binary op, by the methods of APFloat and the operators of
/// APInt.
template <typename OnFloats, typename OnIntegers>
Attribute foldBinary(ArrayRef<Attribute> operands, RankedTensorType type,
                     OnFloats onFloats, OnIntegers onIntegers) {
  return foldNumbers(
      operands, type,
      [&](ArrayRef<APFloat> v) { return std::optional(onFloats(v[0], v[1])); },
      [&](ArrayRef<APInt> v) { return std::optional(onIntegers(v[0], v[1])); });
}

template <typename OnFloat, typename OnInteger>
Attribute foldUnary(ArrayRef<Attribute> operands, RankedTensorType type,
                    OnFloat onFloat, OnInteger onInteger) {
  return foldNumbers(
      operands, type,
      [&](ArrayRef<APFloat> v) { return std::optional(onFloat(v[0])); },
      [&](ArrayRef<APInt> v) { return std::optional(onInteger(v[0])); });
}

/// lhs if `rhs` is the neutral element and does not broadcast lhs.
template <typename Op> Value dropNeutral(Op op, Attribute rhs, double neutral) {
  return op.getLhs().getType() == op.getType() && isUniform(rhs, neutral)
             ? op.getLhs()
             : Value();
}
} // namespace

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  double neutral = isFloat(getLhs()) ? -0.0 : 0.0;
  if (Value lhs = dropNeutral(*this, adaptor.getRhs(), neutral))
    return lhs;
  return foldBinary(
      adaptor.getOperands(), getType(),
      [](const APFloat &a, const APFloat &b) { return a + b; },
      [](const APInt &a, const APInt &b) { return a + b; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (Value lhs = dropNeutral(*this, adaptor.getRhs(), 0.0))
    return lhs;
  if (getLhs() == getRhs() && !isFloat(getLhs()))
    return getUniform(getType(), 0.0);
  return foldBinary(
      adaptor.getOperands(), getType(),
      [](const APFloat &a, const APFloat &b) { return a - b; },
      [](const APInt &a, const APInt &b) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (Value lhs = dropNeutral(*this, adaptor.getRhs(), 1.0))
    return lhs;
  if (!isFloat(getLhs()) && isUniform(adaptor.getRhs(), 0.0))
    return getUniform(getType(), 0.0);
  return foldBinary(
      adaptor.getOperands(), getType(),
      [](const APFloat &a, const APFloat &b) { return a * b; },
      [](const APInt &a, const APInt &b) { return a * b; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (Value lhs = dropNeutral(*this, adaptor.getRhs(), 1.0))
    return lhs;
  return foldNumbers(
      adaptor.getOperands(), getType(),
      [](ArrayRef<APFloat> v) { return std::optional(v[0] / v[1]); },
      [](ArrayRef<APInt>) -> std::optional<APInt> { return std::nullopt; });
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  if (Value lhs = dropNeutral(*this, adaptor.getRhs(), 1.0))
    return lhs;
  if (isUniform(adaptor.getRhs(), 0.0))
    return getUniform(getType(), 1.0);
  return {};
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return foldBinary(
      adaptor.getOperands(), getType(),
      [](const APFloat &a, const APFloat &b) { return llvm::maximum(a, b); },
      [](const APInt &a, const APInt &b) { return a.sgt(b) ? a : b; });
}

OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return foldBinary(
      adaptor.getOperands(), getType(),
      [](const APFloat &a, const APFloat &b) { return llvm::minimum(a, b); },
      [](const APInt &a, const APInt &b) { return a.slt(b) ? a : b; });
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<NegOp>())
    return inner.getInput();
  return foldUnary(
      adaptor.getOperands(), getType(), [](const APFloat &a) { return -a; },
      [](const APInt &a) { return -a; });
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  if (getInput().getDefiningOp<AbsOp>())
    return getInput();
  if (auto inner = getInput().getDefiningOp<NegOp>()) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return foldUnary(
      adaptor.getOperands(), getType(),
      [](const APFloat &a) { return llvm::abs(a); },
      [](const APInt &a) { return a.abs(); });
}

/// A square root of twice the digits and two, rounded again, is the rounded
/// square root: double serves up to f32, and f64 is its own.
OpFoldResult SqrtOp::fold(FoldAdaptor adaptor) {
  return foldUnary(
      adaptor.getOperands(), getType(),
      [](const APFloat &a) {
        bool inexact;
        APFloat wide = a;
        wide.convert(APFloat::IEEEdouble(), kNearest, &inexact);
        APFloat root(std::sqrt(wide.convertToDouble()));
        root.convert(a.getSemantics(), kNearest, &inexact);
        return root;
      },
      [](const APInt &a) { return a; });
}

/// The constant of an op that gives an exact answer for every float.
static Attribute foldFloat(ArrayRef<Attribute> operands, RankedTensorType type,
                           function_ref<APFloat(const APFloat &)> compute) {
  return foldUnary(operands, type, compute, [](const APInt &a) { return a; });
}

OpFoldResult ReciprocalOp::fold(FoldAdaptor adaptor) {
  return foldFloat(adaptor.getOperands(), getType(), [](const APFloat &a) {
    return APFloat(a.getSemantics(), "1") / a;
  });
}

/// Rounds to whole numbers, which rounded again stay what they are.
template <typename Op>
static OpFoldResult foldRounding(Op op, ArrayRef<Attribute> operands,
                                 llvm::RoundingMode mode) {
  Value input = op.getInput();
  if (isa_and_nonnull<FloorOp, CeilOp, RoundOp, SignOp>(input.getDefiningOp()))
    return input;
  return foldFloat(operands, op.getType(), [&](const APFloat &a) {
    APFloat whole = a;
    whole.roundToIntegral(mode);
    return whole;
  });
}

OpFoldResult FloorOp::fold(FoldAdaptor adaptor) {
  return foldRounding(*this, adaptor.getOperands(),
                      llvm::RoundingMode::TowardNegative);
}
OpFoldResult CeilOp::fold(FoldAdaptor adaptor) {
  return foldRounding(*this, adaptor.getOperands(),
                      llvm::RoundingMode::TowardPositive);
}
OpFoldResult RoundOp::fold(FoldAdaptor adaptor) {
  return foldRounding(*this, adaptor.getOperands(), kNearest);
}

OpFoldResult SignOp::fold(FoldAdaptor adaptor) {
  if (getInput().getDefiningOp<SignOp>())
    return getInput();
  return foldFloat(adaptor.getOperands(), getType(), [](const APFloat &a) {
    const char *sign = a.isNaN() || a.isZero() ? "0"
                       : a.isNegative()        ? "-1"
                                               : "1";
    return APFloat(a.getSemantics(), sign);
  });
}

OpFoldResult ClampOp::fold(FoldAdaptor adaptor) {
  return foldFloat(adaptor.getOperands(), getType(), [&](const APFloat &a) {
    auto bound = [&](APFloat number) {
      bool inexact;
      number.convert(a.getSemantics(), kNearest, &inexact);
      return number;
    };
    APFloat result = a;
    if (auto least = getMin())
      result = llvm::maximum(result, bound(*least));
    if (auto most = getMax())
      result = llvm::minimum(result, bound(*most));
    return result;
  });
}

//===-- compare, select --------------------------------------------------===//

static APFloat::cmpResult order(Attribute lhs, Attribute rhs) {
  if (auto number = dyn_cast<mlir::FloatAttr>(lhs))
    return number.getValue().compare(cast<mlir::FloatAttr>(rhs).getValue());
  APInt a = cast<mlir::IntegerAttr>(lhs).getValue();
  APInt b = cast<mlir::IntegerAttr>(rhs).getValue();
  if (a == b)
    return APFloat::cmpEqual;
  return a.slt(b) ? APFloat::cmpLessThan : APFloat::cmpGreaterThan;
}

static bool holds(ComparePredicate predicate, APFloat::cmpResult order) {
  bool less = order == APFloat::cmpLessThan, equal = order == APFloat::cmpEqual;
  bool greater = order == APFloat::cmpGreaterThan;
  switch (predicate) {
  case ComparePredicate::Eq:
    return equal;
  case ComparePredicate::Ne:
    return !equal;
  case ComparePredicate::Lt:
    return less;
  case ComparePredicate::Le:
    return less || equal;
  case ComparePredicate::Gt:
    return greater;
  case ComparePredicate::Ge:
    return greater || equal;
  }
  llvm_unreachable("all predicates are listed");
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  ComparePredicate predicate = getPredicate();
  // A value is never less than itself; it is equal to itself unless NaN.
  if (getLhs() == getRhs()) {
    if (predicate == ComparePredicate::Lt || predicate == ComparePredicate::Gt)
      return getUniform(getType(), 0);
    if (!isFloat(getLhs()))
      return getUniform(getType(), predicate == ComparePredicate::Ne ? 0 : 1);
  }
  mlir::Builder builder(getContext());
  return foldElements(
      adaptor.getOperands(), getType(), [&](ArrayRef<Attribute> v) {
        return builder.getBoolAttr(holds(predicate, order(v[0], v[1])));
      });
}

/// The flags of a constant of floats.
static Attribute classify(ArrayRef<Attribute> operands, RankedTensorType type,
                          function_ref<bool(const APFloat &)> holds) {
  mlir::Builder builder(type.getContext());
  return foldElements(operands, type, [&](ArrayRef<Attribute> v) {
    return builder.getBoolAttr(holds(cast<mlir::FloatAttr>(v[0]).getValue()));
  });
}

OpFoldResult IsNanOp::fold(FoldAdaptor adaptor) {
  return classify(adaptor.getOperands(), getType(),
                  [](const APFloat &a) { return a.isNaN(); });
}
OpFoldResult IsInfOp::fold(FoldAdaptor adaptor) {
  return classify(adaptor.getOperands(), getType(),
                  [](const APFloat &a) { return a.isInfinity(); });
}

/// The constant, or what a flag that decides or a neutral one leaves. The
/// canonical order puts constants last.
template <typename Op>
static OpFoldResult foldLogical(Op op, typename Op::FoldAdaptor adaptor,
                                bool decides) {
  if (op.getLhs() == op.getRhs())
    return op.getLhs();
  if (isUniform(adaptor.getRhs(), decides))
    return getUniform(op.getType(), decides);
  if (isUniform(adaptor.getRhs(), !decides) &&
      op.getLhs().getType() == op.getType())
    return op.getLhs();
  return foldNumbers(
      adaptor.getOperands(), op.getType(),
      [](ArrayRef<APFloat>) -> std::optional<APFloat> { return std::nullopt; },
      [&](ArrayRef<APInt> v) {
        return std::optional(decides ? v[0] | v[1] : v[0] & v[1]);
      });
}

OpFoldResult LogicalAndOp::fold(FoldAdaptor adaptor) {
  return foldLogical(*this, adaptor, /*decides=*/false);
}
OpFoldResult LogicalOrOp::fold(FoldAdaptor adaptor) {
  return foldLogical(*this, adaptor, /*decides=*/true);
}
OpFoldResult LogicalNotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<LogicalNotOp>())
    return inner.getInput();
  return foldUnary(
      adaptor.getOperands(), getType(), [](const APFloat &a) { return a; },
      [](const APInt &a) { return ~a; });
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse() && getOnTrue().getType() == getType())
    return getOnTrue();
  if (isUniform(adaptor.getCondition(), 1) &&
      getOnTrue().getType() == getType())
    return getOnTrue();
  if (isUniform(adaptor.getCondition(), 0) &&
      getOnFalse().getType() == getType())
    return getOnFalse();
  return foldElements(
      adaptor.getOperands(), getType(), [](ArrayRef<Attribute> v) {
        return cast<mlir::IntegerAttr>(v[0]).getValue().isOne() ? v[1] : v[2];
      });
}

//===-- Canonical forms --------------------------------------------------===//

/// a + -b -> a - b. Exact: IEEE defines the difference as this sum.
LogicalResult AddOp::canonicalize(AddOp op, PatternRewriter &rewriter) {
  for (auto [value, other] : {std::pair(op.getRhs(), op.getLhs()),
                              std::pair(op.getLhs(), op.getRhs())})
    if (auto negated = value.getDefiningOp<NegOp>()) {
      rewriter.replaceOpWithNewOp<SubOp>(op, op.getType(), other,
                                         negated.getInput());
      return success();
    }
  return rewriter.notifyMatchFailure(op, "no operand is negated");
}

/// a - -b -> a + b.
LogicalResult SubOp::canonicalize(SubOp op, PatternRewriter &rewriter) {
  auto negated = op.getRhs().getDefiningOp<NegOp>();
  if (!negated)
    return rewriter.notifyMatchFailure(op, "rhs is not negated");
  rewriter.replaceOpWithNewOp<AddOp>(op, op.getType(), op.getLhs(),
                                     negated.getInput());
  return success();
}

/// A constant has no gradient, and one that is stopped is: what is not constant
/// stays, since the sweep has to see it.
OpFoldResult StopGradientOp::fold(FoldAdaptor adaptor) {
  if (getInput().getDefiningOp<StopGradientOp>())
    return getInput();
  return adaptor.getInput();
}

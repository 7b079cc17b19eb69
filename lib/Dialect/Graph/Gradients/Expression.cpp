#include "Expression.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

Expr gradient::operand(GradientBuilder &g, unsigned index) {
  return {g.builder(), g.operand(index)};
}
Expr gradient::result(GradientBuilder &g, unsigned index) {
  return {g.builder(), g.result(index)};
}
Expr gradient::cotangent(GradientBuilder &g, unsigned index) {
  return {g.builder(), g.cotangent(index)};
}

static Expr scalar(Expr like, Attribute value) {
  auto type = RankedTensorType::get({}, like.elementType());
  return {like.builder(),
          ConstantOp::create(like.builder(),
                             mlir::DenseElementsAttr::get(type, value))};
}

Expr Expr::constant(double number) const {
  return scalar(*this, b->getFloatAttr(elementType(), number));
}

Expr Expr::integer(int64_t number) const {
  return scalar(*this, b->getIntegerAttr(elementType(), number));
}

template <typename Op, typename... Args>
static Expr build(Expr x, Args &&...args) {
  return {x.builder(),
          Op::create(x.builder(), std::forward<Args>(args)...)->getResult(0)};
}

namespace mpc::graph::gradient {

Expr operator+(Expr a, Expr b) { return build<AddOp>(a, a, b); }
Expr operator-(Expr a, Expr b) { return build<SubOp>(a, a, b); }
Expr operator*(Expr a, Expr b) { return build<MulOp>(a, a, b); }
Expr operator/(Expr a, Expr b) { return build<DivOp>(a, a, b); }
Expr operator-(Expr a) { return build<NegOp>(a, a); }
Expr operator+(Expr a, double b) { return a + a.constant(b); }
Expr operator-(Expr a, double b) { return a - a.constant(b); }
Expr operator*(Expr a, double b) { return a * a.constant(b); }
Expr operator/(Expr a, double b) { return a / a.constant(b); }
Expr operator+(double a, Expr b) { return b.constant(a) + b; }
Expr operator-(double a, Expr b) { return b.constant(a) - b; }
Expr operator*(double a, Expr b) { return b.constant(a) * b; }

Expr exp(Expr x) { return build<ExpOp>(x, x); }
Expr log(Expr x) { return build<LogOp>(x, x); }
Expr rsqrt(Expr x) { return build<RsqrtOp>(x, x); }
Expr erf(Expr x) { return build<ErfOp>(x, x); }
Expr tanh(Expr x) { return build<TanhOp>(x, x); }
Expr pow(Expr base, Expr exponent) {
  return build<PowOp>(base, base, exponent);
}

Expr equal(Expr a, Expr b) {
  return build<CompareOp>(a, ComparePredicate::Eq, a, b);
}
Expr notEqual(Expr a, Expr b) {
  return build<CompareOp>(a, ComparePredicate::Ne, a, b);
}
Expr less(Expr a, Expr b) {
  return build<CompareOp>(a, ComparePredicate::Lt, a, b);
}
Expr lessEqual(Expr a, Expr b) {
  return build<CompareOp>(a, ComparePredicate::Le, a, b);
}
Expr greater(Expr a, Expr b) {
  return build<CompareOp>(a, ComparePredicate::Gt, a, b);
}
Expr greaterEqual(Expr a, Expr b) {
  return build<CompareOp>(a, ComparePredicate::Ge, a, b);
}
Expr select(Expr condition, Expr onTrue, Expr onFalse) {
  return build<SelectOp>(condition, condition, onTrue, onFalse);
}

Expr sum(Expr x, ArrayRef<int64_t> dims) {
  return build<SumOp>(x, x, dims, /*keep_dims=*/true,
                      /*dtype=*/mlir::TypeAttr());
}
Expr mean(Expr x, ArrayRef<int64_t> dims) {
  return build<MeanOp>(x, x, dims, /*keep_dims=*/true,
                       /*dtype=*/mlir::TypeAttr());
}
Expr softmax(Expr x, int64_t dim) {
  return build<SoftmaxOp>(x, x, static_cast<uint64_t>(dim), mlir::TypeAttr());
}

Expr reshape(Expr x, ArrayRef<int64_t> shape) {
  if (x.shape() == shape)
    return x;
  return build<ReshapeOp>(x, x.type().clone(shape), x);
}
Expr broadcast(Expr x, ArrayRef<int64_t> shape) {
  if (x.shape() == shape)
    return x;
  return build<BroadcastOp>(x, x.type().clone(shape), x);
}
Expr transpose(Expr x, ArrayRef<int64_t> permutation) {
  return build<TransposeOp>(x, x, permutation);
}
Expr slice(Expr x, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
  return build<SliceOp>(x, x, offsets, sizes);
}
Expr pad(Expr x, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  return build<PadOp>(x, x, low, high);
}
Expr matmul(Expr a, bool transposeA, Expr b, bool transposeB) {
  return build<MatmulOp>(a, a, b, transposeA, transposeB, mlir::TypeAttr());
}

Expr castTo(Expr x, Type element, StringAttr reason) {
  if (x.elementType() == element)
    return x;
  return build<CastOp>(x, RankedTensorType::get(x.shape(), element), x, reason);
}
Expr castTo(Expr x, Type element) {
  std::string reason;
  llvm::raw_string_ostream(reason) << "gradient computed in " << element;
  return castTo(x, element, x.builder().getStringAttr(reason));
}
Expr widened(Expr x) {
  return x.elementType().isF64() ? x : castTo(x, x.builder().getF32Type());
}

SmallVector<int64_t> dimsFrom(int64_t first, int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(first, rank));
}

} // namespace mpc::graph::gradient

// Family Indexing: what is added in f32, and what other indexing ops are.
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"
#include "Decomposition.h"

#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

/// Kernels add in the result's memory.
bool SegmentSumOp::isComposite() {
  Type element = mlir::getElementTypeOrSelf(getResult());
  return element != getComputeType(element);
}

SmallVector<Value> SegmentSumOp::decompose(mlir::ImplicitLocOpBuilder &b) {
  Decomposition d(b, *this);
  Value sum = SegmentSumOp::create(b, d.wide(getInput()), getIndices(),
                                   getDim(), getSize(), getIgnoreIndexAttr());
  return {d.castTo(sum, mlir::getElementTypeOrSelf(getResult()))};
}

//===-- Of single elements ------------------------------------------------===//

/// Where in row-major order the element of a tensor of `shape` stands that each
/// of `indices` names along `dim`; -1 if there is none.
static Expr findElements(Expr indices, ArrayRef<int64_t> shape, int64_t dim) {
  mlir::ImplicitLocOpBuilder &b = indices.builder();
  int64_t total = 1;
  for (int64_t size : shape)
    total *= size;
  Type wide = llvm::isInt<32>(total) ? b.getI32Type() : b.getI64Type();
  if (indices.elementType().getIntOrFloatBitWidth() > 32)
    wide = indices.elementType(); // An index from outside may have 64 bits.
  Expr named = castTo(indices, wide, b.getStringAttr("places of elements"));
  Expr place = named.integer(0);
  for (int64_t other = 0, stride = total; other < indices.rank(); ++other) {
    stride /= shape[other];
    Expr along = named;
    if (other != dim)
      along = {b, IotaOp::create(b, named.type(), other)};
    place = place + along * along.integer(stride);
  }
  Expr isInside = both(greaterEqual(named, named.integer(0)),
                       less(named, named.integer(shape[dim])));
  return select(isInside, place, place.integer(-1));
}

static Expr flatten(Expr x) { return reshape(x, {x.numElements()}); }

SmallVector<Value>
GatherElementsOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d(getInput());
  Expr places = findElements(d(getIndices()), x.shape(), getDim());
  return {GatherOp::create(builder, flatten(x), places, /*dim=*/0,
                           /*padding_index=*/mlir::IntegerAttr())};
}

SmallVector<Value>
ScatterAddOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d.wide(getInput()), updates = d.wide(getUpdates());
  Expr places = findElements(d(getIndices()), x.shape(), getDim());
  Expr sums = d(SegmentSumOp::create(builder, flatten(updates), flatten(places),
                                     /*dim=*/0, x.numElements(),
                                     /*ignore_index=*/mlir::IntegerAttr()));
  return {d.castTo(x + reshape(sums, x.shape()), elementOf(getResult()))};
}

//===-- Made of comparisons -----------------------------------------------===//

SmallVector<Value> OneHotOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr indices = d(getIndices());
  SmallVector<int64_t> column(indices.shape());
  column.push_back(1);
  auto row = RankedTensorType::get({getType().getShape().back()},
                                   indices.elementType());
  Expr classes = d(IotaOp::create(builder, row, 0));
  return {d.castTo(equal(reshape(indices, column), classes),
                   elementOf(getResult()))};
}

/// The elements of `input` of row i and column j where `keeps(j - i)`.
static Value keepElements(Decomposition &d, Expr input,
                          function_ref<Expr(Expr)> keeps) {
  mlir::ImplicitLocOpBuilder &b = input.builder();
  auto type = RankedTensorType::get(input.shape().take_back(2), b.getI64Type());
  Expr row = d(IotaOp::create(b, type, 0)),
       column = d(IotaOp::create(b, type, 1));
  return select(keeps(column - row), input, input.constant(0));
}

SmallVector<Value> TrilOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  return {keepElements(d, d(getInput()), [&](Expr distance) {
    return lessEqual(distance, distance.integer(getDiagonal()));
  })};
}
SmallVector<Value> TriuOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  return {keepElements(d, d(getInput()), [&](Expr distance) {
    return greaterEqual(distance, distance.integer(getDiagonal()));
  })};
}

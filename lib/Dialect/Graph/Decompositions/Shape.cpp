// Family Shape: what moves made of other moves are.
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "Decomposition.h"
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

//===-- Parts and repetitions ---------------------------------------------===//

SmallVector<Value> StackOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  SmallVector<int64_t> one(getType().getShape());
  one[getDim()] = 1;
  SmallVector<Value> inputs;
  for (Value input : getInputs())
    inputs.push_back(reshape(d(input), one));
  return {ConcatOp::create(builder, inputs, getDim())};
}

SmallVector<Value> SplitOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d(getInput());
  SmallVector<int64_t> offsets(x.rank(), 0), sizes(x.shape());
  SmallVector<Value> parts;
  for (int64_t size : getSizes()) {
    sizes[getDim()] = size;
    parts.push_back(slice(x, offsets, sizes));
    offsets[getDim()] += size;
  }
  return parts;
}

/// Each dim beside a new one that repeats it, then both as one.
SmallVector<Value> TileOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d(getInput());
  SmallVector<int64_t> single, repeated;
  for (auto [size, times] : llvm::zip_equal(x.shape(), getRepeats())) {
    single.append({1, size});
    repeated.append({times, size});
  }
  Expr beside = broadcast(reshape(x, single), repeated);
  return {reshape(beside, getType().getShape())};
}

//===-- Copies of elements by their place ---------------------------------===//

/// 0, 1, ... to `size`, as numbers that count to `last` too.
static Expr countTo(mlir::ImplicitLocOpBuilder &builder, int64_t size,
                    int64_t last) {
  Type index = builder.getIntegerType(llvm::isInt<32>(last) ? 32 : 64);
  auto type = RankedTensorType::get({size}, index);
  return {builder, IotaOp::create(builder, type, 0)};
}

/// The elements of `x` along `dim` that `sources` names.
static Expr copyAlong(Expr x, Value sources, int64_t dim) {
  return {x.builder(), GatherOp::create(x.builder(), x, sources, dim,
                                        /*padding_index=*/mlir::IntegerAttr())};
}

/// n - 1 - i
SmallVector<Value> FlipOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d(getInput());
  for (int64_t dim : getDims()) {
    int64_t size = x.shape()[dim];
    Expr i = countTo(builder, size, size);
    x = copyAlong(x, i.integer(size - 1) - i, dim);
  }
  return {x};
}

/// `op`, which copies along each dim what its method `buildSources` names.
template <typename Op>
static SmallVector<Value> copyPadded(Op op,
                                     mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, op);
  Expr x = d(op.getInput());
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    if (op.getLow()[dim] + op.getHigh()[dim] > 0)
      x = copyAlong(x, op.buildSources(builder, dim), dim);
  return {x};
}

/// i - low of `op` for each i along `dim`, and the size of the input there.
template <typename Op>
static std::pair<Expr, int64_t>
placesOf(Op op, mlir::ImplicitLocOpBuilder &builder, int64_t dim) {
  int64_t size = op.getInput().getType().getDimSize(dim);
  int64_t padded = op.getType().getDimSize(dim);
  Expr i = countTo(builder, padded, padded + size);
  return {i - i.integer(op.getLow()[dim]), size};
}

static Expr magnitude(Expr i) { return maximum(i, i.integer(0) - i); }

/// n - 1 - |n - 1 - |i - low||
Value ReflectionPadOp::buildSources(mlir::ImplicitLocOpBuilder &builder,
                                    int64_t dim) {
  auto [i, size] = placesOf(*this, builder, dim);
  Expr last = i.integer(size - 1);
  return last - magnitude(last - magnitude(i));
}

/// min(max(i - low, 0), n - 1)
Value ReplicationPadOp::buildSources(mlir::ImplicitLocOpBuilder &builder,
                                     int64_t dim) {
  auto [i, size] = placesOf(*this, builder, dim);
  return minimum(maximum(i, i.integer(0)), i.integer(size - 1));
}

/// (i - low) mod n, of at most n beyond either end.
Value CircularPadOp::buildSources(mlir::ImplicitLocOpBuilder &builder,
                                  int64_t dim) {
  auto [i, size] = placesOf(*this, builder, dim);
  Expr n = i.integer(size), zero = i.integer(0);
  return select(less(i, zero), i + n, select(less(i, n), i, i - n));
}

SmallVector<Value>
ReflectionPadOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return copyPadded(*this, builder);
}
SmallVector<Value>
ReplicationPadOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return copyPadded(*this, builder);
}
SmallVector<Value>
CircularPadOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return copyPadded(*this, builder);
}

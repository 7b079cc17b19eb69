// Family Indexing: gradient rules. They keep the indices alone.
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"
#include "Rule.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

// dx[a, n, b] = sum_i dy[a, i, b] where indices[i] = n
LogicalResult GatherOp::buildVjp(GradientBuilder &g) {
  int64_t size = getInput().getType().getDimSize(getDim());
  g.set(0, SegmentSumOp::create(g.builder(), cotangent(g), operand(g, 1),
                                getDim(), size, getPaddingIndexAttr()));
  return success();
}

static Expr isWithin(Expr index, int64_t size) {
  return both(greaterEqual(index, index.integer(0)),
              less(index, index.integer(size)));
}

// dx[a, i, b] = dy[a, indices[i], b]; 0 for what was not added
LogicalResult SegmentSumOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), index = operand(g, 1);
  Expr isAdded = isWithin(index, getSize());
  if (std::optional<int64_t> ignored = getIgnoredIndex())
    isAdded = both(isAdded, notEqual(index, index.integer(*ignored)));
  SmallVector<int64_t> aligned(index.shape());
  aligned.append(dy.rank() - 1 - getDim(), 1);
  Expr gathered(g.builder(),
                GatherOp::create(g.builder(), dy, index, getDim(),
                                 /*padding_index=*/mlir::IntegerAttr()));
  g.set(0, select(reshape(isAdded, aligned), gathered, gathered.constant(0)));
  return success();
}

// dx[a, n, b] = sum_i dy[a, i, b] where indices[a, i, b] = n
LogicalResult GatherElementsOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g);
  Expr zeros = broadcast(dy.constant(0), getInput().getType().getShape());
  g.set(0,
        ScatterAddOp::create(g.builder(), zeros, operand(g, 1), dy, getDim()));
  return success();
}

// dx = dy
// dupdates[a, i, b] = dy[a, indices[a, i, b], b]; 0 for what was not added
LogicalResult ScatterAddOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g);
  if (g.needs(0))
    g.set(0, dy);
  if (!g.needs(2))
    return success();
  Expr index = operand(g, 1);
  Expr gathered(g.builder(),
                GatherElementsOp::create(g.builder(), dy, index, getDim()));
  g.set(2, select(isWithin(index, dy.shape()[getDim()]), gathered,
                  gathered.constant(0)));
  return success();
}

// dx = dy in the triangle
LogicalResult TrilOp::buildVjp(GradientBuilder &g) {
  g.set(0, TrilOp::create(g.builder(), g.cotangent(0), getDiagonal()));
  return success();
}
LogicalResult TriuOp::buildVjp(GradientBuilder &g) {
  g.set(0, TriuOp::create(g.builder(), g.cotangent(0), getDiagonal()));
  return success();
}

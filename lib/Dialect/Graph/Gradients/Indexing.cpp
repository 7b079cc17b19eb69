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

// dx[a, i, b] = dy[a, indices[i], b]; 0 for what was not added
LogicalResult SegmentSumOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), index = operand(g, 1);
  Expr isAdded = both(greaterEqual(index, index.integer(0)),
                      less(index, index.integer(getSize())));
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

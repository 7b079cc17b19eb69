// Family Shape: gradient rules. None keeps a value.
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "Rule.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

// dx = dy in the shape of x
LogicalResult ReshapeOp::buildVjp(GradientBuilder &g) {
  g.set(0, reshape(cotangent(g), shapeOf(getInput())));
  return success();
}

// dx = dy with the dims permuted back
LogicalResult TransposeOp::buildVjp(GradientBuilder &g) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [dim, source] : llvm::enumerate(getPermutation()))
    inverse[source] = static_cast<int64_t>(dim);
  g.set(0, transpose(cotangent(g), inverse));
  return success();
}

// dx = dy; the engine sums over what was repeated
LogicalResult BroadcastOp::buildVjp(GradientBuilder &g) {
  g.set(0, g.cotangent(0));
  return success();
}

// dx = dy inside the box, 0 around it
LogicalResult SliceOp::buildVjp(GradientBuilder &g) {
  SmallVector<int64_t> high;
  for (auto [size, offset, kept] :
       llvm::zip_equal(shapeOf(getInput()), getOffsets(), getSizes()))
    high.push_back(size - offset - kept);
  g.set(0, pad(cotangent(g), getOffsets(), high));
  return success();
}

// dx = the box of dy that is not padding
LogicalResult PadOp::buildVjp(GradientBuilder &g) {
  g.set(0, slice(cotangent(g), getLow(), shapeOf(getInput())));
  return success();
}

// dx_i = the part of dy where input i lies
LogicalResult ConcatOp::buildVjp(GradientBuilder &g) {
  SmallVector<int64_t> offsets(shapeOf(getResult()).size(), 0);
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    if (g.needs(index))
      g.set(index, slice(cotangent(g), offsets, shapeOf(input)));
    offsets[getDim()] += shapeOf(input)[getDim()];
  }
  return success();
}

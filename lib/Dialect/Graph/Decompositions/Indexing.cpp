// Family Indexing: what is added in f32.
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"
#include "Decomposition.h"

using namespace mpc;
using namespace mpc::graph;

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

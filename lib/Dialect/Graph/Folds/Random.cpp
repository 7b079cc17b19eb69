// Family Random: folders.
#include "mpc/Dialect/Graph/IR/Ops/Random.h"

using namespace mpc;
using namespace mpc::graph;

/// Nothing is left out.
OpFoldResult DropoutOp::fold(FoldAdaptor) {
  return getRatio().isZero() ? getInput() : Value();
}

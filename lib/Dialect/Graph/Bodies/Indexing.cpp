// Family Indexing: where the elements of results come from.
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"

using namespace mpc;
using namespace mpc::graph;

Movement GatherOp::getMovement() {
  int64_t dim = getDim(), rank = getInput().getType().getRank();
  Movement movement{Movement::Kind::Gather, {}, {}, {}, dim};
  for (int64_t before = 0; before < dim; ++before)
    movement.dims.push_back(before);
  movement.dims.append(getIndices().getType().getRank(), -1);
  for (int64_t after = dim + 1; after < rank; ++after)
    movement.dims.push_back(after);
  return movement;
}

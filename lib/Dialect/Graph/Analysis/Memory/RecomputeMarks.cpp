#include "mpc/Dialect/Graph/Analysis/Memory/RecomputeMarks.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"

using namespace mpc;
using namespace mpc::graph;

DenseSet<Operation *>
graph::findRecomputed(Block &block, function_ref<bool(Operation *)> isForward) {
  DenseSet<Operation *> recomputed;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (op.getNumOperands() == 0 || !isForward(&op))
      continue;
    if (op.hasAttr(kRecomputeAttr)) {
      recomputed.insert(&op);
      continue;
    }
    auto cast = dyn_cast<CastOp>(op);
    if (!cast || !cast.getReason())
      continue;
    bool isRead = false, byRecomputed = true;
    for (Operation *user : cast->getUsers())
      if (isForward(user)) {
        isRead = true;
        byRecomputed &= recomputed.contains(user);
      }
    if (isRead && byRecomputed)
      recomputed.insert(&op);
  }
  return recomputed;
}

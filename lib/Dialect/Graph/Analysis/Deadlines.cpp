#include "Deadlines.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "mpc/Interfaces/TensorBytes.h"

using namespace mpc;
using namespace mpc::graph;

int64_t graph::getStoredBytes(Value value) {
  return mpc::getStoredBytes(cast<RankedTensorType>(value.getType()));
}

Deadlines::Deadlines(Block &block, function_ref<bool(Operation *)> isFence) {
  int fence = 0;
  for (Operation &op : block) {
    Fact &fact = facts[&op];
    if (isFence(&op)) {
      fact.isFence = true;
      fact.deadline = fence++;
    }
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp()) {
        Fact before = facts.lookup(producer);
        fact.ready = std::max(fact.ready, before.isFence ? before.deadline + 1
                                                         : before.ready);
      }
  }
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    Fact &fact = facts[&op];
    if (!fact.isFence)
      for (Operation *user : op.getUsers())
        fact.deadline = std::min(fact.deadline, facts.lookup(user).deadline);
  }
}

bool Deadlines::canRunBefore(Operation *user, int fence) const {
  Fact fact = facts.lookup(user);
  return !fact.isFence && fact.ready <= fence &&
         !user->hasTrait<mlir::OpTrait::IsTerminator>();
}

/// By a stack of its own: chains are long.
int64_t Deadlines::carriedBytes(Operation *op, int fence) {
  SmallVector<Operation *> pending{op};
  while (!pending.empty()) {
    Operation *next = pending.back();
    size_t asked = pending.size();
    if (!carried.contains({next, fence}))
      for (Operation *user : next->getUsers())
        if (canRunBefore(user, fence) && !carried.contains({user, fence}))
          pending.push_back(user);
    if (pending.size() > asked)
      continue;
    pending.pop_back();
    int64_t bytes = 0;
    for (Value result : next->getResults()) {
      int64_t after = 0, stored = getStoredBytes(result);
      for (Operation *user : result.getUsers())
        after +=
            canRunBefore(user, fence) ? carried.lookup({user, fence}) : stored;
      bytes += std::min(after, stored);
    }
    carried[{next, fence}] = bytes;
  }
  return carried.lookup({op, fence});
}

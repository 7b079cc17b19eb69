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
  for (Operation &op : block)
    if (isFence(&op))
      facts[&op].deadline = fence++;

  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool isOwnFence = isFence(&op);
    Fact fact = facts.lookup(&op);
    for (Value result : op.getResults()) {
      int64_t after = 0;
      for (Operation *user : result.getUsers()) {
        const Fact &use = facts[user];
        bool ends = user->hasTrait<mlir::OpTrait::IsTerminator>();
        after += ends || isFence(user) ? getStoredBytes(result) : use.carried;
        if (!isOwnFence)
          fact.deadline = std::min(fact.deadline, use.deadline);
      }
      fact.carried += std::min(after, getStoredBytes(result));
    }
    facts[&op] = fact;
  }
}

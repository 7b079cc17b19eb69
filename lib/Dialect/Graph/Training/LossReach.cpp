#include "mpc/Dialect/Graph/Training/LossReach.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"

using namespace mpc;
using namespace mpc::graph;

/// What `result` is computed from: the operands of its op, and what the op's
/// regions yield as this result.
static void appendSources(OpResult result, SmallVectorImpl<Value> &sources) {
  Operation *op = result.getOwner();
  if (op->hasTrait<OpTrait::StopsGradient>())
    return;
  llvm::append_range(sources, op->getOperands());
  for (mlir::Region &region : op->getRegions())
    for (Block &block : region)
      if (Operation *yield =
              block.mightHaveTerminator() ? block.getTerminator() : nullptr;
          yield && result.getResultNumber() < yield->getNumOperands())
        sources.push_back(yield->getOperand(result.getResultNumber()));
}

DenseSet<Value> graph::findLossReach(ValueRange losses) {
  DenseSet<Value> reach;
  SmallVector<Value> worklist(losses);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!isa<FloatType>(mlir::getElementTypeOrSelf(value)) ||
        !reach.insert(value).second)
      continue;
    if (auto result = dyn_cast<OpResult>(value))
      appendSources(result, worklist);
  }
  return reach;
}

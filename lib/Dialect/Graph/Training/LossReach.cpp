#include "mpc/Dialect/Graph/Training/LossReach.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"

using namespace mpc;
using namespace mpc::graph;

static void appendResultSources(OpResult result,
                                SmallVectorImpl<Value> &sources) {
  Operation *op = result.getOwner();
  if (op->getNumRegions() == 0)
    llvm::append_range(sources, op->getOperands());
  for (mlir::Region &region : op->getRegions())
    for (Block &block : region)
      if (Operation *yield =
              block.mightHaveTerminator() ? block.getTerminator() : nullptr;
          yield && result.getResultNumber() < yield->getNumOperands())
        sources.push_back(yield->getOperand(result.getResultNumber()));
}

/// Of argument `number` of the scan's body.
static void appendStepSources(ScanOp scan, unsigned number,
                              SmallVectorImpl<Value> &sources) {
  unsigned numCarried = scan.getCarried().size(),
           firstConstant = numCarried + scan.getSequences().size();
  if (number < numCarried) {
    sources.push_back(scan.getCarried()[number]);
    sources.push_back(scan.getYield().getResults()[number]);
  } else if (number < firstConstant) {
    sources.push_back(scan.getSequences()[number - numCarried]);
    if (Value edge = scan.getEdge(number - numCarried))
      sources.push_back(edge);
  } else {
    sources.push_back(scan.getConstants()[number - firstConstant]);
  }
}

void graph::appendSources(Value value, SmallVectorImpl<Value> &sources) {
  if (auto result = dyn_cast<OpResult>(value))
    return appendResultSources(result, sources);
  auto argument = cast<mlir::BlockArgument>(value);
  Operation *op = argument.getOwner()->getParentOp();
  if (auto scan = dyn_cast_or_null<ScanOp>(op))
    appendStepSources(scan, argument.getArgNumber(), sources);
  else if (op)
    llvm::append_range(sources, op->getOperands());
}

DenseSet<Value> graph::findLossReach(ValueRange losses, bool throughStops) {
  DenseSet<Value> reach;
  SmallVector<Value> worklist(losses);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!isa<FloatType>(mlir::getElementTypeOrSelf(value)) ||
        !reach.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (throughStops || !op || !op->hasTrait<OpTrait::StopsGradient>())
      appendSources(value, worklist);
  }
  return reach;
}

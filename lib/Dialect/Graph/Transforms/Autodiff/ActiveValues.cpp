#include "ActiveValues.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"
#include "mpc/Dialect/Graph/Training/LossReach.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"

using namespace mpc;
using namespace mpc::graph;

/// Whether `value` became active by what it is computed from.
static bool inherit(Value value, Origins &origin) {
  if (!isa<FloatType>(mlir::getElementTypeOrSelf(value)) ||
      origin.contains(value))
    return false;
  SmallVector<Value> sources;
  appendSources(value, sources);
  for (Value source : sources)
    if (Value parameter = origin.lookup(source)) {
      origin[value] = parameter;
      return true;
    }
  return false;
}

/// What is carried is active from the step on in which it becomes it.
static void findActiveInSteps(ScanOp scan, Origins &origin) {
  Block &body = scan.getBody().front();
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (Value argument : body.getArguments())
      isNew |= inherit(argument, origin);
    if (isNew)
      findActive(body, origin);
  }
}

void graph::findActive(Block &block, Origins &origin) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::StopsGradient>())
      continue;
    if (auto scan = dyn_cast<ScanOp>(op))
      findActiveInSteps(scan, origin);
    for (Value result : op.getResults())
      inherit(result, origin);
  }
}

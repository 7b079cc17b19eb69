// Family Schedule: result names.
#include "mpc/Dialect/Graph/IR/Ops/Step/Schedule.h"

using namespace mpc;
using namespace mpc::graph;

void LrScheduleOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getLr(), "lr");
}

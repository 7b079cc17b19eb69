// Family Rounding: result names.
#include "mpc/Dialect/Graph/IR/Ops/Rounding.h"

using namespace mpc;
using namespace mpc::graph;

void KahanRoundOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getNextParameter(), "next_parameter");
  setName(getNextCompensation(), "next_compensation");
}

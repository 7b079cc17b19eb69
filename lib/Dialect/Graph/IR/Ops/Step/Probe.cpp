// Family Probe: verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Step/Probe.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult ObserveOp::verify() {
  if (getName().empty() || getWhat().empty()) // C1
    return emitOpError("expected names of the value and of what made it, but "
                       "got '")
           << getName() << "' and '" << getWhat() << "'";
  int64_t number = getNumber();
  auto isBelow = [&](int64_t read) { return read >= 0 && read < number; };
  if (number < 0 || !llvm::all_of(getSources(), isBelow)) // C2
    return emitOpError("expected a number of at least 0 and sources below it, "
                       "but got ")
           << number << " and [" << getSources() << "]";
  return success();
}

#include "SkipProof.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"

using namespace mpc;
using namespace mpc::graph;

static void collect(Value condition, Flags &flags) {
  auto either = condition.getDefiningOp<SelectOp>();
  if (either && either.getCondition() == either.getOnTrue()) {
    collect(either.getOnTrue(), flags);
    collect(either.getOnFalse(), flags);
    return;
  }
  flags.insert(condition);
}

Flags graph::flagsOf(Value condition) {
  Flags flags;
  collect(condition, flags);
  return flags;
}

KeptValue::KeptValue(Value old, Value next) : taken(next) {
  while (auto select = taken.getDefiningOp<SelectOp>()) {
    if (select.getOnTrue() != old)
      return;
    collect(select.getCondition(), flags);
    taken = select.getOnFalse();
  }
}

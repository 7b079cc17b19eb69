// Counters of steps, for optimizers, schedules and the caller.
//
// A group's `step` counts the steps that it took: bias corrections and
// schedules know no skipped step (TensorFlow 2 counts them). `skipped` and
// `consecutive_skips` count steps in which any group found an inf or NaN, which
// are the steps in which the loss scale shrinks.
#include "UpdateGroup.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

using namespace mpc;
using namespace mpc::graph;

static LogicalResult countSkips(StepBuilder &b, Value foundInf,
                                Value nonfinite) {
  FailureOr<Value> skipped = b.addCounter("skipped");
  FailureOr<Value> consecutive = b.addCounter("consecutive_skips");
  if (failed(skipped) || failed(consecutive))
    return failure();
  Value zero = b.constant(b.builder.getI32Type(), 0);
  Value total = b.select(foundInf, b.plusOne(*skipped), *skipped);
  Value row = b.select(foundInf, b.plusOne(*consecutive), zero);
  row = b.keep(nonfinite, *consecutive, row);
  b.signature.addResult(total, kUpdatesAttr, "skipped");
  b.signature.addResult(row, kUpdatesAttr, "consecutive_skips");
  b.signature.addResult(row, kOutputAttr, "consecutive_skips");
  return success();
}

LogicalResult graph::countSteps(StepBuilder &b, Value nonfinite,
                                MutableArrayRef<UpdateGroup> groups) {
  for (UpdateGroup &group : groups) {
    std::string name = group.nameOf("step");
    FailureOr<Value> taken = b.addCounter(name);
    if (failed(taken))
      return failure();
    group.taken = *taken;
    group.step = b.plusOne(*taken);
    Value next = b.keep(group.skip, group.taken, group.step);
    b.signature.addResult(next, kUpdatesAttr, name);
    b.signature.addResult(next, kOutputAttr, name);
  }
  Value foundInf = anyFoundInf(b, groups);
  return foundInf ? countSkips(b, foundInf, nonfinite) : success();
}

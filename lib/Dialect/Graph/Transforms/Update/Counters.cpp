// Counters of steps, for optimizers, schedules and the caller.
//
// A group's `step` counts the steps that it took: bias corrections and
// schedules know no skipped step (TensorFlow 2 counts them). `skipped` and
// `consecutive_skips` count steps in which any group found an inf or NaN, which
// are the steps in which the loss scale shrinks.
#include "UpdateGroup.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Program/Names.h"

using namespace mpc;
using namespace mpc::graph;

static LogicalResult countSkips(StepBuilder &b, Value foundInf,
                                Value nonfinite) {
  StringRef total = program::kSkippedState;
  StringRef row = program::kConsecutiveSkipsState;
  FailureOr<Value> skipped = b.addCounter(total, Role::Counter);
  FailureOr<Value> consecutive = b.addCounter(row, Role::Counter);
  if (failed(skipped) || failed(consecutive))
    return failure();
  Expr found = b(foundInf), all = b(*skipped), inRow = b(*consecutive);
  Expr nextTotal = select(found, all + 1, all);
  Expr nextRow = select(found, inRow + 1, inRow.constant(0));
  nextRow = b.keep(nonfinite, inRow, nextRow);
  b.signature.addResult(nextTotal, kUpdatesAttr, total);
  b.signature.addResult(nextRow, kUpdatesAttr, row);
  b.signature.addResult(nextRow, kOutputAttr, program::kConsecutiveSkipsOutput);
  return success();
}

LogicalResult graph::countSteps(StepBuilder &b, Value nonfinite,
                                MutableArrayRef<UpdateGroup> groups) {
  for (UpdateGroup &group : groups) {
    std::string name = group.nameOf(program::kStepState);
    FailureOr<Value> taken = b.addCounter(name, Role::StepCounter, group.name);
    if (failed(taken))
      return failure();
    group.taken = *taken;
    group.step = b(*taken) + 1;
    Value next = b.keep(group.skip, group.taken, group.step);
    b.signature.addResult(next, kUpdatesAttr, name);
    b.signature.addResult(next, kOutputAttr,
                          group.nameOf(program::kStepOutput));
  }
  Value foundInf = anyFoundInf(b, groups);
  return foundInf ? countSkips(b, foundInf, nonfinite) : success();
}

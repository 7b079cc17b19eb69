// Learning rates: a base rate per group, which whoever runs the step may set,
// and what the schedule makes of it.
#include "UpdateGroup.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Schedule.h"
#include "mpc/Program/Names.h"

using namespace mpc;
using namespace mpc::graph;

/// A schedule that does not stay at the base rate.
static bool changes(ScheduleAttr schedule) {
  return schedule &&
         (schedule->kind != ScheduleKind::Constant || schedule->warmup > 0);
}

LogicalResult graph::setLearningRates(StepBuilder &b,
                                      MutableArrayRef<UpdateGroup> groups) {
  auto scalar = RankedTensorType::get({}, b.builder.getF32Type());
  for (UpdateGroup &group : groups) {
    if (group.parameters.empty())
      continue; // The default group: a rate of nothing would be set in vain.
    std::string state =
        group.name.empty() ? "optimizer.lr" : group.nameOf("lr");
    FailureOr<Value> base = b.signature.addState(
        {state, scalar, Role::LearningRate,
         FillAttr::get(b.func.getContext(), group.optimizer.getLr()),
         group.name});
    if (failed(base))
      return failure();
    group.lr = *base;
    if (changes(group.schedule))
      group.lr = LrScheduleOp::create(b.builder, scalar, *base, group.taken,
                                      group.schedule);
    b.signature.addResult(group.lr, kOutputAttr,
                          group.nameOf(program::kLrOutput));
  }
  return success();
}

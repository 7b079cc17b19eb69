// Which groups leave this step out.
//
// torch: an optimizer skips if an inf or NaN is among its own gradients, and
// others go on. Where groups are clipped by the norm of all gradients together,
// each of them depends on all: the NaN of one would reach the others through
// the coefficient, so these skip together.
//
// A norm that the user wants to be an error leaves the whole step out, state of
// scaler and counters included, as if its batches had not been given. Gradients
// that the scaler found are its business, not an error.
#include "UpdateGroup.h"
#include "mpc/Program/Names.h"

using namespace mpc;
using namespace mpc::graph;

Value graph::anyFoundInf(StepBuilder &b, ArrayRef<UpdateGroup> groups) {
  llvm::SmallSetVector<Value, 4> flags;
  for (const UpdateGroup &group : groups)
    if (group.foundInf)
      flags.insert(group.foundInf);
  Expr any;
  for (Value flag : flags)
    any = either(any, b(flag));
  return any;
}

/// The scale stage made the scaler's next state. Sums over micro-batches, whose
/// next state there is by now too, begin anew all the same.
static void keepScaler(StepBuilder &b, Value nonfinite) {
  llvm::StringMap<Value> states;
  for (const Marked &state : markedArguments(b.func, kStateAttr))
    if (Role role = getRole(b.func, state.index);
        role == Role::Scaler || role == Role::LossScale)
      states[state.name] = state.value;
  b.signature.changeResults(kUpdatesAttr, [&](StringRef name, Value next) {
    Value old = states.lookup(name);
    return old ? b.keep(nonfinite, old, next) : next;
  });
}

/// Running statistics, whose next value the autodiff stage made, are of no
/// group: they stay where any is skipped. PyTorch, whose forward moves them,
/// does not take them back.
static void keepStatistics(StepBuilder &b, Value skip) {
  llvm::StringMap<Value> states;
  for (const Marked &state : markedArguments(b.func, kStateAttr))
    if (getRole(b.func, state.index) == Role::RunningStatistic)
      states[state.name] = state.value;
  b.signature.changeResults(kUpdatesAttr, [&](StringRef name, Value next) {
    Value old = states.lookup(name);
    return old ? b.keep(skip, old, next) : next;
  });
}

Value graph::decideSkips(StepBuilder &b, TrainingAttr training,
                         Value nonfiniteNorm,
                         MutableArrayRef<UpdateGroup> groups) {
  Value any = anyFoundInf(b, groups);
  Value nonfinite = nonfiniteNorm;
  if (nonfinite) {
    Value no = b.constant(b.builder.getI1Type(), 0);
    nonfinite = b.keep(any, no, nonfinite);
    b.signature.addResult(nonfinite, kOutputAttr,
                          program::kNonfiniteGradOutput);
    keepScaler(b, nonfinite);
  }
  bool moves =
      training.getStep().skippedStatistics == SkippedStatistics::Update;
  keepStatistics(b, moves ? b(nonfinite) : either(b(any), b(nonfinite)));
  for (UpdateGroup &group : groups) {
    bool together = sharesNorm(group) || group.parameters.empty();
    group.skip = either(b(together ? any : group.foundInf), b(nonfinite));
  }
  return nonfinite;
}

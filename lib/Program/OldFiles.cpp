// What files of older versions say otherwise.
#include "Verifier.h"

using namespace mpc;
using namespace mpc::program;

/// Before version 3 the name of a state told what today its role does. The
/// learning rates of parameter groups stay Hyperparameter: without `of`,
/// nothing tells them from that of the default group.
static void upgradeRole(State &state) {
  std::string_view name = state.name()->string_view();
  bool isScale = state.type() == ElementType::F32;
  bool countsSteps = name == "step" || name.ends_with(".step");
  if (state.role() == Role::Scaler && isScale)
    state.mutate_role(Role::LossScale);
  else if (state.role() == Role::Counter && countsSteps)
    state.mutate_role(Role::StepCounter);
  else if (state.role() == Role::Hyperparameter && name == "optimizer.lr")
    state.mutate_role(Role::LearningRate);
}

void program::upgrade(Program &program, uint32_t version) {
  if (version >= 3 || !program.states())
    return;
  auto *states = program.mutable_states();
  for (uint32_t i = 0; i < states->size(); ++i)
    upgradeRole(*states->GetMutableObject(i));
}

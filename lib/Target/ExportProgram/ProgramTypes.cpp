#include "ProgramTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Support/Assert.h"
#include "mpc/Support/DType.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mpc;
using namespace mpc::target;

std::vector<int64_t> target::shapeOf(Type buffer) {
  return cast<mlir::MemRefType>(buffer).getShape().vec();
}

#define MPC_SAME_ROLE(word)                                                    \
  static_assert(static_cast<uint32_t>(graph::Role::word) ==                    \
                static_cast<uint32_t>(program::Role::word))
MPC_SAME_ROLE(Parameter);
MPC_SAME_ROLE(WeightCopy);
MPC_SAME_ROLE(Moment);
MPC_SAME_ROLE(Scaler);
MPC_SAME_ROLE(Counter);
MPC_SAME_ROLE(Hyperparameter);
MPC_SAME_ROLE(Accumulator);
MPC_SAME_ROLE(Compensation);
MPC_SAME_ROLE(LossScale);
MPC_SAME_ROLE(StepCounter);
MPC_SAME_ROLE(LearningRate);
MPC_SAME_ROLE(RandomSeed);
MPC_SAME_ROLE(RandomStep);
MPC_SAME_ROLE(RunningStatistic);
static_assert(graph::getMaxEnumValForRole() ==
              static_cast<uint32_t>(program::Role::MAX));

program::Role target::toProgram(graph::Role role) {
  return static_cast<program::Role>(role);
}

program::MultiTensorKind target::toProgram(exec::MultiTensorKind kind) {
  switch (kind) {
  case exec::MultiTensorKind::UnscaleL2Norm:
    return program::MultiTensorKind::UnscaleL2Norm;
  case exec::MultiTensorKind::AdamW:
    return program::MultiTensorKind::AdamW;
  case exec::MultiTensorKind::Sgd:
    return program::MultiTensorKind::Sgd;
  }
  llvm_unreachable("not a word of the enum");
}

program::ReduceKind target::toProgram(graph::ReduceKind kind) {
  switch (kind) {
  case graph::ReduceKind::Sum:
    return program::ReduceKind::Sum;
  case graph::ReduceKind::Average:
    return program::ReduceKind::Average;
  case graph::ReduceKind::Max:
    return program::ReduceKind::Max;
  }
  llvm_unreachable("not a word of the enum");
}

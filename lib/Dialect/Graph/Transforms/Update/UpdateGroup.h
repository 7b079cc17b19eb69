// The parameters of a step that are updated together: by one optimizer, under
// one clip and schedule, and all or none of them.
//
// `graph.training` describes the default group, which takes what no
// `parameter_group` matches. The parts of the update fill in the values below
// one after the other: found_inf by collectGroups, gradients by clip, skip by
// decideSkips, step by countSteps, lr by setLearningRates.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_UPDATE_UPDATEGROUP_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_UPDATE_UPDATEGROUP_H

#include "StepBuilder.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"

namespace mpc::graph {

struct UpdateGroup {
  StringRef name; ///< Empty: the default group.
  OptimizerAttr optimizer;
  ClipAttr clip;         ///< Or null: gradients are not clipped.
  ScheduleAttr schedule; ///< Or null: the rate stays.
  SmallVector<Marked> parameters;
  SmallVector<Value> gradients; ///< One per parameter, unscaled.

  Value foundInf; ///< i1: one of its gradients is inf or NaN. Null: unchecked.
  Value skip;     ///< i1: its state stays. Null: it never does.
  Value taken;    ///< i32: steps that it took before this one.
  Value step;     ///< i32: the number of this one, from 1.
  Value lr;       ///< f32: the rate of this step.

  /// How state and outputs of the group are called: "step", "decay.step".
  std::string nameOf(StringRef word) const {
    return name.empty() ? word.str() : (name + "." + word).str();
  }
};

/// The groups of a step, the default group first, and their gradients. Frozen
/// parameters are in none. Fails, after an error, where another has no gradient
/// or a group is unscaled in several parts.
FailureOr<SmallVector<UpdateGroup>> collectGroups(mlir::func::FuncOp func,
                                                  TrainingAttr training);

/// Whether an inf or NaN was found in any gradient; null where none is checked.
Value anyFoundInf(StepBuilder &b, ArrayRef<UpdateGroup> groups);

//===-- Parts of the update, in their order -------------------------------===//

/// Takes the outputs of the model that `drop_outputs` matches from an entry
/// that trains. Fails, after an error, where it matches none. (Outputs.cpp)
LogicalResult dropOutputs(mlir::func::FuncOp entry, SignatureEditor &signature,
                          TrainingAttr training);

/// Outputs `gradient.<parameter>` for the parameters that `output_gradients`
/// matches: reduced and unscaled, before they are clipped. Fails, after an
/// error, where it matches none. (Outputs.cpp)
LogicalResult outputGradients(StepBuilder &b, TrainingAttr training,
                              ArrayRef<UpdateGroup> groups);

/// Outputs `grad_norm`, of all gradients before they are clipped, and
/// `<group>.grad_norm`; then clips the gradients. What it returns is set where
/// a norm is not finite that the user wants to be an error, or null where none
/// is to be. (Clip.cpp)
Value clipGradients(StepBuilder &b, TrainingAttr training,
                    MutableArrayRef<UpdateGroup> groups);

/// Whether the group is clipped by the norm of all gradients together.
/// (Clip.cpp)
bool sharesNorm(const UpdateGroup &group);

/// Decides which groups skip this step, given what clipGradients returned, and
/// keeps running statistics then, unless the settings say otherwise. Outputs,
/// where the user wants errors, and returns `nonfinite_grad`: set where all
/// state has to stay. (Skip.cpp)
Value decideSkips(StepBuilder &b, TrainingAttr training, Value nonfiniteNorm,
                  MutableArrayRef<UpdateGroup> groups);

/// State `step` per group, `skipped` and `consecutive_skips`; outputs `step`
/// and `consecutive_skips`. (Counters.cpp)
LogicalResult countSteps(StepBuilder &b, Value nonfinite,
                         MutableArrayRef<UpdateGroup> groups);

/// State `optimizer.lr`, `<group>.lr`: the base rates; outputs `lr`,
/// `<group>.lr`: what the schedule makes of them. (LearningRate.cpp)
LogicalResult setLearningRates(StepBuilder &b,
                               MutableArrayRef<UpdateGroup> groups);

/// The optimizer: moments of all parameters as state, next parameters and next
/// moments. (Parameters.cpp)
LogicalResult updateParameters(StepBuilder &b, ArrayRef<UpdateGroup> groups);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_UPDATE_UPDATEGROUP_H

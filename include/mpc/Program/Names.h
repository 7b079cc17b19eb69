// The protocol of a program, in words: what compiler, runtime and callers call
// its entries and what a step returns. What a state is for is no name, but its
// Role (Program.fbs).
//
// Neither LLVM nor FlatBuffers: both wings and the tools include this.
#ifndef MPC_PROGRAM_NAMES_H
#define MPC_PROGRAM_NAMES_H

#include <string_view>

namespace mpc::program {

//===-- Entries -----------------------------------------------------------===//

/// Computes the states that are derived from others (16-bit copies of weights).
constexpr std::string_view kInitEntry = "init";
/// The outputs of the model.
constexpr std::string_view kForwardEntry = "forward";
/// One micro-batch: adds its gradients and losses to the accumulators.
constexpr std::string_view kAccumulateEntry = "accumulate";
/// One step of training; with micro-batches, the last of them.
constexpr std::string_view kStepEntry = "step";
/// A step that observes its values and changes nothing.
constexpr std::string_view kProbeEntry = "probe";
constexpr std::string_view kEntries[] = {
    kInitEntry, kForwardEntry, kAccumulateEntry, kStepEntry, kProbeEntry};

//===-- Outputs of a step -------------------------------------------------===//

/// f32 or f64: the loss, or the sum of all.
constexpr std::string_view kLossOutput = "loss";
/// f32: the loss scale of this step.
constexpr std::string_view kScaleOutput = "scale";
/// f32: the L2 norm of all gradients, unscaled, before they are clipped.
constexpr std::string_view kGradNormOutput = "grad_norm";
/// i1: a gradient has an inf or NaN.
constexpr std::string_view kFoundInfOutput = "found_inf";
/// f32: the learning rate of this step.
constexpr std::string_view kLrOutput = "lr";
/// i32: steps taken, this one included.
constexpr std::string_view kStepOutput = "step";
/// i32: steps skipped in a row, this one included.
constexpr std::string_view kConsecutiveSkipsOutput = "consecutive_skips";
/// i1: the loss scale wants to shrink and may not.
constexpr std::string_view kScaleAtFloorOutput = "scale_at_floor";
/// i1: a norm that is to be an error is not finite.
constexpr std::string_view kNonfiniteGradOutput = "nonfinite_grad";

/// Those of the step as a whole, all of rank 0. The loss is the model's.
constexpr std::string_view kStepOutputs[] = {kLossOutput,
                                             kScaleOutput,
                                             kGradNormOutput,
                                             kFoundInfOutput,
                                             kLrOutput,
                                             kStepOutput,
                                             kConsecutiveSkipsOutput,
                                             kScaleAtFloorOutput,
                                             kNonfiniteGradOutput};
/// Of each parameter group, after its name and a dot.
constexpr std::string_view kGroupOutputs[] = {kGradNormOutput, kLrOutput,
                                              kStepOutput};
/// Of each loss or parameter, in front of a dot and its name. No group is
/// called so, nor does its name begin so.
constexpr std::string_view kOutputWords[] = {kFoundInfOutput, "gradient",
                                             kScaleOutput};

//===-- Counters ----------------------------------------------------------===//

/// i32: steps taken. A parameter group that may skip alone has one of its own.
constexpr std::string_view kStepState = "step";
/// i32: steps skipped.
constexpr std::string_view kSkippedState = "skipped";
/// i32: steps skipped in a row.
constexpr std::string_view kConsecutiveSkipsState = "consecutive_skips";
/// Those of the step as a whole.
constexpr std::string_view kCounterStates[] = {kStepState, kSkippedState,
                                               kConsecutiveSkipsState};

//===-- Randomness --------------------------------------------------------===//

/// i32: the number that random ops draw by next. Each run of an entry that
/// trains adds one.
constexpr std::string_view kRandomStepState = "random.step";
/// i32: what random ops draw from besides.
constexpr std::string_view kRandomSeedState = "random.seed";

} // namespace mpc::program

#endif // MPC_PROGRAM_NAMES_H

// What a step tells, for the C++ interface (mpc-c/Runtime.hpp).
#ifndef MPC_C_STEPREPORT_HPP
#define MPC_C_STEPREPORT_HPP

#include "mpc-c/StepReport.h"

#include <optional>

namespace mpc::rt {

/// One run of the entry "step"; fields as in mpc_step_report. What the program
/// does not have is missing.
struct StepReport {
  std::optional<double> loss, scale, gradNorm, lr;
  std::optional<bool> foundInf, scaleAtFloor, nonFiniteGrad, nonFiniteLoss;
  std::optional<int64_t> step, consecutiveSkips;

  StepReport() = default;
  explicit StepReport(const mpc_step_report &c) {
    auto put = [&](auto &field, uint32_t bit, auto value) {
      if (c.fields & bit)
        field = value;
    };
    put(loss, MPC_HAS_LOSS, c.loss);
    put(scale, MPC_HAS_SCALE, c.scale);
    put(gradNorm, MPC_HAS_GRAD_NORM, c.grad_norm);
    put(lr, MPC_HAS_LR, c.lr);
    put(foundInf, MPC_HAS_FOUND_INF, c.found_inf != 0);
    put(scaleAtFloor, MPC_HAS_SCALE_AT_FLOOR, c.scale_at_floor != 0);
    put(nonFiniteGrad, MPC_HAS_NONFINITE_GRAD, c.nonfinite_grad != 0);
    put(nonFiniteLoss, MPC_HAS_NONFINITE_LOSS, c.nonfinite_loss != 0);
    put(step, MPC_HAS_STEP, c.step);
    put(consecutiveSkips, MPC_HAS_CONSECUTIVE_SKIPS, c.consecutive_skips);
  }

  /// Whether the step changed nothing, because a gradient was inf or NaN: the
  /// loss scale's skip, or an error of a clip with nonfinite = "error".
  bool wasSkipped() const {
    return foundInf.value_or(false) || nonFiniteGrad.value_or(false);
  }
};

} // namespace mpc::rt

#endif // MPC_C_STEPREPORT_HPP

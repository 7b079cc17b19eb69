// Our scaler under the settings that a user writes: a training step whose
// gradient is its input, scaled by the pass mpc-scale-loss. Whoever executes
// the step, the reference interpreter or compiled kernels, gives the next
// state.
#ifndef MPC_TEST_CONFORMANCE_SCALER_OURSCALER_H
#define MPC_TEST_CONFORMANCE_SCALER_OURSCALER_H

#include "Reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mpc::conformance {

/// The state of a scaler between two steps, and what the last step said.
struct ScalerStep {
  std::map<std::string, reference::Tensor> state; ///< By name.
  bool foundInf = false, atFloor = false;
  /// The gradient of the last step: scaled and unscaled again.
  float gradient = 0;

  double scale() const { return state.at("scaler.scale").value(0); }
  int64_t growthTracker() const {
    return state.at("scaler.growth_tracker").ints[0];
  }
  int64_t hysteresisTracker() const {
    return state.at("scaler.hysteresis_tracker").ints[0];
  }
};

/// Runs a function of `StepPrograms` on arguments.
using Executor = std::function<std::vector<reference::Tensor>(
    const std::string &name, const std::vector<reference::Tensor> &arguments)>;

/// One step function per line of settings: f0, f1, ...
class StepPrograms {
public:
  /// Each of `settings` are options of mpc-scale-loss, such as
  /// "loss-scale=megatron scale-interval=3".
  explicit StepPrograms(const std::vector<std::string> &settings);

  bool isValid() const { return valid; }
  std::string text() const;
  mlir::func::FuncOp function(size_t index) const;
  /// Executes by the reference interpreter.
  Executor reference() const;

  ScalerStep first(size_t index) const;
  /// The step after `before`, whose gradient is `gradient` before it is scaled.
  /// It overflows if that is infinite, or the scale is.
  ScalerStep next(size_t index, const ScalerStep &before, float gradient,
                  const Executor &execute) const;

private:
  MLIRContext context;
  mlir::OwningOpRef<ModuleOp> module;
  bool valid = false;
};

} // namespace mpc::conformance

#endif // MPC_TEST_CONFORMANCE_SCALER_OURSCALER_H

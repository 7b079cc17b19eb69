// Differentiates a model given as text and evaluates it with the reference
// interpreter.
#ifndef MPC_TEST_NUMERICS_GRADIENTS_STEPFIXTURE_H
#define MPC_TEST_NUMERICS_GRADIENTS_STEPFIXTURE_H

#include "Reference/Inputs.h"
#include "Reference/Interpreter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

namespace mpc::gradients {

/// A module with the functions @f and, made by mpc-differentiate, @f_step.
class DifferentiatedModel {
public:
  explicit DifferentiatedModel(const std::string &text);

  /// False if the text did not parse or differentiate; diagnostics went to
  /// stderr.
  explicit operator bool() const { return ok; }

  mlir::func::FuncOp forward() { return find("f"); }
  mlir::func::FuncOp step() { return find("f_step"); }

  /// Result 0 of @f.
  double loss(const std::vector<reference::Tensor> &arguments);
  /// All results of @f_step.
  std::vector<reference::Tensor>
  runStep(const std::vector<reference::Tensor> &arguments,
          reference::Mode mode = reference::Mode::Exact);

private:
  mlir::func::FuncOp find(StringRef name);

  mlir::MLIRContext context;
  mlir::OwningOpRef<ModuleOp> module;
  bool ok = false;
};

/// Checks every gradient of the step against central differences of the loss
/// at `arguments`.
void expectGradientsMatch(DifferentiatedModel &model,
                          const std::vector<reference::Tensor> &arguments);

} // namespace mpc::gradients

#endif // MPC_TEST_NUMERICS_GRADIENTS_STEPFIXTURE_H

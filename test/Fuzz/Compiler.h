// The compiler as a driver calls it: quiet, on one thread, without machine
// code.
#ifndef MPC_TEST_FUZZ_COMPILER_H
#define MPC_TEST_FUZZ_COMPILER_H

#include "mpc/Pipelines/Pipelines.h"

#include <string_view>

namespace mpc::fuzz {

class Compiler {
public:
  Compiler();

  /// Parses `model` and runs the stages after `from`, or all, up to `to`. What
  /// goes wrong is an error diagnostic: a refusal without one ends the driver.
  void compile(std::string_view model, std::optional<Stage> from, Stage to,
               const PipelineOptions &options);

private:
  mlir::MLIRContext context;
  unsigned errors = 0;
};

} // namespace mpc::fuzz

#endif // MPC_TEST_FUZZ_COMPILER_H

// Evaluates functions of graph ops straight from each op's formula. It is the
// oracle of value tests, so it shares nothing with decompositions, kernel
// bodies or emitters: plain loops over doubles, one file per op family.
#ifndef MPC_TEST_REFERENCE_INTERPRETER_H
#define MPC_TEST_REFERENCE_INTERPRETER_H

#include "Reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mpc::reference {

enum class Mode {
  Exact,   ///< All float arithmetic and all float values in f64.
  Rounded, ///< Each op computes in f64, each result is rounded to its type. So
           ///< is what a step of a recurrent op has for the next.
};

/// Results of `function` on `arguments`, one per function argument, of the
/// argument's shape and type. On failure an error was emitted at the op.
FailureOr<std::vector<Tensor>>
evaluate(mlir::func::FuncOp function, std::vector<Tensor> arguments, Mode mode);

} // namespace mpc::reference

#endif // MPC_TEST_REFERENCE_INTERPRETER_H

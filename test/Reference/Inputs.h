// Reproducible arguments for a graph function, and comparison of its results.
#ifndef MPC_TEST_REFERENCE_INPUTS_H
#define MPC_TEST_REFERENCE_INPUTS_H

#include "Reference/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mpc::reference {

struct InputOptions {
  uint64_t seed = 1;
  double low = -1, high = 1; ///< Floats are uniform between these.
};

/// The name that graph.input, graph.parameter or graph.state gives argument
/// `index`, else "arg<index>".
std::string argumentName(mlir::func::FuncOp function, unsigned index);

/// Numbers of argument position `position`; two functions given the same
/// options see the same numbers at the same position, each rounded to its own
/// type. Integers are uniform in [0, labels).
Tensor randomTensor(Type type, unsigned position, int64_t labels,
                    const InputOptions &options);

/// One tensor per argument. States start at their initialiser (zeros, fill) if
/// they have one, weight copies are their
/// parameter; everything else is random, integers within the classes of the
/// losses that use them, else 0 or 1.
std::vector<Tensor> makeInputs(mlir::func::FuncOp function,
                               const InputOptions &options);

/// Makes each weight copy its parameter, rounded.
void copyParameters(mlir::func::FuncOp function, std::vector<Tensor> &inputs);

/// Writes each result marked graph.updates into the argument of that name, so
/// that `arguments` are those of the next step. Weight copies are updates too.
void advance(mlir::func::FuncOp function, ArrayRef<Tensor> results,
             std::vector<Tensor> &arguments);

/// How far two tensors are apart; NaN equals NaN and infinities equal
/// themselves.
struct Difference {
  bool within = true; ///< |a - b| <= atol + rtol * |b| everywhere.
  double largest = 0; ///< Largest |a - b|.
  size_t at = 0;      ///< The element where it is.
};
/// `actual` and `expected` must have equal sizes.
Difference compare(const Tensor &actual, const Tensor &expected, double rtol,
                   double atol);

} // namespace mpc::reference

#endif // MPC_TEST_REFERENCE_INPUTS_H

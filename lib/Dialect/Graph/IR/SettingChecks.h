// Questions that the verifiers of the settings' attributes share.
#ifndef MPC_LIB_DIALECT_GRAPH_IR_SETTINGCHECKS_H
#define MPC_LIB_DIALECT_GRAPH_IR_SETTINGCHECKS_H

#include "mlir/IR/Diagnostics.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"

namespace mpc::graph {

using EmitError = function_ref<InFlightDiagnostic()>;

/// An error unless `word` is one of `words`.
LogicalResult checkWord(EmitError emitError, StringRef field, StringRef word,
                        ArrayRef<StringRef> words);

/// An error unless `value` is in the range of the hyperparameter, or of "lr".
LogicalResult checkHyperparameter(EmitError emitError, StringRef name,
                                  Real value);

/// Arithmetic on the value is f32; it must not begin with infinity.
bool isInRangeOfF32(Real value);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_IR_SETTINGCHECKS_H

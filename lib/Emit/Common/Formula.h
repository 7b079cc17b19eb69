// What a value of a group is made of, asked of the bodies of its ops, not of
// their names.
#ifndef MPC_EMIT_COMMON_FORMULA_H
#define MPC_EMIT_COMMON_FORMULA_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Interfaces/KernelOpInterfaces.h"

namespace mpc::emit {

/// `value` as a function of the elements that `known` names; null if it depends
/// on others, or is no function of elements at its own point.
Value buildFrom(mlir::ImplicitLocOpBuilder &builder, Value value,
                DenseMap<Value, Value> known);

/// Whether `value` is x - max(x) of the elements x of a row, which is at most
/// 0, or NaN.
bool isBelowMaximum(Value value);

} // namespace mpc::emit

#endif // MPC_EMIT_COMMON_FORMULA_H

// How an element changes its number format inside a kernel.
#ifndef MPC_DIALECT_GRAPH_IR_ELEMENTCAST_H
#define MPC_DIALECT_GRAPH_IR_ELEMENTCAST_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// `value`, a scalar or vector in a compute type, as an element of `storage`,
/// given back in the compute type of `storage`: a 16-bit result is rounded here
/// and now. Float to integer truncates; anything to i1 asks whether it is not
/// 0.
Value buildElementCast(mlir::ImplicitLocOpBuilder &builder, Value value,
                       Type storage);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_ELEMENTCAST_H

// How an op becomes kernel code. An op is one of
//   elementwise   has a scalar body (KernelBodyOpInterface),
//   reduction     has a combiner and reduced dims (ReductionOpInterface),
//   movement      has an index map (the Shape family),
//   composite     says what it is made of (DecomposableOpInterface),
//   library call  matmul and its like.
// Emitters and the grouping analysis ask these interfaces and name no op.
#ifndef MPC_INTERFACES_KERNELOPINTERFACES_H
#define MPC_INTERFACES_KERNELOPINTERFACES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc {

/// How a reduction combines two elements. Neutral: 0 and -inf (or the smallest
/// integer).
enum class ReductionCombiner { Add, Max };

/// The type in which kernels compute on elements of type `storage`: f32 for
/// f16 and bf16, the type itself otherwise. Loads extend, stores round.
Type getComputeType(Type storage);

} // namespace mpc

#include "mpc/Interfaces/KernelOpInterfaces.h.inc"

#endif // MPC_INTERFACES_KERNELOPINTERFACES_H

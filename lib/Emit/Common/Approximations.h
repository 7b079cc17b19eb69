// Functions that kernels may approximate, since what they store is rounded
// more.
#ifndef MPC_EMIT_COMMON_APPROXIMATIONS_H
#define MPC_EMIT_COMMON_APPROXIMATIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Dialect/Graph/Analysis/KernelShape.h"

namespace mpc::emit {

/// Of which values of a group's body a few digits less will do: where all that
/// they reach is rounded to 16 bits or fewer, as they are themselves or on the
/// way to a result of the group. Of use where rounding is fused: with strict
/// rounding what an op is off by is to be seen beside the rounding of its own
/// result.
class Approximations {
public:
  Approximations(Block &body, const graph::KernelShape &shape);
  /// Whether it is so of the results of `op` where they are computed in
  /// `sweep`, for this one and later ones; 0: outside of sweeps.
  bool allow(Operation *op, unsigned sweep = 0) const;

private:
  /// Of values with a way to a result on which nothing has 16 bits: the last
  /// sweep that goes on along such a way, which a sum may end.
  DenseMap<Value, unsigned> isWideUntil;
};

/// Calls `build`, which adds code where the builder stands, and if `isAllowed`
/// tells those who lower it that its exponentials and error functions of f32
/// may have fewer digits (fastmath<afn>).
void buildApproximately(mlir::ImplicitLocOpBuilder &builder, bool isAllowed,
                        function_ref<void()> build);

/// Takes that back, in the finished code of a kernel, where the digits of an
/// error function near 0 matter.
void keepDigitsNearZero(Operation *kernel);

} // namespace mpc::emit

#endif // MPC_EMIT_COMMON_APPROXIMATIONS_H

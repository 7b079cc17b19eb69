// How many bytes a tensor has, and how many it may have.
//
// Every op of the dialects verifies that each of its tensors stays within
// kMaxTensorBytes, so that passes may add and multiply bytes and elements of
// single tensors in 64 bits. The functions here never wrap: of a type that
// nobody has verified they answer INT64_MAX.
#ifndef MPC_INTERFACES_TENSORBYTES_H
#define MPC_INTERFACES_TENSORBYTES_H

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc {

/// 4 TiB, for one tensor: more than a machine has for it.
constexpr int64_t kMaxTensorBytes = int64_t(1) << 42;

/// 256 TiB, for all tensors of a model or all buffers of a plan together. The
/// runtime refuses programs that need more.
constexpr int64_t kMaxModelBytes = int64_t(1) << 48;

/// Bytes of one element in memory: an i1 takes a whole byte.
int64_t getElementBytes(Type element);

/// Bytes of `shape` with such elements, or INT64_MAX if they are more. Dynamic
/// dims count as none.
int64_t getStoredBytes(ArrayRef<int64_t> shape, Type element);
int64_t getStoredBytes(mlir::ShapedType type);

/// a + b, or INT64_MAX; of numbers that are not negative.
int64_t addBytes(int64_t a, int64_t b);

/// Fails with an error if `type` is a tensor or buffer above the limit.
LogicalResult verifyTensorBytes(Type type,
                                function_ref<InFlightDiagnostic()> emitError);

/// The same for every operand and result of `op`.
LogicalResult verifyTensorBytes(Operation *op);

/// On ops: their tensors are within the limit.
template <typename ConcreteOp>
class BoundedTensors
    : public mlir::OpTrait::TraitBase<ConcreteOp, BoundedTensors> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return verifyTensorBytes(op);
  }
};

} // namespace mpc

#endif // MPC_INTERFACES_TENSORBYTES_H

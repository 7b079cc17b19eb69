// How the point evaluator reads and writes memory: what differs between a CPU,
// whose vectors have masks, and a thread of a GPU, which has a predicate.
#ifndef MPC_EMIT_COMMON_MEMORY_H
#define MPC_EMIT_COMMON_MEMORY_H

#include "Scope.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mpc::emit {

class Memory {
public:
  virtual ~Memory() = default;

  /// Whether neighbours are read under a mask in about the time of whole
  /// vectors.
  virtual bool hasMasks() const { return false; }
  /// The elements of the flat `memref` at `address`, `stride` apart: one, or in
  /// a vector scope `lanes` of them. Where the scope's mask or predicate does
  /// not hold, nothing is read and the answer is 0.
  virtual Value read(Value memref, Value address, int64_t stride,
                     const Scope &scope) = 0;
  /// The elements at `address` + `offsets`, one for each lane, likewise.
  virtual Value readEach(Value memref, Value address, Value offsets,
                         const Scope &scope) = 0;
  /// Writes `value`, which is in the memref's element type, likewise.
  virtual void write(Value memref, Value address, int64_t stride, Value value,
                     const Scope &scope) = 0;
};

/// All elements of `memref`, in row-major order, with one dim.
Value flatten(mlir::ImplicitLocOpBuilder &builder, Value memref);

/// The neighbouring elements at `address` of each of `memrefs`.
SmallVector<Value> readAt(Memory &memory, ArrayRef<Value> memrefs,
                          Value address, const Scope &scope);
/// Writes one of `values` to each of `memrefs`.
void writeAt(Memory &memory, ArrayRef<Value> memrefs, Value address,
             ArrayRef<Value> values, const Scope &scope);

/// 0, `stride`, 2 * `stride`, ... as integers of `bits` bits.
Value buildLaneOffsets(mlir::ImplicitLocOpBuilder &builder, int64_t lanes,
                       int64_t stride, unsigned bits);

/// Lanes `from` of the `vectors`, which are counted as if they were one.
Value pickLanes(mlir::ImplicitLocOpBuilder &builder, ArrayRef<Value> vectors,
                ArrayRef<int64_t> from);

/// `element`, or a vector of `lanes` of it.
Type getLanesType(Type element, int64_t lanes);

} // namespace mpc::emit

#endif // MPC_EMIT_COMMON_MEMORY_H

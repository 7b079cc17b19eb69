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

/// How a reduction combines two elements.
enum class ReductionCombiner {
  Add,
  Multiply,
  Max,
  /// Of two operands: the largest element of the first and the element of the
  /// second, an index, that stands beside it. NaN is the largest of all; of
  /// equals, the one with the smallest index.
  MaxWithIndex,
  MinWithIndex ///< The same of the smallest element; NaN is the smallest.
};

/// Where the elements of a movement's result come from.
struct Movement {
  enum class Kind {
    Strided,      ///< transpose, broadcast, slice: `dims`, `offsets`, `steps`
    Reshape,      ///< the operand's elements in row-major order
    InsertSlices, ///< concat, pad: operand k at `insertions[k]`, zero elsewhere
    Index,        ///< iota: the index along result dim `dims[0]`
    Gather,       ///< operand 0 at the indices of operand 1 along `indexedDim`
    Window        ///< the operand where it is, something else beside it
  };
  Kind kind;
  /// Strided: for each result dim the operand dim it runs along, or -1 if the
  /// result repeats. Operand dims that no result dim names are at `offsets`.
  /// Gather: the same, of operand 0, or -1 if it runs along the indices.
  /// Window: 0, 1, ...
  SmallVector<int64_t> dims;
  /// Strided: for each operand dim the first index that is read.
  /// Window: for each dim what is added to the index, or subtracted.
  SmallVector<int64_t> offsets;
  /// InsertSlices: for each operand the result index of its first element.
  SmallVector<SmallVector<int64_t>> insertions;
  /// Gather: the dim of operand 0 that the indices run along; in the result
  /// theirs begin there.
  int64_t indexedDim = 0;
  /// Strided, Window: for each operand dim how far the next index lies; none:
  /// 1 each.
  SmallVector<int64_t> steps = {};
  /// Window: for each dim how far apart elements of the operand lie. Element i
  /// is at (i * steps + offsets) / spread, if that is whole and inside.
  SmallVector<int64_t> spread = {};
  /// Window: whether elements fill the way to the next one; and what stands
  /// where none is: the smallest element there is, or 0.
  bool repeats = false, isLowest = false;

  int64_t getStep(size_t dim) const { return steps.empty() ? 1 : steps[dim]; }
};

/// What a library call can do to its result before storing it. Addend adds a
/// tensor of the result's type. GeluTanhBackward multiplies it with the
/// derivative of gelu at another tensor.
enum class Epilogue {
  Bias,
  Relu,
  GeluErf,
  GeluTanh,
  Tanh,
  Sigmoid,
  GeluTanhBackward,
  Addend
};

struct StridedShape;
struct TargetDescription;

/// The type in which kernels compute on elements of type `storage`: f32 for
/// f16 and bf16, the type itself otherwise. Loads extend, stores round.
Type getComputeType(Type storage);

/// Fails, after an error, where the results of `op` have several shapes.
LogicalResult verifyKernelBody(Operation *op);

/// Marks ops whose body is worth storing rather than computing again.
template <typename ConcreteOp>
class CostlyBody : public mlir::OpTrait::TraitBase<ConcreteOp, CostlyBody> {};

/// Marks ops whose result is their first operand, after the others.
template <typename ConcreteOp>
class OrdersOnly : public mlir::OpTrait::TraitBase<ConcreteOp, OrdersOnly> {};

/// Marks ops whose result is a sum of products of elements of both operands.
template <typename ConcreteOp>
class SumsProducts : public mlir::OpTrait::TraitBase<ConcreteOp, SumsProducts> {
};

/// Marks ops whose result jumps where operands are equal.
template <typename ConcreteOp>
class ComparesExactly
    : public mlir::OpTrait::TraitBase<ConcreteOp, ComparesExactly> {};

} // namespace mpc

#include "mpc/Interfaces/KernelOpInterfaces.h.inc"

#endif // MPC_INTERFACES_KERNELOPINTERFACES_H

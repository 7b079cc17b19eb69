// How one op iterates, and where its operands and its result lie in that
// iteration. The ground on which kernels are grouped, shaped and emitted; asks
// the interfaces of Interfaces/KernelOpInterfaces.h and names no op.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_OPINDEXING_H
#define MPC_DIALECT_GRAPH_ANALYSIS_OPINDEXING_H

#include "mpc/Interfaces/KernelOpInterfaces.h"

namespace mpc::graph {

/// What an op is to a kernel.
enum class OpForm {
  Pointwise, ///< elementwise, broadcast, transposed rows, added unit dims
  Reduction, ///< folds some of its dims
  Slice,     ///< an operand of the kernel read with other strides and offset,
             ///< or through a window
  Gather,    ///< an operand of the kernel read at indices
  Index,     ///< iota: lives in every kernel
  Splat,     ///< constant of equal elements: lives in every kernel
  View,      ///< reshape, order: no work
  Transpose, ///< moves the innermost dim: a kernel of its own
  InsertSlices, ///< concat, pad: a kernel of its own
  SegmentSum,   ///< a kernel of its own
  Library,      ///< matmul
  Outside       ///< collectives, terminators, constants that are not splats
};
OpForm getOpForm(Operation *op);

/// Whether an op of `form` reads operand `number` elsewhere than the kernel is:
/// it must be an operand of the kernel, which addresses it for that op alone.
bool isAddressedApart(OpForm form, unsigned number);

/// Whether `op` has no operands and every kernel makes its result anew: splats
/// and indices.
bool isMadeInKernel(Operation *op);

/// Whether kernels compute `op` beside others.
bool isFusible(Operation *op);

/// What no kernel can join, and what every value in flight is stored across: a
/// library call, and what runs outside, but for constants.
bool isFence(Operation *op);

/// Whether `op` is cheap and reads less than it writes, as a cast to a wider
/// type does: whoever reads its result had better compute it.
bool isWidening(Operation *op);

/// The iteration of a Pointwise, Reduction, Slice, Gather, Index or Transpose
/// op. Dims of size 1 do not take part: they are never looped over.
///   graph.add : (4x1x8, 8) -> 4x1x8    sizes [4, 8], operands [[0,-1,1], [1]]
struct OpIndexing {
  /// Iteration sizes, outermost first, each greater than 1.
  SmallVector<int64_t> sizes;
  /// Whether the op folds along the iteration dim.
  SmallVector<bool> reduced;
  /// Per operand and per dim of it: the iteration dim it runs along, or -1.
  /// Empty for what isAddressedApart.
  SmallVector<SmallVector<int>> operands;
  /// The same for the result.
  SmallVector<int> result;
  /// Of a fold in parts: how many rows, indices of the dims that the result
  /// lacks, it folds into each; that is no `reduced` dim. 0: of no such.
  int64_t rowsPerPart = 0;
};
OpIndexing getOpIndexing(Operation *op);

/// Whether `op` folds floats, so that the last bits of its result depend on the
/// order. With rounding = strict it is a kernel of its own, whose order depends
/// on the shape and the target alone.
bool foldsFloats(Operation *op);

/// Distance in elements between neighbours along each dim, row-major.
SmallVector<int64_t> getRowMajorStrides(ArrayRef<int64_t> shape);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_OPINDEXING_H

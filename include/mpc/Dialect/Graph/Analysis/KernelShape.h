// The shape of a kernel: the iteration space of a row, column or move group,
// how it is cut into work items, and where every tensor lies in it.
//
// The space has dims of sizes > 1. Dims over which reductions of the group fold
// are *reduced*; the others are *item* dims. All tensors are addressed through
// it: element = offset + sum over dims of stride * index, so that broadcasts,
// slices, added unit dims and transposed rows cost nothing.
//   row group     the vector axis is reduced, or nothing is: a work item is
//                 one index of the item dims (whose innermost, if it is the
//                 axis, is cut into segments), or, where some results are folds
//                 in parts, as many indices as a part has rows
//   column group  the axis is an item dim: a work item is one segment of it
//                 and all indices of the reduced dims, in ascending order
//   move group    one transpose (as a row group), concat or pad (a work item is
//                 one innermost row of the result), or segment sum
//                 (SegmentSums.h)
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_KERNELSHAPE_H
#define MPC_DIALECT_GRAPH_ANALYSIS_KERNELSHAPE_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

namespace mpc::graph {
class GroupOp;

struct SpaceDim {
  int64_t size;
  bool reduced;
};

/// Along a dim, a tensor seen through a window: element i of it is, if that is
/// whole and there, (i * step + offset) / spread.
struct WindowDim {
  int dim; ///< Of the space; -1: i is 0.
  int64_t step, offset, spread;
  int64_t size;         ///< Elements that are there,
  int64_t stride;       ///< so far from each other.
  bool repeats = false; ///< Rounded down, not whole.

  bool operator==(const WindowDim &) const = default;
};

/// Where a tensor lies in the space, in elements.
struct Access {
  /// One per dim of the space; 0: repeats. Along a dim of `window` that of the
  /// tensor, or -1, but never 1: it is not read so.
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  /// Dims along which it may end, or have gaps, and whether the smallest
  /// element stands there or 0.
  SmallVector<WindowDim, 0> window = {};
  bool isLowest = false;
  /// Of a gather: the body's value that says how many `indexStride` further it
  /// lies, and how many there are. Null: no further.
  Value index = {};
  int64_t indexStride = 0, numIndexed = 0;
  /// Of a fold in parts: how far the next part lies. 0: it is none.
  int64_t partStride = 0;

  bool operator==(const Access &) const = default;
};

/// The planner may give operand and result one buffer: the kernel reads each
/// element of the operand for the last time before, and in the same work item
/// as, it writes the element of the result at the same place.
struct InPlacePair {
  unsigned operand;
  unsigned result;
};

struct KernelShape {
  GroupKind kind;
  /// Item dims, outermost first, then reduced dims, outermost first.
  SmallVector<SpaceDim> dims;
  unsigned numItemDims = 0;
  /// The dim that vectors run along; -1 in a kernel of scalars.
  int axis = -1;
  /// Elements of the axis in one work item; 0 if the axis is reduced.
  int64_t segment = 0;

  /// Items, in their order, that are folded into one part and are one work
  /// item; 0: results are no folds in parts.
  int64_t rowsPerPart = 0;

  /// Work items [0, extent) may run in any order, on any thread.
  int64_t extent = 1;
  /// Work items that one task should take: about 16k elements.
  int64_t grain = 1;
  SmallVector<InPlacePair> inPlacePairs;
  int64_t bytesRead = 0;
  int64_t bytesWritten = 0;

  /// Of the values that are addressed: block arguments, slices, gathers and
  /// iotas (for the latter, the "element" is the index itself).
  DenseMap<Value, Access> accesses;
  /// Of the results of the group, by number.
  SmallVector<Access> results;
  /// Dims that a value of the body varies along, one bit each.
  DenseMap<Value, uint64_t> varies;
  /// Reductions that a value of the body waits for, one after the other.
  DenseMap<Value, unsigned> depths;
  /// Sweeps over the reduced dims in which a value that varies along them is
  /// needed; bit s: while reductions of depth s are folded and results of depth
  /// s - 1 stored.
  DenseMap<Value, uint64_t> sweeps;

  /// Whether the body's `value` changes while an item sweeps its reduced dims.
  bool isSwept(Value value) const { return varies.lookup(value) & ~itemMask(); }
  /// The same for the element of result `number`.
  bool isSweptResult(unsigned number) const;
  uint64_t itemMask() const { return (uint64_t(1) << numItemDims) - 1; }
  uint64_t allMask() const { return (uint64_t(1) << dims.size()) - 1; }
  bool isReducedAxis() const { return axis >= int(numItemDims); }
  /// Whether result `number` is a fold in parts.
  bool isPartial(unsigned number) const {
    return results[number].partStride != 0;
  }
  /// Indices of the item dims.
  int64_t numItems() const;
  /// Pieces that the axis is cut into; 1 if it is reduced or absent.
  int64_t numSegments() const;

  /// The shape of `group`; an error on the op that does not fit the space. Not
  /// for library groups, which have no space.
  static FailureOr<KernelShape> get(GroupOp group);
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_KERNELSHAPE_H

// How result shapes follow from operand shapes. Shared by type inference,
// verifiers and rewrites; knows no op.
#ifndef MPC_DIALECT_GRAPH_IR_SHAPEINFERENCE_H
#define MPC_DIALECT_GRAPH_IR_SHAPEINFERENCE_H

#include "mpc/Interfaces/LLVM.h"
#include <optional>

namespace mpc::graph {

using Shape = SmallVector<int64_t>;

/// The shape to which all of `shapes` broadcast by NumPy's rule, or failure.
///   [64, 1, 8] and [3, 1]  ->  [64, 3, 8]
FailureOr<Shape> broadcastShapes(ArrayRef<ArrayRef<int64_t>> shapes);

/// Appends the type of an elementwise result: the shape to which `operands`
/// broadcast, of `element`; an error at `loc` if there is none.
LogicalResult inferBroadcast(std::optional<Location> loc, ValueRange operands,
                             Type element, SmallVectorImpl<Type> &types);

/// `shape` without the (ascending, unique) `dims`, or with them at size 1.
Shape reducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims,
                   bool keepDims);

/// How many elements of a tensor of `shape` become one, reduced over `dims`.
int64_t countReduced(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims);

/// Whether `dims` are ascending, unique and within `rank`.
bool areValidDims(ArrayRef<int64_t> dims, int64_t rank);

/// "64x128" ; "scalar" for rank 0. For diagnostics.
std::string toString(ArrayRef<int64_t> shape);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_SHAPEINFERENCE_H

// Shapes that nodes say, for what they convert and for what they compute.
#ifndef MPC_LIB_IMPORT_ONNX_TARGETS_H
#define MPC_LIB_IMPORT_ONNX_TARGETS_H

#include "Node.h"

namespace mpc::onnx {

/// The elements of a slice: of each dim `sizes`, from `starts` in `steps`,
/// which may be negative. A size may be 0.
struct SliceRange {
  Shape starts, sizes, steps;
};

// Of an operand of `shape`. They refuse what is not possible.
FailureOr<Shape> readReshape(Node &n, ArrayRef<int64_t> shape);
FailureOr<Shape> readFlatten(Node &n, ArrayRef<int64_t> shape);
FailureOr<Shape> readSqueeze(Node &n, ArrayRef<int64_t> shape);
FailureOr<Shape> readUnsqueeze(Node &n, ArrayRef<int64_t> shape);
FailureOr<Shape> readExpand(Node &n, ArrayRef<int64_t> shape);
FailureOr<Shape> readPermutation(Node &n, int64_t rank);
FailureOr<SliceRange> readSlice(Node &n, ArrayRef<int64_t> shape);
/// Dims that a reduction folds.
FailureOr<Shape> readReduced(Node &n, int64_t rank);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_TARGETS_H

// What ops say of windows, read and checked: shared by the inference of
// convolutions and of pooling.
#ifndef MPC_LIB_DIALECT_GRAPH_IR_OPS_SPACE_WINDOWNUMBERS_H
#define MPC_LIB_DIALECT_GRAPH_IR_OPS_SPACE_WINDOWNUMBERS_H

#include "mlir/IR/Diagnostics.h"
#include "mpc/Dialect/Graph/IR/Ops/Space/Windows.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

namespace mpc::graph {

using MaybeNumbers = std::optional<ArrayRef<int64_t>>;
using MaybeLoc = std::optional<Location>;

ArrayRef<int64_t> shapeOf(Value tensor);

/// How many dims of space `tensor` has, a `word` like "an input"; an error
/// unless they are one to three.
FailureOr<size_t> countSpaceDims(MaybeLoc loc, StringRef word, Value tensor);

/// `shape` with other sizes of space.
Shape withSpace(ArrayRef<int64_t> shape, bool channelsLast,
                ArrayRef<int64_t> space);

/// `given`, or `least` for each of `rank` dims of space; an error if those are
/// not as many, or less.
FailureOr<SmallVector<int64_t>> readNumbers(MaybeLoc loc, StringRef word,
                                            MaybeNumbers given, size_t rank,
                                            int64_t least);

/// How far the elements of a window reach, without overflow.
int64_t dilate(int64_t kernel, int64_t dilation);

/// Sizes in space of what windows of `kernel` make; failure where none fits.
/// With `ceil` a last one may reach over the end, and none begins behind it
/// (PyTorch's and ONNX' rule).
FailureOr<Shape> slideWindows(const SpaceWindows &windows,
                              ArrayRef<int64_t> space, ArrayRef<int64_t> kernel,
                              bool ceil = false);

/// TensorFlow's SAME, ONNX' SAME_UPPER: as many places beside the input as it
/// takes.
void padToSame(SpaceWindows &windows, ArrayRef<int64_t> space,
               ArrayRef<int64_t> kernel);

/// [batch, channels, space...], or [results, channels, kernel...], in the order
/// of `windows`.
Shape makeShape(const SpaceWindows &windows, int64_t batch, int64_t channels,
                ArrayRef<int64_t> space);

/// An error: no window fits.
LogicalResult refuseKernel(MaybeLoc loc, ArrayRef<int64_t> kernel,
                           const SpaceWindows &windows, ArrayRef<int64_t> space,
                           StringRef beside);

/// All that an op says of windows, for tensors of `rank` dims of space.
template <typename Adaptor>
FailureOr<SpaceWindows> readWindows(MaybeLoc loc, Adaptor op, size_t rank) {
  FailureOr<SmallVector<int64_t>>
      strides = readNumbers(loc, "strides", op.getStrides(), rank, 1),
      dilations = readNumbers(loc, "dilations", op.getDilations(), rank, 1),
      low = readNumbers(loc, "low", op.getLow(), rank, 0),
      high = readNumbers(loc, "high", op.getHigh(), rank, 0);
  if (failed(strides) || failed(dilations) || failed(low) || failed(high))
    return failure();
  return SpaceWindows{*strides, *low, *high, *dilations, op.getChannelsLast()};
}

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_IR_OPS_SPACE_WINDOWNUMBERS_H

#include "WindowNumbers.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::graph;

/// Of no use beyond; sums and products of two fit 64 bits.
static constexpr int64_t kMaxNumber = (int64_t(1) << 31) - 1;

ArrayRef<int64_t> graph::shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

FailureOr<size_t> graph::countSpaceDims(MaybeLoc loc, StringRef word,
                                        Value tensor) {
  size_t rank = shapeOf(tensor).size();
  if (rank >= 3 && rank <= 5)
    return rank - 2;
  return mlir::emitOptionalError(
      loc, "expected ", word,
      " of rank 3, 4 or 5 (batch, channels and space), but got ",
      toString(shapeOf(tensor)));
}

Shape graph::withSpace(ArrayRef<int64_t> shape, bool channelsLast,
                       ArrayRef<int64_t> space) {
  Shape result(shape);
  llvm::copy(space, result.begin() + firstSpaceDimOf(channelsLast));
  return result;
}

FailureOr<SmallVector<int64_t>> graph::readNumbers(MaybeLoc loc, StringRef word,
                                                   MaybeNumbers given,
                                                   size_t rank, int64_t least) {
  if (!given)
    return SmallVector<int64_t>(rank, least);
  auto isValid = [&](int64_t number) {
    return number >= least && number <= kMaxNumber;
  };
  if (given->size() != rank || !llvm::all_of(*given, isValid)) {
    if (loc)
      mlir::emitError(*loc)
          << "expected '" << word << "' to be " << rank << " numbers of "
          << least << " to " << kMaxNumber
          << ", one for each dim of space, but got [" << *given << "]";
    return failure();
  }
  return SmallVector<int64_t>(*given);
}

int64_t graph::dilate(int64_t kernel, int64_t dilation) {
  int64_t reach = 0;
  return llvm::MulOverflow(kernel - 1, dilation, reach) ||
                 reach > (int64_t(1) << 62)
             ? int64_t(1) << 62
             : reach + 1;
}

FailureOr<Shape> graph::slideWindows(const SpaceWindows &windows,
                                     ArrayRef<int64_t> space,
                                     ArrayRef<int64_t> kernel, bool ceil) {
  Shape sizes;
  for (size_t dim = 0; dim < windows.rank(); ++dim) {
    int64_t stride = windows.strides[dim], before = windows.low[dim];
    int64_t room = space[dim] + before + windows.high[dim] -
                   dilate(kernel[dim], windows.dilations[dim]);
    int64_t count = llvm::divideFloorSigned(room, stride) + 1;
    if (ceil) {
      int64_t beforeEnd = llvm::divideCeilSigned(space[dim] + before, stride);
      count = std::min(llvm::divideCeilSigned(room, stride) + 1, beforeEnd);
    }
    if (count < 1)
      return failure();
    sizes.push_back(count);
  }
  return sizes;
}

void graph::padToSame(SpaceWindows &windows, ArrayRef<int64_t> space,
                      ArrayRef<int64_t> kernel) {
  for (size_t dim = 0; dim < windows.rank(); ++dim) {
    int64_t stride = windows.strides[dim];
    int64_t last = (llvm::divideCeil(space[dim], stride) - 1) * stride;
    int64_t beside = std::max<int64_t>(
        0, last + dilate(kernel[dim], windows.dilations[dim]) - space[dim]);
    windows.low[dim] = beside / 2;
    windows.high[dim] = beside - beside / 2;
  }
}

Shape graph::makeShape(const SpaceWindows &windows, int64_t batch,
                       int64_t channels, ArrayRef<int64_t> space) {
  Shape shape = {batch};
  shape.append(space.begin(), space.end());
  shape.insert(shape.begin() + windows.channelDim(), channels);
  return shape;
}

LogicalResult graph::refuseKernel(MaybeLoc loc, ArrayRef<int64_t> kernel,
                                  const SpaceWindows &windows,
                                  ArrayRef<int64_t> space, StringRef beside) {
  if (loc)
    mlir::emitError(*loc)
        << "expected a kernel that is no longer than the input with its "
        << beside << ", but got " << toString(kernel) << " with dilations ["
        << windows.dilations << "] and an input of " << toString(space)
        << " with low = [" << windows.low << "] high = [" << windows.high
        << "]";
  return failure();
}

// Family Convolution: type inference.
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "../Bias.h"
#include "WindowNumbers.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
/// All that an op says of windows, for tensors of `rank` dims of space.
template <typename Adaptor>
FailureOr<ConvolutionWindows> readGroups(MaybeLoc loc, Adaptor op,
                                         size_t rank) {
  FailureOr<SpaceWindows> windows = readWindows(loc, op, rank);
  if (failed(windows))
    return failure();
  auto groups = static_cast<int64_t>(op.getGroups().value_or(1));
  if (groups < 1)
    return mlir::emitOptionalError(loc, "expected 1 or more groups, but got ",
                                   groups);
  return ConvolutionWindows{*windows, groups};
}

/// Dims of space of an input; an error unless `other`, a `word`, has as many
/// dims, and there are some.
FailureOr<size_t> countSharedDims(MaybeLoc loc, Value input, StringRef word,
                                  Value other) {
  size_t rank = shapeOf(input).size();
  if (rank < 3 || rank > 5 || shapeOf(other).size() != rank)
    return mlir::emitOptionalError(loc,
                                   "expected an input of rank 3, 4 or 5 "
                                   "(batch, channels and space) and a ",
                                   word, " of the same rank, but got ",
                                   toString(shapeOf(input)), " and ",
                                   toString(shapeOf(other)));
  return rank - 2;
}

/// The result's type, whose elements are the operands' unless `op` says others.
template <typename Adaptor>
LogicalResult addType(MaybeLoc loc, Adaptor op, Value operand,
                      const Shape &shape, SmallVectorImpl<Type> &types) {
  Type element = mlir::getElementTypeOrSelf(operand);
  Type result = op.getDtype().value_or(element);
  if (result.isF64() != element.isF64())
    return mlir::emitOptionalError(
        loc, "expected dtype f64 exactly for f64 operands, but got dtype ",
        result, " and operands of ", element);
  types.push_back(RankedTensorType::get(shape, result));
  return success();
}

LogicalResult checkGroups(MaybeLoc loc, int64_t groups, StringRef word,
                          int64_t channels) {
  if (channels % groups == 0)
    return success();
  return mlir::emitOptionalError(loc, "expected ", groups,
                                 " groups to divide the ", word, ", but got ",
                                 channels);
}
} // namespace

LogicalResult ConvolutionOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                              Adaptor op,
                                              SmallVectorImpl<Type> &types) {
  FailureOr<size_t> rank =
      countSharedDims(loc, op.getInput(), "weight", op.getWeight());
  if (failed(rank))
    return failure();
  FailureOr<ConvolutionWindows> windows = readGroups(loc, op, *rank);
  if (failed(windows))
    return failure();
  if (op.getSame() && (op.getLow() || op.getHigh()))
    return mlir::emitOptionalError(
        loc, "expected `same`, which chooses `low` and `high`, or those, but "
             "got both");
  ArrayRef<int64_t> input = shapeOf(op.getInput()),
                    weight = shapeOf(op.getWeight());
  ArrayRef<int64_t> space = windows->spaceOf(input),
                    kernel = windows->spaceOf(weight);
  int64_t channels = input[windows->channelDim()];
  if (failed(checkGroups(loc, windows->groups, "channels of the input",
                         channels)) ||
      failed(checkGroups(loc, windows->groups, "channels of the result",
                         weight[0])))
    return failure();
  int64_t channelDim = windows->channelDim();
  if (weight[channelDim] != channels / windows->groups)
    return mlir::emitOptionalError(
        loc, "expected a weight with the ", channels / windows->groups,
        " input channels of a group in dim ", channelDim, ", but got ",
        toString(weight), " beside ", channels, " channels of the input and ",
        windows->groups, " groups");
  if (op.getSame())
    padToSame(*windows, space, kernel);
  FailureOr<Shape> sizes = slideWindows(*windows, space, kernel);
  if (failed(sizes))
    return refuseKernel(loc, kernel, *windows, space, "zeros");
  if (failed(checkBias(loc, op.getBias(), weight[0], "channel", op.getInput())))
    return failure();
  return addType(loc, op, op.getInput(),
                 makeShape(*windows, input[0], weight[0], *sizes), types);
}

/// The smallest sizes from which a convolution makes `space`; failure where
/// zeros around them would be all there is.
static FailureOr<Shape> slideBack(const ConvolutionWindows &windows,
                                  ArrayRef<int64_t> space,
                                  ArrayRef<int64_t> kernel) {
  Shape sizes;
  for (size_t dim = 0; dim < windows.rank(); ++dim) {
    int64_t reach = 0, stride = windows.strides[dim];
    if (llvm::MulOverflow(space[dim] - 1, stride, reach))
      return failure();
    int64_t zeros = windows.low[dim] + windows.high[dim];
    int64_t length = dilate(kernel[dim], windows.dilations[dim]);
    if (llvm::AddOverflow(reach, length, reach) || reach - zeros < 1)
      return failure();
    sizes.push_back(reach - zeros);
  }
  return sizes;
}

LogicalResult TransposedConvolutionOp::inferReturnTypes(
    MLIRContext *, MaybeLoc loc, Adaptor op, SmallVectorImpl<Type> &types) {
  FailureOr<size_t> rank =
      countSharedDims(loc, op.getInput(), "weight", op.getWeight());
  if (failed(rank))
    return failure();
  FailureOr<ConvolutionWindows> windows = readGroups(loc, op, *rank);
  if (failed(windows))
    return failure();
  ArrayRef<int64_t> input = shapeOf(op.getInput()),
                    weight = shapeOf(op.getWeight());
  ArrayRef<int64_t> space = windows->spaceOf(input),
                    kernel = windows->spaceOf(weight);
  int64_t channels = input[windows->channelDim()];
  if (failed(
          checkGroups(loc, windows->groups, "channels of the input", channels)))
    return failure();
  if (weight[0] != channels)
    return mlir::emitOptionalError(loc, "expected a weight with the ", channels,
                                   " channels of the input in dim 0, but got ",
                                   toString(weight));
  FailureOr<SmallVector<int64_t>> sizes =
      op.getSizes() ? readNumbers(loc, "sizes", op.getSizes(), *rank, 1)
                    : slideBack(*windows, space, kernel);
  if (failed(sizes)) {
    if (!op.getSizes())
      (void)mlir::emitOptionalError(
          loc,
          "expected a result with an element left in each dim of space, "
          "but `low` of ",
          toString(windows->low), " and `high` of ", toString(windows->high),
          " cut off all of it; got an input of ", toString(space),
          " and a kernel of ", toString(kernel));
    return failure();
  }
  FailureOr<Shape> back = slideWindows(*windows, *sizes, kernel);
  if (failed(back) || ArrayRef(*back) != space)
    return mlir::emitOptionalError(
        loc, "expected sizes of which a convolution makes ", toString(space),
        ", the input's, but got ", toString(*sizes), ", of which it makes ",
        failed(back) ? "nothing" : toString(*back));
  int64_t results = weight[windows->channelDim()] * windows->groups;
  if (failed(checkBias(loc, op.getBias(), results, "channel", op.getInput())))
    return failure();
  return addType(loc, op, op.getInput(),
                 makeShape(*windows, input[0], results, *sizes), types);
}

LogicalResult ConvolutionWeightGradientOp::inferReturnTypes(
    MLIRContext *, MaybeLoc loc, Adaptor op, SmallVectorImpl<Type> &types) {
  FailureOr<size_t> rank =
      countSharedDims(loc, op.getInput(), "cotangent", op.getCotangent());
  if (failed(rank))
    return failure();
  FailureOr<ConvolutionWindows> windows = readGroups(loc, op, *rank);
  FailureOr<SmallVector<int64_t>> kernel =
      readNumbers(loc, "kernel", op.getKernel(), *rank, 1);
  if (failed(windows) || failed(kernel))
    return failure();
  ArrayRef<int64_t> input = shapeOf(op.getInput()),
                    cotangent = shapeOf(op.getCotangent());
  int64_t channels = input[windows->channelDim()],
          results = cotangent[windows->channelDim()];
  if (failed(checkGroups(loc, windows->groups, "channels of the input",
                         channels)) ||
      failed(checkGroups(loc, windows->groups, "channels of the cotangent",
                         results)))
    return failure();
  FailureOr<Shape> sizes =
      slideWindows(*windows, windows->spaceOf(input), *kernel);
  if (failed(sizes))
    return refuseKernel(loc, *kernel, *windows, windows->spaceOf(input),
                        "zeros");
  Shape expected = makeShape(*windows, input[0], results, *sizes);
  if (ArrayRef(expected) != cotangent)
    return mlir::emitOptionalError(
        loc, "expected a cotangent of ", toString(expected),
        ", as the convolution's result is, but got ", toString(cotangent));
  Shape weight =
      makeShape(*windows, results, channels / windows->groups, *kernel);
  return addType(loc, op, op.getInput(), weight, types);
}

ConvolutionWindows ConvolutionOp::getWindows() {
  ArrayRef<int64_t> input = shapeOf(getInput());
  ConvolutionWindows windows =
      *readGroups(std::nullopt, *this, input.size() - 2);
  if (getSame())
    padToSame(windows, windows.spaceOf(input),
              windows.spaceOf(shapeOf(getWeight())));
  return windows;
}
ConvolutionWindows TransposedConvolutionOp::getWindows() {
  return *readGroups(std::nullopt, *this, shapeOf(getInput()).size() - 2);
}
ConvolutionWindows ConvolutionWeightGradientOp::getWindows() {
  return *readGroups(std::nullopt, *this, shapeOf(getInput()).size() - 2);
}

bool ConvolutionOp::isRetypeable(unsigned index) {
  return isProductOperandRetypeable(*this, index);
}
bool TransposedConvolutionOp::isRetypeable(unsigned index) {
  return isProductOperandRetypeable(*this, index);
}

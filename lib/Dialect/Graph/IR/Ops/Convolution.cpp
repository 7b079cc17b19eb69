// Family Convolution: type inference.
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
using Numbers = std::optional<ArrayRef<int64_t>>;
using MaybeLoc = std::optional<Location>;

/// Of no use beyond; sums and products of two fit 64 bits.
constexpr int64_t kMaxNumber = (int64_t(1) << 31) - 1;

ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// `given`, or `fallback` for each dim of space; an error if those are not as
/// many, or out of range.
FailureOr<SmallVector<int64_t>> readNumbers(MaybeLoc loc, StringRef word,
                                            Numbers given, size_t rank,
                                            int64_t least) {
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

/// All that an op says of windows, for tensors of `rank` dims of space.
template <typename Adaptor>
FailureOr<ConvolutionWindows> readWindows(MaybeLoc loc, Adaptor op,
                                          size_t rank) {
  FailureOr<SmallVector<int64_t>>
      strides = readNumbers(loc, "strides", op.getStrides(), rank, 1),
      dilations = readNumbers(loc, "dilations", op.getDilations(), rank, 1),
      low = readNumbers(loc, "low", op.getLow(), rank, 0),
      high = readNumbers(loc, "high", op.getHigh(), rank, 0);
  if (failed(strides) || failed(dilations) || failed(low) || failed(high))
    return failure();
  auto groups = static_cast<int64_t>(op.getGroups().value_or(1));
  if (groups < 1)
    return mlir::emitOptionalError(loc, "expected 1 or more groups, but got ",
                                   groups);
  return ConvolutionWindows{*strides,   *low,   *high,
                            *dilations, groups, op.getChannelsLast()};
}

/// Dims of space of an input; an error unless `other`, a `word`, has as many
/// dims, and there are some.
FailureOr<size_t> countSpaceDims(MaybeLoc loc, Value input, StringRef word,
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

/// How far the elements of a window reach, without overflow.
int64_t dilate(int64_t kernel, int64_t dilation) {
  int64_t reach = 0;
  return llvm::MulOverflow(kernel - 1, dilation, reach) ||
                 reach > (int64_t(1) << 62)
             ? int64_t(1) << 62
             : reach + 1;
}

/// Sizes of the result of a convolution in space; failure where no window fits.
FailureOr<Shape> slideWindows(const ConvolutionWindows &windows,
                              ArrayRef<int64_t> space,
                              ArrayRef<int64_t> kernel) {
  Shape sizes;
  for (size_t dim = 0; dim < windows.rank(); ++dim) {
    int64_t room = space[dim] + windows.low[dim] + windows.high[dim] -
                   dilate(kernel[dim], windows.dilations[dim]);
    if (room < 0)
      return failure();
    sizes.push_back(room / windows.strides[dim] + 1);
  }
  return sizes;
}

/// TensorFlow's SAME, ONNX' SAME_UPPER: as many zeros as it takes.
void padToSame(ConvolutionWindows &windows, ArrayRef<int64_t> space,
               ArrayRef<int64_t> kernel) {
  for (size_t dim = 0; dim < windows.rank(); ++dim) {
    int64_t stride = windows.strides[dim];
    int64_t last = (llvm::divideCeil(space[dim], stride) - 1) * stride;
    int64_t zeros = std::max<int64_t>(
        0, last + dilate(kernel[dim], windows.dilations[dim]) - space[dim]);
    windows.low[dim] = zeros / 2;
    windows.high[dim] = zeros - zeros / 2;
  }
}

/// [batch, channels, space...], or [results, channels, kernel...], in the order
/// of `windows`.
Shape makeShape(const ConvolutionWindows &windows, int64_t batch,
                int64_t channels, ArrayRef<int64_t> space) {
  Shape shape = {batch};
  shape.append(space.begin(), space.end());
  shape.insert(shape.begin() + windows.channelDim(), channels);
  return shape;
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

LogicalResult refuseKernel(MaybeLoc loc, ArrayRef<int64_t> kernel,
                           const ConvolutionWindows &windows,
                           ArrayRef<int64_t> space) {
  if (loc)
    mlir::emitError(*loc)
        << "expected a kernel that is no longer than the input with its zeros, "
           "but got "
        << toString(kernel) << " with dilations [" << windows.dilations
        << "] and an input of " << toString(space) << " with low = ["
        << windows.low << "] high = [" << windows.high << "]";
  return failure();
}
} // namespace

LogicalResult ConvolutionOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                              Adaptor op,
                                              SmallVectorImpl<Type> &types) {
  FailureOr<size_t> rank =
      countSpaceDims(loc, op.getInput(), "weight", op.getWeight());
  if (failed(rank))
    return failure();
  FailureOr<ConvolutionWindows> windows = readWindows(loc, op, *rank);
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
    return refuseKernel(loc, kernel, *windows, space);
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
      countSpaceDims(loc, op.getInput(), "weight", op.getWeight());
  if (failed(rank))
    return failure();
  FailureOr<ConvolutionWindows> windows = readWindows(loc, op, *rank);
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
          "but `low` and `high` cut off all of it; got an input of ",
          toString(space), " and a kernel of ", toString(kernel));
    return failure();
  }
  FailureOr<Shape> back = slideWindows(*windows, *sizes, kernel);
  if (failed(back) || ArrayRef(*back) != space)
    return mlir::emitOptionalError(
        loc, "expected sizes of which a convolution makes ", toString(space),
        ", the input's, but got ", toString(*sizes), ", of which it makes ",
        failed(back) ? "nothing" : toString(*back));
  return addType(loc, op, op.getInput(),
                 makeShape(*windows, input[0],
                           weight[windows->channelDim()] * windows->groups,
                           *sizes),
                 types);
}

LogicalResult ConvolutionWeightGradientOp::inferReturnTypes(
    MLIRContext *, MaybeLoc loc, Adaptor op, SmallVectorImpl<Type> &types) {
  FailureOr<size_t> rank =
      countSpaceDims(loc, op.getInput(), "cotangent", op.getCotangent());
  if (failed(rank))
    return failure();
  FailureOr<ConvolutionWindows> windows = readWindows(loc, op, *rank);
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
    return refuseKernel(loc, *kernel, *windows, windows->spaceOf(input));
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
      *readWindows(std::nullopt, *this, input.size() - 2);
  if (getSame())
    padToSame(windows, windows.spaceOf(input),
              windows.spaceOf(shapeOf(getWeight())));
  return windows;
}
ConvolutionWindows TransposedConvolutionOp::getWindows() {
  return *readWindows(std::nullopt, *this, shapeOf(getInput()).size() - 2);
}
ConvolutionWindows ConvolutionWeightGradientOp::getWindows() {
  return *readWindows(std::nullopt, *this, shapeOf(getInput()).size() - 2);
}

// Weighted sums over windows.
#include "../../Tables.h"
#include "Windows.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::onnx;

/// Of strides and the like, so that products of two fit.
static constexpr int64_t kLargest = int64_t(1) << 30;

FailureOr<Windows> mpc::onnx::readWindows(Node &n, ArrayRef<int64_t> kernel) {
  size_t rank = kernel.size();
  Windows windows;
  windows.kernel.assign(kernel.begin(), kernel.end());
  windows.strides = n.integers("strides").value_or(Shape(rank, 1));
  windows.dilations = n.integers("dilations").value_or(Shape(rank, 1));
  Shape pads = n.integers("pads").value_or(Shape(2 * rank, 0));
  std::string automatic = n.text("auto_pad", "NOTSET");
  if (windows.strides.size() != rank || windows.dilations.size() != rank ||
      pads.size() != 2 * rank)
    return n.refuse("expected a stride, a dilation and two pads for each dim "
                    "of space");
  auto isBad = [](int64_t number) { return number < 1 || number > kLargest; };
  if (llvm::any_of(kernel, isBad) || llvm::any_of(windows.strides, isBad) ||
      llvm::any_of(windows.dilations, isBad))
    return n.refuse("expected a kernel, strides and dilations from 1 to 2^30");
  auto isFar = [](int64_t number) {
    return number < -kLargest || number > kLargest;
  };
  if (llvm::any_of(pads, isFar))
    return n.refuse("expected pads of at most 2^30");
  windows.low.assign(pads.begin(), pads.begin() + rank);
  windows.high.assign(pads.begin() + rank, pads.end());
  windows.isSame = automatic == "SAME_UPPER";
  windows.isSameLower = automatic == "SAME_LOWER";
  if (automatic == "VALID") {
    windows.low.assign(rank, 0);
    windows.high.assign(rank, 0);
  } else if (!windows.isSame && !windows.isSameLower && automatic != "NOTSET") {
    return n.refuse("unknown auto_pad '" + automatic + "'");
  }
  return windows;
}

void Windows::choose(ArrayRef<int64_t> space) {
  if (!isSame && !isSameLower)
    return;
  for (auto [dim, size] : llvm::enumerate(space)) {
    int64_t count = (size + strides[dim] - 1) / strides[dim];
    int64_t reach =
        (count - 1) * strides[dim] + (kernel[dim] - 1) * dilations[dim] + 1;
    int64_t more = std::max<int64_t>(0, reach - size);
    low[dim] = isSameLower ? more - more / 2 : more / 2;
    high[dim] = more - low[dim];
  }
}

/// Input, weight and, if there is one that is not zero, `bias`.
static SmallVector<Value> operandsOf(Expr x, Expr weight, Expr bias) {
  SmallVector<Value> operands = {x, weight};
  if (bias)
    operands.push_back(bias);
  return operands;
}

/// `bias` added to each channel, where the convolution itself cannot: behind
/// zeros that are no part of it.
static Expr addBias(Node &n, Expr y, Expr bias) {
  if (!y || !bias)
    return y;
  Shape shape(y.rank(), 1);
  shape[1] = bias.numElements();
  return n.op("add", {y, n.reshape(bias, shape)});
}

/// The kernel, which the weight has too; refuses if they differ.
static FailureOr<Shape> readKernel(Node &n, Expr weight) {
  if (!weight || weight.rank() < 3)
    return n.isRefused() ? failure()
                         : n.refuse("expected a weight with dims of space");
  Shape kernel(weight.shape().drop_front(2));
  if (n.integers("kernel_shape").value_or(kernel) != kernel)
    return n.refuse("expected kernel_shape to be that of the weight");
  return kernel;
}

namespace {
/// What both kinds of a layer begin with.
struct Layer {
  Expr x, weight;
  Windows windows;
};
} // namespace

static FailureOr<Layer> readLayer(Node &n) {
  Expr x = n.floating(0), weight = n.floating(1);
  FailureOr<Shape> kernel = readKernel(n, weight);
  if (!x || failed(kernel))
    return failure();
  FailureOr<Windows> windows = readWindows(n, *kernel);
  if (failed(windows))
    return failure();
  if (x.rank() != weight.rank())
    return n.refuse("expected an operand and a weight of one rank");
  return Layer{x, weight, std::move(*windows)};
}

static LogicalResult convertConv(Node &n) {
  FailureOr<Layer> layer = readLayer(n);
  if (failed(layer))
    return failure();
  auto &[x, weight, windows] = *layer;
  windows.choose(x.shape().drop_front(2));
  Expr bias = n.isZero(2) ? Expr() : n.floating(2);
  Expr y = n.op("convolution", operandsOf(x, weight, bias),
                {{"strides", n.ints(windows.strides)},
                 {"low", n.ints(windows.low)},
                 {"high", n.ints(windows.high)},
                 {"dilations", n.ints(windows.dilations)},
                 {"groups", n.integerAttr(n.integer("group", 1))}});
  return n.set(0, y);
}

namespace {
/// Sizes of the result of a transposed convolution, and what is cut off of it.
struct Result {
  Shape sizes, low, high;
  Shape beyond; ///< Zeros behind what the windows reach.
};
} // namespace

static FailureOr<Result> readResult(Node &n, Windows &w,
                                    ArrayRef<int64_t> space) {
  size_t rank = space.size();
  Shape more = n.integers("output_padding").value_or(Shape(rank, 0));
  std::optional<Shape> asked = n.integers("output_shape");
  if (more.size() != rank || (asked && asked->size() < rank))
    return n.refuse("expected a size for each dim of space");
  auto isBad = [](int64_t number) { return number < 0 || number > kLargest; };
  if (llvm::any_of(more, isBad) || (asked && llvm::any_of(*asked, isBad)))
    return n.refuse("expected sizes from 0 to 2^30");
  Result result{Shape(rank), w.low, w.high, Shape(rank, 0)};
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t reach = (space[dim] - 1) * w.strides[dim] +
                    (w.kernel[dim] - 1) * w.dilations[dim] + 1;
    int64_t wanted = -1;
    if (asked)
      wanted = (*asked)[asked->size() - rank + dim];
    else if (w.isSame || w.isSameLower)
      wanted = space[dim] * w.strides[dim];
    if (wanted >= 0) { // pads follow from the size
      int64_t cut = std::max<int64_t>(0, reach + more[dim] - wanted);
      result.low[dim] = w.isSame ? cut / 2 : cut - cut / 2;
      result.high[dim] = cut - result.low[dim];
    } else {
      wanted = reach + more[dim] - w.low[dim] - w.high[dim];
    }
    int64_t natural = reach - result.low[dim] - result.high[dim];
    int64_t beyond = std::max<int64_t>(0, wanted - natural);
    if (beyond >= w.strides[dim]) { // more than one window's beginning
      result.beyond[dim] = beyond - (w.strides[dim] - 1);
      wanted -= result.beyond[dim];
    }
    if (wanted < 1)
      return n.refuse("the result has no elements");
    result.sizes[dim] = wanted;
  }
  return result;
}

static LogicalResult convertConvTranspose(Node &n) {
  FailureOr<Layer> layer = readLayer(n);
  if (failed(layer))
    return failure();
  auto &[x, weight, windows] = *layer;
  FailureOr<Result> result = readResult(n, windows, x.shape().drop_front(2));
  if (failed(result))
    return failure();
  bool isLonger =
      llvm::any_of(result->beyond, [](int64_t size) { return size > 0; });
  Expr bias = n.isZero(2) ? Expr() : n.floating(2);
  Expr y = n.op("transposed_convolution",
                operandsOf(x, weight, isLonger ? Expr() : bias),
                {{"sizes", n.ints(result->sizes)},
                 {"strides", n.ints(windows.strides)},
                 {"low", n.ints(result->low)},
                 {"high", n.ints(result->high)},
                 {"dilations", n.ints(windows.dilations)},
                 {"groups", n.integerAttr(n.integer("group", 1))}});
  if (y && isLonger) {
    Shape low(x.rank(), 0), high = {0, 0};
    high.append(result->beyond);
    y = n.op("pad", {y}, {{"low", n.ints(low)}, {"high", n.ints(high)}});
    y = addBias(n, y, bias);
  }
  return n.set(0, y);
}

ArrayRef<Converter> mpc::onnx::convolutionConverters() {
  static constexpr Converter rows[] = {
      {"Conv", 1, convertConv}, {"ConvTranspose", 1, convertConvTranspose}};
  return rows;
}

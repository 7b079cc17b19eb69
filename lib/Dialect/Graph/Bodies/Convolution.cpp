// Family Convolution: what the library does besides.
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "mpc/Interfaces/StridedShape.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "mpc/Text/TypeText.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
bool isComputed(const TargetDescription &target, Type element) {
  std::optional<DType> type = parseDType(toString(element));
  return type && target.convolves(*type) && target.multiplies(*type);
}

/// Dims by how far their elements lie apart, the nearest first; those of size 1
/// are nowhere. Nothing if there are gaps.
std::optional<SmallVector<size_t>> getOrder(const StridedShape &lies) {
  SmallVector<size_t> dims;
  for (size_t dim = 0; dim < lies.shape.size(); ++dim)
    if (lies.shape[dim] != 1)
      dims.push_back(dim);
  llvm::sort(dims, [&](size_t a, size_t b) {
    return lies.strides[a] < lies.strides[b];
  });
  int64_t dense = 1;
  for (size_t dim : dims) {
    if (lies.strides[dim] != dense)
      return std::nullopt;
    dense *= lies.shape[dim];
  }
  return lies.offset == 0 ? std::optional(dims) : std::nullopt;
}

/// Whether a tensor lies as a library takes it: without gaps, channels first or
/// last. oneDNN, which brings weights into an order of its own, has kernels for
/// tensors that lie alike; for others it has the definition alone, a thousand
/// times slower than a transpose.
template <typename Op>
bool isReadInPlace(const TargetDescription &target, Op op, unsigned index,
                   const StridedShape &lies) {
  if (index > 1) // a bias
    return false;
  std::optional<SmallVector<size_t>> order = getOrder(lies);
  bool isWeight = index == 1 && !isa<ConvolutionWeightGradientOp>(op);
  if (!order || (isWeight && target.reordersWeights))
    return order.has_value();
  ConvolutionWindows windows = op.getWindows();
  auto channels = static_cast<size_t>(windows.channelDim()),
       space = static_cast<size_t>(windows.firstSpaceDim());
  auto isOrder = [&](bool isLast) {
    SmallVector<size_t> wanted; // the nearest first
    for (size_t dim = windows.rank(); dim-- > 0;)
      wanted.push_back(space + dim);
    wanted.insert(isLast ? wanted.begin() : wanted.end(), channels);
    wanted.push_back(0);
    llvm::erase_if(wanted, [&](size_t dim) { return lies.shape[dim] == 1; });
    return wanted == *order;
  };
  if (target.reordersWeights)
    return isOrder(windows.channelsLast);
  return isOrder(true) || isOrder(false);
}

/// A product and a sum for each element of `result`, channel of a group and
/// element of the kernel.
double countProducts(Value weight, Value result) {
  auto numElements = [](Value tensor) {
    return static_cast<double>(
        cast<RankedTensorType>(tensor.getType()).getNumElements());
  };
  auto channels = static_cast<double>(
      cast<RankedTensorType>(weight.getType()).getDimSize(0));
  return 2 * numElements(result) * numElements(weight) / channels;
}
} // namespace

// None yet: functions are kernels behind it, and a bias is an operand.
bool ConvolutionOp::supportsEpilogue(const TargetDescription &, Epilogue) {
  return false;
}
bool TransposedConvolutionOp::supportsEpilogue(const TargetDescription &,
                                               Epilogue) {
  return false;
}
bool ConvolutionWeightGradientOp::supportsEpilogue(const TargetDescription &,
                                                   Epilogue) {
  return false;
}

bool ConvolutionOp::readsInPlace(const TargetDescription &target,
                                 unsigned index, const StridedShape &lies) {
  return isReadInPlace(target, *this, index, lies);
}
bool TransposedConvolutionOp::readsInPlace(const TargetDescription &target,
                                           unsigned index,
                                           const StridedShape &lies) {
  return isReadInPlace(target, *this, index, lies);
}
bool ConvolutionWeightGradientOp::readsInPlace(const TargetDescription &target,
                                               unsigned index,
                                               const StridedShape &lies) {
  return isReadInPlace(target, *this, index, lies);
}

/// Where weights are brought into another order anyway, their gradients come
/// back from it.
bool ConvolutionWeightGradientOp::writesInPlace(const TargetDescription &target,
                                                unsigned,
                                                const StridedShape &lies) {
  return target.reordersWeights && getOrder(lies).has_value();
}

bool ConvolutionOp::computesIn(const TargetDescription &target, Type element) {
  return isComputed(target, element);
}
bool TransposedConvolutionOp::computesIn(const TargetDescription &target,
                                         Type element) {
  return isComputed(target, element);
}
bool ConvolutionWeightGradientOp::computesIn(const TargetDescription &target,
                                             Type element) {
  return isComputed(target, element);
}

double ConvolutionOp::countFlops() {
  return countProducts(getWeight(), getResult());
}
double TransposedConvolutionOp::countFlops() {
  return countProducts(getWeight(), getInput());
}
double ConvolutionWeightGradientOp::countFlops() {
  return countProducts(getResult(), getCotangent());
}

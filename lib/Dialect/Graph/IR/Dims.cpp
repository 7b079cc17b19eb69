// Ops that say something of their dims: what changes with another size of them,
// or with another order.
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h"
#include "mpc/Dialect/Graph/IR/Ops/Random.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "mpc/Dialect/Graph/IR/Ops/Space/Pooling.h"
#include "mpc/Dialect/Graph/IR/Ops/Space/Resize.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;

//===-- Another size: graph.constant -------------------------------------===//

/// The number of the element of `shape` that stands at 0 along `dim` and
/// otherwise where element `index` does.
static int64_t projectAlong(ArrayRef<int64_t> shape, int64_t dim,
                            int64_t index) {
  int64_t stride = 1;
  for (int64_t size : shape.drop_front(dim + 1))
    stride *= size;
  return index - index / stride % shape[dim] * stride;
}

/// Elements that are not literal (resources) may be anything.
bool ConstantOp::isFreeAlong(int64_t dim) {
  auto elements = dyn_cast<mlir::DenseElementsAttr>(getValue());
  if (!elements || elements.isSplat())
    return elements != nullptr;
  ArrayRef<int64_t> shape = elements.getType().getShape();
  auto values = elements.getValues<Attribute>();
  for (int64_t i = 0, e = elements.getNumElements(); i < e; ++i)
    if (values[i] != values[projectAlong(shape, dim, i)])
      return false;
  return true;
}

/// Each element of the new tensor is the old one at the same place, or at 0
/// along dims that end before.
void ConstantOp::resize(RankedTensorType type) {
  auto elements = cast<mlir::DenseElementsAttr>(getValue());
  if (elements.isSplat()) {
    elements = elements.resizeSplat(type);
  } else {
    ArrayRef<int64_t> from = elements.getType().getShape();
    auto values = elements.getValues<Attribute>();
    SmallVector<Attribute> resized(type.getNumElements());
    for (auto [number, element] : llvm::enumerate(resized)) {
      int64_t rest = static_cast<int64_t>(number), stride = 1, source = 0;
      for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
        int64_t index = rest % type.getDimSize(dim);
        rest /= type.getDimSize(dim);
        source += (index < from[dim] ? index : 0) * stride;
        stride *= from[dim];
      }
      element = values[source];
    }
    elements = mlir::DenseElementsAttr::get(type, resized);
  }
  setValueAttr(elements);
  getResult().setType(type);
}

//===-- Another size: movements ------------------------------------------===//

bool IotaOp::isFreeAlong(int64_t) { return true; }
void IotaOp::resize(RankedTensorType type) { getResult().setType(type); }

bool UniformOp::isFreeAlong(int64_t) { return true; }
void UniformOp::resize(RankedTensorType type) { getResult().setType(type); }
bool NormalOp::isFreeAlong(int64_t) { return true; }
void NormalOp::resize(RankedTensorType type) { getResult().setType(type); }
bool BernoulliOp::isFreeAlong(int64_t) { return true; }
void BernoulliOp::resize(RankedTensorType type) { getResult().setType(type); }

bool BroadcastOp::isFreeAlong(int64_t dim) {
  auto from = getInput().getType(), to = getResult().getType();
  int64_t source = dim - (to.getRank() - from.getRank());
  return source < 0 || from.getDimSize(source) == 1;
}
void BroadcastOp::resize(RankedTensorType type) { getResult().setType(type); }

bool SliceOp::isFreeAlong(int64_t) { return false; }
void SliceOp::resize(RankedTensorType type) {
  setSizes(type.getShape());
  getResult().setType(type);
}

bool WindowOp::isFreeAlong(int64_t) { return false; }
void WindowOp::resize(RankedTensorType type) {
  setSizes(type.getShape());
  getResult().setType(type);
}

/// Where dim `dim` has gone.
static int64_t find(ArrayRef<int64_t> permutation, int64_t dim) {
  return llvm::find(permutation, dim) - permutation.begin();
}

/// One number for each dim, in its place.
static SmallVector<int64_t> permute(ArrayRef<int64_t> numbers,
                                    ArrayRef<int64_t> permutation) {
  return llvm::map_to_vector(permutation,
                             [&](int64_t dim) { return numbers[dim]; });
}

//===-- Another order: reductions ----------------------------------------===//

/// Of what is not reduced, the order is the same among each other.
static SmallVector<int64_t> dropReduced(ArrayRef<int64_t> permutation,
                                        ArrayRef<int64_t> dims, bool keeps) {
  if (keeps)
    return SmallVector<int64_t>(permutation);
  SmallVector<int64_t> left;
  for (int64_t dim : permutation)
    if (!llvm::is_contained(dims, dim))
      left.push_back(dim - llvm::count_if(dims, [&](int64_t reduced) {
                       return reduced < dim;
                     }));
  return left;
}

static SmallVector<int64_t> renameReduced(ArrayRef<int64_t> permutation,
                                          ArrayRef<int64_t> dims) {
  SmallVector<int64_t> renamed = llvm::map_to_vector(
      dims, [&](int64_t dim) { return find(permutation, dim); });
  llvm::sort(renamed);
  return renamed;
}

#define MPC_PERMUTE_REDUCTION(Op)                                              \
  SmallVector<int64_t> Op::permuteResult(ArrayRef<int64_t> permutation) {      \
    return dropReduced(permutation, getDims(), getKeepDims());                 \
  }                                                                            \
  void Op::permuteDims(ArrayRef<int64_t> permutation) {                        \
    setDims(renameReduced(permutation, getDims()));                            \
  }
MPC_PERMUTE_REDUCTION(SumOp)
MPC_PERMUTE_REDUCTION(MeanOp)
MPC_PERMUTE_REDUCTION(ProdOp)
MPC_PERMUTE_REDUCTION(MaxOp)
MPC_PERMUTE_REDUCTION(MinOp)
#undef MPC_PERMUTE_REDUCTION

//===-- Another order: movements -----------------------------------------===//

void SliceOp::permuteDims(ArrayRef<int64_t> permutation) {
  setOffsets(permute(getOffsets(), permutation));
  setSizes(permute(getSizes(), permutation));
  if (getSteps())
    setSteps(permute(*getSteps(), permutation));
}

void WindowOp::permuteDims(ArrayRef<int64_t> permutation) {
  setOffsets(permute(getOffsets(), permutation));
  setSizes(permute(getSizes(), permutation));
  if (getSteps())
    setSteps(permute(*getSteps(), permutation));
  if (getSpread())
    setSpread(permute(*getSpread(), permutation));
}

void PadOp::permuteDims(ArrayRef<int64_t> permutation) {
  setLow(permute(getLow(), permutation));
  setHigh(permute(getHigh(), permutation));
}

void ConcatOp::permuteDims(ArrayRef<int64_t> permutation) {
  setDim(find(permutation, static_cast<int64_t>(getDim())));
}

//===-- Another order: channels ------------------------------------------===//

bool ConvolutionOp::isChannelsLast() { return getChannelsLast(); }
void ConvolutionOp::moveChannelsLast() { setChannelsLast(true); }
bool TransposedConvolutionOp::isChannelsLast() { return getChannelsLast(); }
void TransposedConvolutionOp::moveChannelsLast() { setChannelsLast(true); }
bool ConvolutionWeightGradientOp::isChannelsLast() { return getChannelsLast(); }
void ConvolutionWeightGradientOp::moveChannelsLast() { setChannelsLast(true); }

#define MPC_FOLLOW_CHANNELS(Op)                                                \
  bool Op::isChannelsLast() { return getChannelsLast(); }                      \
  void Op::moveChannelsLast() { setChannelsLast(true); }                       \
  bool Op::wantsChannelsLast() { return false; }
MPC_FOLLOW_CHANNELS(GroupNormOp)
MPC_FOLLOW_CHANNELS(InstanceNormOp)
MPC_FOLLOW_CHANNELS(BatchNormOp)
MPC_FOLLOW_CHANNELS(ChannelMomentsOp)
MPC_FOLLOW_CHANNELS(ChannelSumsOp)
MPC_FOLLOW_CHANNELS(MaxPoolOp)
MPC_FOLLOW_CHANNELS(AveragePoolOp)
MPC_FOLLOW_CHANNELS(AdaptiveMaxPoolOp)
MPC_FOLLOW_CHANNELS(AdaptiveAveragePoolOp)
MPC_FOLLOW_CHANNELS(MaxPoolGradientOp)
MPC_FOLLOW_CHANNELS(ResizeNearestOp)
MPC_FOLLOW_CHANNELS(ResizeLinearOp)
MPC_FOLLOW_CHANNELS(ResizeCubicOp)
MPC_FOLLOW_CHANNELS(ResizeGradientOp)
MPC_FOLLOW_CHANNELS(PixelShuffleOp)
MPC_FOLLOW_CHANNELS(PixelUnshuffleOp)
#undef MPC_FOLLOW_CHANNELS

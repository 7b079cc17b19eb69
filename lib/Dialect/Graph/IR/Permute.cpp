// Ops that name dims, with their operands' dims in another order; and those
// that have channels.
#include "mpc/Dialect/Graph/IR/Ops/Convolution.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"

using namespace mpc;
using namespace mpc::graph;

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

//===-- Reductions -------------------------------------------------------===//

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

//===-- Movements --------------------------------------------------------===//

void SliceOp::permuteDims(ArrayRef<int64_t> permutation) {
  setOffsets(permute(getOffsets(), permutation));
  setSizes(permute(getSizes(), permutation));
}

void PadOp::permuteDims(ArrayRef<int64_t> permutation) {
  setLow(permute(getLow(), permutation));
  setHigh(permute(getHigh(), permutation));
}

void ConcatOp::permuteDims(ArrayRef<int64_t> permutation) {
  setDim(find(permutation, static_cast<int64_t>(getDim())));
}

//===-- Channels ---------------------------------------------------------===//

bool ConvolutionOp::isChannelsLast() { return getChannelsLast(); }
void ConvolutionOp::moveChannelsLast() { setChannelsLast(true); }
bool TransposedConvolutionOp::isChannelsLast() { return getChannelsLast(); }
void TransposedConvolutionOp::moveChannelsLast() { setChannelsLast(true); }
bool ConvolutionWeightGradientOp::isChannelsLast() { return getChannelsLast(); }
void ConvolutionWeightGradientOp::moveChannelsLast() { setChannelsLast(true); }

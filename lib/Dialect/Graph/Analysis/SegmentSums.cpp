#include "mpc/Dialect/Graph/Analysis/SegmentSums.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::graph;

// What an item writes at least, and how often as much as the indices it reads.
constexpr int64_t kElementsPerItem = 16384, kElementsPerIndex = 8;
constexpr int64_t kAfterPerItem = 256;

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t elements = 1;
  for (int64_t size : sizes)
    elements *= size;
  return elements;
}

SegmentSums::SegmentSums(SegmentSumOpInterface op)
    : ignored(op.getIgnoredIndex()) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  ArrayRef<int64_t> result = shapeOf(op->getResult(0));
  int64_t dim = op.getSegmentDim();
  before = product(result.take_front(dim));
  numIndices = product(shapeOf(op->getOperand(1)));
  numSegments = result[dim];
  after = product(result.drop_front(dim + 1));
  afterPerItem = std::min(after, kAfterPerItem);
  int64_t wanted = std::max(kElementsPerItem, kElementsPerIndex * numIndices);
  segmentsPerItem =
      std::min<int64_t>(numSegments, llvm::divideCeil(wanted, afterPerItem));
}

int64_t SegmentSums::numSegmentBlocks() const {
  return llvm::divideCeil(numSegments, segmentsPerItem);
}

int64_t SegmentSums::numAfterRanges() const {
  return llvm::divideCeil(after, afterPerItem);
}

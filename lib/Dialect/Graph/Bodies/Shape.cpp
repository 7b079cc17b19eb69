// Family Shape: where the elements of results come from.
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"

using namespace mpc;
using namespace mpc::graph;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Movement IotaOp::getMovement() {
  return {Movement::Kind::Index, {int64_t(getDim())}, {}, {}};
}

Movement ReshapeOp::getMovement() {
  return {Movement::Kind::Reshape, {}, {}, {}};
}

Movement TransposeOp::getMovement() {
  SmallVector<int64_t> zeros(getPermutation().size(), 0);
  return {Movement::Kind::Strided,
          SmallVector<int64_t>(getPermutation()),
          zeros,
          {}};
}

Movement BroadcastOp::getMovement() {
  RankedTensorType from = typeOf(getInput()), to = typeOf(getResult());
  int64_t lead = to.getRank() - from.getRank();
  SmallVector<int64_t> dims(lead, -1);
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    bool repeats = from.getDimSize(dim) != to.getDimSize(lead + dim);
    dims.push_back(repeats ? -1 : dim);
  }
  SmallVector<int64_t> zeros(from.getRank(), 0);
  return {Movement::Kind::Strided, dims, zeros, {}};
}

Movement SliceOp::getMovement() {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, getOffsets().size()));
  Movement movement{
      Movement::Kind::Strided, dims, SmallVector<int64_t>(getOffsets()), {}};
  if (getSteps())
    movement.steps.assign(getSteps()->begin(), getSteps()->end());
  return movement;
}

Movement WindowOp::getMovement() {
  size_t rank = getOffsets().size();
  Movement movement{Movement::Kind::Window,
                    llvm::to_vector(llvm::seq<int64_t>(0, rank)),
                    SmallVector<int64_t>(getOffsets()),
                    {}};
  for (size_t dim = 0; dim < rank; ++dim) {
    movement.steps.push_back(getStep(dim));
    movement.spread.push_back(getSpread(dim));
  }
  movement.repeats = getRepeat();
  movement.isLowest = getLowest();
  return movement;
}

Movement PadOp::getMovement() {
  return {
      Movement::Kind::InsertSlices, {}, {}, {SmallVector<int64_t>(getLow())}};
}

Movement ConcatOp::getMovement() {
  Movement movement{Movement::Kind::InsertSlices, {}, {}, {}};
  SmallVector<int64_t> place(typeOf(getResult()).getRank(), 0);
  for (Value input : getInputs()) {
    movement.insertions.push_back(place);
    place[getDim()] += typeOf(input).getDimSize(getDim());
  }
  return movement;
}

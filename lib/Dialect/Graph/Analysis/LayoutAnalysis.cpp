#include "mpc/Dialect/Graph/Analysis/LayoutAnalysis.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Dims of space in front of the channels.
Permutation makeChannelsLast(size_t rank) {
  Permutation order = {0};
  for (size_t dim = 2; dim < rank; ++dim)
    order.push_back(static_cast<int64_t>(dim));
  order.push_back(1);
  return order;
}

bool isIdentity(ArrayRef<int64_t> order) { return llvm::is_sorted(order); }

int64_t countElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// Whether a value costs nothing to have in another order, beside a tensor of
/// `elements`: it has fewer, or repeats fewer, or is not stored.
bool isFree(Value value, int64_t elements) {
  Operation *producer = value.getDefiningOp();
  if (!producer)
    return countElements(value) < elements;
  return countElements(value) < elements || isRepeated(value) ||
         isMadeInKernel(producer);
}
} // namespace

bool graph::isRepeated(Value value) {
  Operation *producer = value.getDefiningOp();
  while (producer && isa<KernelBodyOpInterface>(producer) &&
         producer->getNumOperands() == 1)
    producer = producer->getOperand(0).getDefiningOp();
  return producer && isa<MovementOpInterface>(producer) &&
         producer->getNumOperands() == 1 &&
         countElements(producer->getOperand(0)) <
             countElements(producer->getResult(0));
}

LayoutAnalysis::LayoutAnalysis(Block &block) {
  for (Operation &op : block)
    visit(op);
}

ArrayRef<int64_t> LayoutAnalysis::getOrder(Operation *op) const {
  auto known = orders.find(op);
  return known == orders.end() ? ArrayRef<int64_t>() : known->second;
}

ArrayRef<int64_t> LayoutAnalysis::getOrder(Value value) const {
  auto known = stored.find(value);
  return known == stored.end() ? ArrayRef<int64_t>() : known->second;
}

/// The order of most operands, if more lie in it than would have to be brought
/// into it: an update, say, is not worth to bring parameter and moment into the
/// order of a gradient.
ArrayRef<int64_t> LayoutAnalysis::chooseOrder(Operation &op) const {
  ArrayRef<int64_t> chosen;
  size_t rank = shapeOf(op.getResult(0)).size();
  auto permutable = dyn_cast<PermutableOpInterface>(op);
  if (permutable)
    rank = shapeOf(op.getOperand(0)).size();
  int64_t inOrder = 0, others = 0;
  for (Value operand : op.getOperands()) {
    ArrayRef<int64_t> order = getOrder(operand);
    if (shapeOf(operand).size() != rank || order.empty()) {
      others += !isFree(operand, countElements(op.getResult(0)));
      continue;
    }
    if (chosen.empty())
      chosen = order;
    (order == chosen ? inOrder : others) += 1;
  }
  return inOrder > others ? chosen : ArrayRef<int64_t>();
}

void LayoutAnalysis::visit(Operation &op) {
  if (auto channels = dyn_cast<ChannelsOpInterface>(op)) {
    size_t rank = shapeOf(op.getOperand(0)).size();
    Permutation order = makeChannelsLast(rank);
    bool isMoved = channels.wantsChannelsLast() ||
                   getOrder(op.getOperand(0)) == ArrayRef(order);
    if (channels.isChannelsLast() || !isMoved)
      return;
    for (Value result : op.getResults())
      if (shapeOf(result).size() == rank)
        stored[result] = order;
    orders[&op] = std::move(order);
    return;
  }
  auto permutable = dyn_cast<PermutableOpInterface>(op);
  if (!permutable && !isa<KernelBodyOpInterface>(op))
    return;
  Permutation order(chooseOrder(op));
  if (order.empty())
    return;
  Permutation result = permutable ? permutable.permuteResult(order) : order;
  if (!isIdentity(result))
    for (Value value : op.getResults())
      stored[value] = result;
  orders[&op] = std::move(order);
}

#include "mpc/Dialect/Graph/Analysis/ColumnOperands.h"
#include "Deadlines.h"
#include "llvm/ADT/SetVector.h"

using namespace mpc;
using namespace mpc::graph;

// More are not cheap any more.
constexpr unsigned kMaxOps = 16;

ColumnOperands::ColumnOperands(Block &block, const LibraryCalls &calls)
    : compared(block) {
  int count = 0;
  for (Operation &op : block) {
    count += isFence(&op);
    fences[&op] = count;
    if (calls.isTaken(&op))
      ofCalls.insert(&op);
  }
}

bool ColumnOperands::isStored(Value value, Operation *reader) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    return true;
  OpForm form = getOpForm(op);
  if (form == OpForm::View)
    return isStored(op->getOperand(0), reader);
  return form == OpForm::Library || form == OpForm::Outside ||
         form == OpForm::Transpose || form == OpForm::InsertSlices ||
         form == OpForm::SegmentSum || ofCalls.contains(op) ||
         fences.lookup(op) < fences.lookup(reader) ||
         compared.isComputedOnce(op);
}

bool ColumnOperands::isPerRow(Value value, Operation *reader) const {
  Operation *op = value.getDefiningOp();
  return op && op->getNumOperands() > 0 && !isStored(value, reader);
}

static bool isColumnReduction(Operation *op) {
  if (getOpForm(op) != OpForm::Reduction)
    return false;
  SmallVector<bool> reduced = getOpIndexing(op).reduced;
  return llvm::is_contained(reduced, true) && !reduced.back();
}

static int64_t countElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

SmallVector<Operation *> ColumnOperands::get(Operation *reduction) const {
  if (!isColumnReduction(reduction))
    return {};
  Value product = reduction->getOperand(0);
  llvm::SetVector<Value> values;
  values.insert(product);
  SmallVector<Operation *> ops;
  int64_t read = 0;
  bool readsRows = false;
  for (size_t next = 0; next < values.size(); ++next) {
    Value value = values[next];
    Operation *op = value.getDefiningOp();
    if (op && isMadeInKernel(op))
      continue;
    bool isSmall = countElements(value) * 8 <= countElements(product);
    if (isSmall || isStored(value, reduction)) {
      read += getStoredBytes(value);
      readsRows |= isSmall && isPerRow(value, reduction);
      continue;
    }
    if (getOpForm(op) != OpForm::Pointwise || op->hasTrait<CostlyBody>())
      return {};
    ops.push_back(op);
    values.insert(op->operand_begin(), op->operand_end());
  }
  if (!readsRows || ops.size() > kMaxOps || read >= 2 * getStoredBytes(product))
    return {};
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

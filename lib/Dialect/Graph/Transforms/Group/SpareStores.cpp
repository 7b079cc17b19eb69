#include "SpareStores.h"
#include "CopyCheapOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mpc/Dialect/Graph/Analysis/ComparedValues.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/ADT/SetVector.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
// What stays in a cache costs nothing to read.
constexpr int64_t kLeastBytes = 1 << 14;
constexpr size_t kMostOps = 16, kMostCostly = 0;
// Smaller than the value by so much: a number for each row or channel.
constexpr int64_t kSmall = 8;

int64_t bytesOf(Value value) {
  return getStoredBytes(cast<RankedTensorType>(value.getType()));
}
int64_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

class Spare {
public:
  Spare(Block &block, ArrayRef<OpSet> sets) : compared(block) {
    int fences = 0;
    for (auto [number, set] : llvm::enumerate(sets)) {
      fences += llvm::any_of(set.ops, isFence);
      fencesBefore.push_back(fences);
      if (set.kind && *set.kind != GroupKind::Library)
        for (Operation *op : set.ops)
          setOf[op] = int(number);
    }
  }

  /// Copies what makes the result of `op` for the set that reads it, if that
  /// spares a store.
  bool run(Operation *op);

private:
  int getSet(Operation *op) const {
    auto known = setOf.find(op);
    return known == setOf.end() ? -1 : known->second;
  }
  std::optional<int> findReader(Value value, int maker) const;
  bool findSlice(Value value, int maker, int reader,
                 llvm::SetVector<Operation *> &slice) const;
  bool isReadBy(Value value, int reader) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return getSet(user) == reader;
    });
  }

  ComparedValues compared;
  DenseMap<Operation *, int> setOf; ///< Of ops in kernels.
  SmallVector<int> fencesBefore;    ///< Of sets.
};
} // namespace

/// The one other kernel that reads `value`; nothing if somebody else does.
std::optional<int> Spare::findReader(Value value, int maker) const {
  std::optional<int> reader;
  for (Operation *user : value.getUsers()) {
    int set = getSet(user);
    if (set == maker)
      continue;
    if (set < 0 || (reader && *reader != set))
      return std::nullopt;
    reader = set;
  }
  return reader;
}

/// The ops of `maker` that make `value` of what is in memory, or is small.
bool Spare::findSlice(Value value, int maker, int reader,
                      llvm::SetVector<Operation *> &slice) const {
  int64_t read = 0;
  size_t costly = 0;
  // What is kept from forward to backward stays what it is: nothing else is to
  // live as long.
  bool isFar = fencesBefore[maker] != fencesBefore[reader];
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t next = 0; next < values.size(); ++next) {
    Value one = values[next];
    Operation *op = one.getDefiningOp();
    if (op && isMadeInKernel(op))
      continue;
    bool isSmall = elementsOf(one) * kSmall <= elementsOf(value);
    bool isInside = op && getSet(op) == maker;
    if (!isInside || isSmall) {
      bool isRead = isReadBy(one, reader);
      // Arguments may be states, which an update writes over.
      if (!isRead && (!op || (isFar && !isSmall)))
        return false;
      read += isRead ? 0 : bytesOf(one);
      continue;
    }
    if (getOpForm(op) != OpForm::Pointwise || op->getNumResults() != 1 ||
        compared.isComputedOnce(op))
      return false;
    costly += op->hasTrait<CostlyBody>();
    slice.insert(op);
    values.insert(op->operand_begin(), op->operand_end());
  }
  // It is neither written nor read any more.
  return read * 2 <= bytesOf(value) * 3 && costly <= kMostCostly &&
         slice.size() <= kMostOps;
}

bool Spare::run(Operation *op) {
  int maker = getSet(op);
  if (maker < 0 || getOpForm(op) != OpForm::Pointwise ||
      op->getNumResults() != 1 || bytesOf(op->getResult(0)) < kLeastBytes)
    return false;
  Value value = op->getResult(0);
  std::optional<int> reader = findReader(value, maker);
  llvm::SetVector<Operation *> slice;
  if (!reader || !findSlice(value, maker, *reader, slice))
    return false;
  SmallVector<Operation *> ops(slice.begin(), slice.end());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Operation *first = nullptr;
  for (Operation *user : value.getUsers())
    if (getSet(user) == *reader && (!first || user->isBeforeInBlock(first)))
      first = user;
  mlir::OpBuilder builder(first);
  mlir::IRMapping copies;
  for (Operation *inside : ops) {
    Value result = inside->getResult(0);
    auto add = [&](Operation *copy) { setOf[copy] = *reader; };
    add(builder.clone(*inside, copies));
    if (!isComputedWider(inside) || !hasSeveralReaders(result))
      continue;
    Value rounded = roundForAll(copies.lookup(result), first);
    add(rounded.getDefiningOp());
    copies.map(result, rounded);
  }
  value.replaceUsesWithIf(copies.lookup(value), [&](OpOperand &use) {
    return getSet(use.getOwner()) == *reader;
  });
  return true;
}

bool graph::spareStores(Block &block, ArrayRef<OpSet> sets) {
  Spare spare(block, sets);
  bool changes = false;
  // The first ones first: what is made of them is then made of what they are.
  for (const OpSet &set : sets)
    if (set.kind && *set.kind != GroupKind::Library)
      for (Operation *op : set.ops)
        changes |= spare.run(op);
  return changes;
}

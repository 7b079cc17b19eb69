#include "IterationSpace.h"

using namespace mpc;
using namespace mpc::graph;

int IterationSpace::find(int dim) const {
  while (parents[dim] != dim)
    dim = parents[dim];
  return dim;
}

void IterationSpace::bind(Value value, ArrayRef<int> along,
                          ArrayRef<int> dims) {
  SmallVector<int> own;
  for (int iteration : along)
    own.push_back(iteration < 0 ? -1 : dims[iteration]);
  auto [known, isNew] = values.try_emplace(value, own);
  if (isNew)
    return;
  for (auto [before, now] : llvm::zip(known->second, own))
    if (before >= 0 && now >= 0)
      parents[find(now)] = find(before);
}

LogicalResult IterationSpace::add(Operation *op) {
  OpForm form = getOpForm(op);
  OpIndexing indexing = getOpIndexing(op);
  Entry entry{op, {}, indexing.reduced};
  for (int64_t size : indexing.sizes) {
    entry.dims.push_back(parents.size());
    parents.push_back(parents.size());
    sizes.push_back(size);
  }
  if (form != OpForm::Slice)
    for (auto [operand, along] :
         llvm::zip(op->getOperands(), indexing.operands)) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || getOpForm(producer) != OpForm::Splat)
        bind(operand, along, entry.dims);
    }
  bind(op->getResult(0), indexing.result, entry.dims);
  entries.push_back(entry);
  return checkDims();
}

LogicalResult IterationSpace::checkDims() const {
  for (const Entry &other : entries) {
    DenseSet<int> seen;
    for (int dim : other.dims)
      if (!seen.insert(find(dim)).second)
        return other.op->emitOpError(
            "needs elements of one value at two indices at once, which a "
            "kernel cannot; put it into a group of its own");
  }
  return success();
}

SmallVector<int> IterationSpace::getOrder() const {
  const Entry *largest = nullptr;
  int64_t most = 0;
  for (const Entry &entry : entries) {
    int64_t elements = 1;
    for (int dim : entry.dims)
      elements *= sizes[dim];
    bool folds = llvm::is_contained(entry.reduced, true);
    bool replaces = elements > most || (elements == most && folds);
    if (replaces) {
      largest = &entry;
      most = elements;
    }
  }
  SmallVector<int> order, missing;
  for (int dim : largest ? largest->dims : SmallVector<int>())
    order.push_back(find(dim));
  for (const Entry &entry : entries)
    for (int dim : entry.dims)
      if (!llvm::is_contained(order, find(dim)) &&
          !llvm::is_contained(missing, find(dim)))
        missing.push_back(find(dim));
  missing.append(order);
  return missing;
}

DenseSet<int> IterationSpace::getReduced(const Entry &entry) const {
  DenseSet<int> reduced;
  for (auto [dim, folds] : llvm::zip(entry.dims, entry.reduced))
    if (folds)
      reduced.insert(find(dim));
  return reduced;
}

bool IterationSpace::alignWith(const Entry &first, const Entry &other) {
  bool equalLoops = other.reduced == first.reduced &&
                    llvm::equal(other.dims, first.dims, [&](int a, int b) {
                      return sizes[a] == sizes[b];
                    });
  if (equalLoops)
    for (auto [own, dim] : llvm::zip(other.dims, first.dims))
      if (find(own) != find(dim))
        parents[find(own)] = find(dim);
  return equalLoops;
}

LogicalResult IterationSpace::alignReductions() {
  SmallVector<const Entry *> reductions;
  for (const Entry &entry : entries)
    if (llvm::is_contained(entry.reduced, true))
      reductions.push_back(&entry);
  // One that is aligned may bring others, with other loops, along.
  for (const Entry *entry : reductions)
    if (getReduced(*entry) != getReduced(*reductions.front()))
      alignWith(*reductions.front(), *entry);
  for (const Entry *entry : reductions)
    if (getReduced(*entry) != getReduced(*reductions.front()))
      return entry->op->emitOpError(
          "expected all reductions of a group to fold the same dims");
  return checkDims();
}

DenseSet<int> IterationSpace::getReducedDims() const {
  for (const Entry &entry : entries)
    if (llvm::is_contained(entry.reduced, true))
      return getReduced(entry);
  return {};
}

std::optional<SmallVector<int>> IterationSpace::getDims(Value value) const {
  auto known = values.find(value);
  if (known == values.end())
    return std::nullopt;
  SmallVector<int> dims;
  for (int dim : known->second)
    dims.push_back(dim < 0 ? -1 : find(dim));
  return dims;
}

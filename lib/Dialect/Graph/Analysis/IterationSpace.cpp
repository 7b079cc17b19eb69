// Algorithm: give every op dims of its own; make one of what lies in the same
// dim of a value that two ops read or write; lay reductions over each other
// that are not yet; number the classes; then check what a kernel relies on.
// Linear in the ops.
#include "IterationSpace.h"
#include "Deadlines.h"
#include "mpc/Dialect/Graph/IR/PartialFolds.h"
#include <bit>

using namespace mpc;
using namespace mpc::graph;

StringRef graph::describe(const Misfit &misfit) {
  switch (misfit.kind) {
  case Misfit::Kind::NoKernelOp:
    return "it is not computed by a kernel";
  case Misfit::Kind::InnerSlice:
    return "a slice reads what is not stored";
  case Misfit::Kind::TwoIndices:
    return "one value would be needed at two indices at once";
  case Misfit::Kind::OtherFolds:
    return "reductions fold other dims";
  case Misfit::Kind::OtherParts:
    return "other rows are folded in parts, or others of their dims";
  case Misfit::Kind::ReadsParts:
    return "what it reads is known in parts, until the kernel has ended";
  case Misfit::Kind::TooManyDims:
    return "the iteration space would have too many dims";
  case Misfit::Kind::TooManySweeps:
    return "too many reductions wait for each other";
  }
  llvm_unreachable("all kinds of misfit are listed");
}

static bool isInSpace(OpForm form) {
  switch (form) {
  case OpForm::Splat:
  case OpForm::Pointwise:
  case OpForm::Reduction:
  case OpForm::Slice:
  case OpForm::Gather:
  case OpForm::Index:
  case OpForm::Transpose:
    return true;
  case OpForm::View:
  case OpForm::InsertSlices:
  case OpForm::SegmentSum:
  case OpForm::Library:
  case OpForm::Outside:
    return false;
  }
  llvm_unreachable("all forms are listed");
}

SpaceOp::SpaceOp(Operation *op) : op(op), form(getOpForm(op)) {
  if (!isInSpace(form))
    return;
  indexing = getOpIndexing(op);
  folds = llvm::is_contained(indexing.reduced, true);
  for (auto [operand, along] : llvm::zip(op->getOperands(), indexing.operands))
    if (Operation *producer = operand.getDefiningOp();
        producer && getOpForm(producer) == OpForm::Splat)
      along.assign(along.size(), -1);
}

int64_t SpaceOp::getPartBytes() const {
  int64_t bytes = 0;
  for (Value result : op->getResults())
    bytes += getStoredBytes(result) /
             cast<RankedTensorType>(result.getType()).getDimSize(0);
  return bytes;
}

IterationSpace::IterationSpace(ArrayRef<const SpaceOp *> ops) {
  checkForms(ops);
  if (misfit)
    return;
  entries.reserve(ops.size());
  values.reserve(2 * ops.size());
  for (const SpaceOp *op : ops)
    add(*op);
  alignReductions();
  numberDims();
  if (!misfit)
    checkLoops();
  if (!misfit && hasPartial)
    checkReaders();
  if (!misfit && hasPartial)
    checkParts();
  if (!misfit)
    followDepths();
}

void IterationSpace::refuse(Misfit::Kind kind, Operation *op) {
  misfit = Misfit{kind, op};
}

void IterationSpace::checkForms(ArrayRef<const SpaceOp *> ops) {
  for (const SpaceOp *op : ops) {
    if (!isInSpace(op->form))
      return refuse(Misfit::Kind::NoKernelOp, op->op);
    if (!isAddressedApart(op->form, 0))
      continue;
    Operation *source = op->op->getOperand(0).getDefiningOp();
    auto isSource = [&](const SpaceOp *other) { return other->op == source; };
    if (source && (isMadeInKernel(source) || llvm::any_of(ops, isSource)))
      return refuse(Misfit::Kind::InnerSlice, op->op);
  }
}

void IterationSpace::bind(Value value, ArrayRef<int> along,
                          ArrayRef<int> dims) {
  SmallVector<int, 4> own;
  for (int iteration : along)
    own.push_back(iteration < 0 ? -1 : dims[iteration]);
  auto [known, isNew] = values.try_emplace(value, own);
  if (isNew)
    return;
  for (auto [before, now] : llvm::zip(known->second, own))
    if (before >= 0 && now >= 0)
      classes.join(before, now);
}

void IterationSpace::add(const SpaceOp &op) {
  Entry entry{&op, {}};
  for (int64_t size : op.indexing.sizes) {
    entry.dims.push_back(sizes.size());
    sizes.push_back(size);
  }
  classes.grow(sizes.size());
  for (auto [number, along] : llvm::enumerate(op.indexing.operands))
    if (!isAddressedApart(op.form, number))
      bind(op.op->getOperand(number), along, entry.dims);
  for (Value result : op.op->getResults())
    bind(result, op.indexing.result, entry.dims);
  hasPartial |= op.indexing.rowsPerPart != 0;
  entries.push_back(std::move(entry));
}

/// One that is aligned may bring others, with other loops, along: hence in
/// program order, each against what the ones before have made of the first.
void IterationSpace::alignReductions() {
  auto leaders = [&](const Entry &entry) {
    SmallVector<unsigned> dims;
    for (int dim : entry.dims)
      dims.push_back(classes.findLeader(dim));
    llvm::sort(dims);
    return dims;
  };
  const Entry *first = nullptr;
  for (const Entry &entry : entries) {
    if (!entry.op->folds)
      continue;
    if (!first)
      first = &entry;
    bool haveEqualLoops =
        entry.op->indexing.reduced == first->op->indexing.reduced &&
        llvm::equal(entry.dims, first->dims,
                    [&](int a, int b) { return sizes[a] == sizes[b]; });
    if (&entry == first || !haveEqualLoops || leaders(entry) == leaders(*first))
      continue;
    for (auto [own, dim] : llvm::zip(entry.dims, first->dims))
      classes.join(own, dim);
    ++numAligned;
  }
}

/// From here on a dim is the number of its class.
void IterationSpace::numberDims() {
  classes.compress();
  SmallVector<int64_t> sizeOf(classes.getNumClasses());
  for (auto [dim, size] : llvm::enumerate(sizes))
    sizeOf[classes[dim]] = size;
  sizes = std::move(sizeOf);
  if (sizes.size() > kMaxDims)
    return refuse(Misfit::Kind::TooManyDims, entries.back().op->op);
  for (Entry &entry : entries)
    for (int &dim : entry.dims) {
      dim = classes[dim];
      entry.mask |= uint64_t(1) << dim;
    }
  for (auto &[value, dims] : values)
    for (int &dim : dims)
      dim = dim < 0 ? dim : int(classes[dim]);
}

void IterationSpace::checkLoops() {
  bool any = false;
  for (const Entry &entry : entries) {
    if (size_t(std::popcount(entry.mask)) != entry.dims.size())
      return refuse(Misfit::Kind::TwoIndices, entry.op->op);
    if (!entry.op->folds)
      continue;
    uint64_t folded = 0;
    for (auto [dim, folds] : llvm::zip(entry.dims, entry.op->indexing.reduced))
      folded |= uint64_t(folds) << dim;
    if (any && folded != reduced)
      return refuse(Misfit::Kind::OtherFolds, entry.op->op);
    reduced = folded;
    any = true;
  }
}

void IterationSpace::checkReaders() {
  DenseSet<Operation *> inParts;
  auto readsParts = [&](Value operand) {
    return inParts.contains(operand.getDefiningOp());
  };
  for (const Entry &entry : entries) {
    if (llvm::any_of(entry.op->op->getOperands(), readsParts))
      return refuse(Misfit::Kind::ReadsParts, entry.op->op);
    if (entry.op->indexing.rowsPerPart)
      inParts.insert(entry.op->op);
  }
}

/// Without reductions, a row is what the first fold in parts keeps.
void IterationSpace::checkParts() {
  for (auto [number, entry] : llvm::enumerate(entries)) {
    const OpIndexing &indexing = entry.op->indexing;
    if (indexing.rowsPerPart == 0)
      continue;
    uint64_t kept = 0;
    for (int dim : indexing.result)
      if (dim >= 0)
        kept |= uint64_t(1) << entry.dims[dim];
    if (!partial) {
      partial = number;
      if (!reduced)
        reduced = kept;
    }
    if (kept == 0 || kept != reduced || entry.mask != getAll() ||
        entry.dims != entries[*partial].dims ||
        indexing.rowsPerPart != getRowsPerPart())
      return refuse(Misfit::Kind::OtherParts, entry.op->op);
  }
}

/// A reduction of depth d is folded by sweep d; a result that varies along
/// reduced dims is stored by the sweep after the last one that it waits for.
void IterationSpace::followDepths() {
  if (!reduced)
    return;
  for (const Entry &entry : entries) {
    unsigned depth = 0;
    for (Value operand : entry.op->op->getOperands())
      depth = std::max(depth, depths.lookup(operand));
    depth += entry.op->folds;
    if (depth + 1 > kMaxSweeps)
      return refuse(Misfit::Kind::TooManySweeps, entry.op->op);
    if (depth > 0)
      for (Value result : entry.op->op->getResults())
        depths[result] = depth;
  }
}

bool IterationSpace::canStore(Value value) const {
  if (sizes.empty())
    return true;
  if (graph::getRowsPerPart(value.getDefiningOp()))
    return true;
  uint64_t mask = 0;
  for (int dim : getDims(value).value_or(ArrayRef<int>()))
    if (dim >= 0)
      mask |= uint64_t(1) << dim;
  return mask == getItems() || mask == getAll();
}

SmallVector<int> IterationSpace::getOrder() const {
  if (partial)
    return entries[*partial].dims;
  const Entry *largest = nullptr;
  int64_t most = 0;
  for (const Entry &entry : entries) {
    int64_t elements = 1;
    for (int dim : entry.dims)
      elements *= sizes[dim];
    bool replaces = elements > most || (elements == most && entry.op->folds);
    if (replaces) {
      largest = &entry;
      most = elements;
    }
  }
  SmallVector<int> order;
  uint64_t present = largest ? largest->mask : 0;
  for (const Entry &entry : entries)
    for (int dim : entry.dims)
      if (!(present >> dim & 1)) {
        order.push_back(dim);
        present |= uint64_t(1) << dim;
      }
  if (largest)
    order.append(largest->dims);
  return order;
}

std::optional<ArrayRef<int>> IterationSpace::getDims(Value value) const {
  auto known = values.find(value);
  if (known == values.end())
    return std::nullopt;
  return ArrayRef<int>(known->second);
}

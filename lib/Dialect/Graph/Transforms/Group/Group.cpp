// Purpose: one graph.group per kernel or library call, so that what follows
// sees a straight line of them.
// Before: elementwise ops, reductions, movements, matmuls (after
// mpc-decompose). After: groups, collectives, reshapes (views) and constants
// that are no splats. Algorithm: copy cheap ops to their users where that saves
// traffic; let GroupingAnalysis decide; build the groups in the order it gives.
// Splats are cloned into each group; reshapes at the border of a group stay
// outside.
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "CopyCheapOps.h"
#include "JoinConcats.h"
#include "PruneScans.h"
#include "SpareStores.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mpc/Dialect/Graph/Analysis/ColumnOperands.h"
#include "mpc/Dialect/Graph/Analysis/FoldsInParts.h"
#include "mpc/Dialect/Graph/Analysis/GroupingAnalysis.h"
#include "mpc/Dialect/Graph/Analysis/KernelShape.h"
#include "mpc/Dialect/Graph/Analysis/LibraryCalls.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"
#include "mpc/Dialect/Graph/IR/PartialFolds.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Transforms/DeadOps.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Text/Places.h"
#include "llvm/ADT/SetVector.h"
#include <unordered_map>

namespace mpc::graph {
#define GEN_PASS_DEF_GROUP
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;

namespace {
/// Whether the kernel that `use` is in makes a splat or an index for it.
bool isMadeFor(OpOperand &use) {
  OpForm form = getOpForm(use.getOwner());
  return isFusible(use.getOwner()) ||
         (form == OpForm::Gather &&
          !isAddressedApart(form, use.getOperandNumber()));
}

/// Whether every dim that `op` runs along is one of an operand. Then an equal
/// op runs along the same dims; one that repeats a number or a splat need not,
/// and is no more than a constant to compute twice.
bool takesDimsFromOperands(Operation *op) {
  if (getOpForm(op) == OpForm::Splat)
    return true;
  if (!isFusible(op))
    return false;
  OpIndexing indexing = getOpIndexing(op);
  SmallVector<bool> taken(indexing.sizes.size());
  for (auto [operand, along] : llvm::zip(op->getOperands(), indexing.operands))
    if (Operation *producer = operand.getDefiningOp();
        !producer || getOpForm(producer) != OpForm::Splat)
      for (int dim : along)
        if (dim >= 0)
          taken[dim] = true;
  return !llvm::is_contained(taken, false);
}

/// Movements that a library call can do by reading in place become its own,
/// whoever else reads them.
void copyMovements(Block &block, const GroupingOptions &options) {
  if (!options.fusedRounding)
    return;
  for (Operation &op : block) {
    auto call = dyn_cast<LibraryCallOpInterface>(op);
    for (unsigned index = 0; call && index < call->getNumOperands(); ++index) {
      IRMapping copies;
      OpBuilder builder(call);
      for (Operation *movement :
           getMovementsInPlace(call, index, options.target))
        builder.clone(*movement, copies);
      call->setOperand(index, copies.lookupOrDefault(call->getOperand(index)));
    }
  }
  eraseDeadOps(block);
}

/// Where a call can add a tensor to its product but for a reshape between the
/// two, which is a view, the tensor is reshaped instead, and then the sum.
void moveReshapes(Block &block, const GroupingOptions &options) {
  LibraryCalls calls(block, options.target, options.fusedRounding);
  for (const LibraryCalls::Addend &addend : calls.getAddends()) {
    if (!addend.reshape)
      continue;
    Operation *reshape = addend.reshape, *add = addend.add;
    Value product = reshape->getOperand(0), reshaped = reshape->getResult(0);
    unsigned side = add->getOperand(0) == reshaped ? 0 : 1;
    OpBuilder builder(add);
    auto clone = [&](Operation *op, Type type) {
      Operation *copy = builder.clone(*op);
      copy->getResult(0).setType(type);
      return copy;
    };
    Operation *other = clone(reshape, product.getType());
    other->setOperand(0, add->getOperand(1 - side));
    Operation *sum = clone(add, product.getType());
    sum->setOperand(side, product);
    sum->setOperand(1 - side, other->getResult(0));
    reshape->setOperand(0, sum->getResult(0));
    reshape->moveBefore(add);
    add->getResult(0).replaceAllUsesWith(reshaped);
    add->erase();
  }
}

/// Column reductions get ops of their own, so that nobody else is in the way of
/// fusing them.
void copyColumnOperands(Block &block, const LibraryCalls &calls) {
  ColumnOperands columns(block, calls);
  for (Operation &reduction : llvm::make_early_inc_range(block)) {
    SmallVector<Operation *> ops = columns.get(&reduction);
    IRMapping copies;
    OpBuilder builder(&reduction);
    for (Operation *op : ops) {
      Value result = op->getResult(0);
      Value copy = builder.clone(*op, copies)->getResult(0);
      if (isComputedWider(op) && hasSeveralReaders(result))
        copies.map(result, roundForAll(copy, &reduction));
    }
    if (!ops.empty())
      reduction.setOperand(0, copies.lookup(reduction.getOperand(0)));
  }
  eraseDeadOps(block);
}

void printDecision(const FoldsInParts::Decision &decision) {
  auto remark = decision.fold->emitRemark();
  if (decision.rowsPerPart)
    remark << "folded in parts of " << decision.rowsPerPart
           << " rows, beside the rows of the same tensors";
  else
    remark << "not folded beside the rows of the same tensors: "
           << decision.reason;
}

/// Column folds of tensors whose rows are folded, too, become folds in parts.
void foldInParts(Block &block, const GroupingOptions &options,
                 bool printDecisions) {
  FoldsInParts folds(block,
                     LibraryCalls(block, options.target, options.fusedRounding),
                     options.target);
  for (const FoldsInParts::Decision &decision : folds.getDecisions()) {
    if (printDecisions)
      printDecision(decision);
    if (!decision.rowsPerPart)
      continue;
    auto fold = cast<SplittableFoldOpInterface>(decision.fold);
    mlir::ImplicitLocOpBuilder builder(fold->getLoc(), fold);
    Value whole = fold.foldInParts(builder, decision.rowsPerPart);
    fold->getResult(0).replaceAllUsesWith(whole);
    fold->erase();
  }
}

/// Splats and indices that something other than a kernel reads become a group
/// that fills.
void materializeMade(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumResults() != 1 || !isMadeInKernel(&op))
      continue;
    Value filled;
    for (OpOperand &use :
         llvm::make_early_inc_range(op.getResult(0).getUses())) {
      Operation *user = use.getOwner();
      if (user->getParentOfType<GroupOp>() || isMadeFor(use))
        continue;
      if (!filled) {
        OpBuilder builder(&block, std::next(op.getIterator()));
        auto group = GroupOp::create(builder, op.getLoc(), op.getResultTypes(),
                                     ValueRange(), GroupKind::Move);
        Block &body = group.getBody().emplaceBlock();
        OpBuilder inner = OpBuilder::atBlockEnd(&body);
        Operation *copy = inner.clone(op);
        YieldOp::create(inner, op.getLoc(), copy->getResults());
        filled = group.getResult(0);
      }
      use.set(filled);
    }
  }
}

/// Whether `op` may stay outside groups. What it reshapes must be in memory, so
/// a splat or an index is reshaped by a kernel.
bool isView(Operation *op) {
  auto movement = dyn_cast<MovementOpInterface>(op);
  if (!movement || movement.getMovement().kind != Movement::Kind::Reshape)
    return false;
  Operation *producer = op->getOperand(0).getDefiningOp();
  return !producer || !isMadeInKernel(producer);
}

/// Builds one group from the ops of one set, and reshapes after it.
class GroupBuilder {
public:
  GroupBuilder(const OpSet &set, IRMapping &outside)
      : set(set), members(set.ops.begin(), set.ops.end()), outside(outside) {}
  LogicalResult build(OpBuilder &builder);

private:
  void findResults();
  void findNeeded();
  SmallVector<Location> findPlaces(ArrayRef<Value> yields) const;
  GroupOp buildGroup(OpBuilder &builder);
  Value getInner(Value value);
  Value getArgument(Value value);
  Operation *cloneInside(Operation *op);

  const OpSet &set;
  DenseSet<Operation *> members;
  IRMapping &outside; ///< Values of the old ops -> values between groups.
  IRMapping inner;    ///< Values of the old ops -> values of the body.
  Block *body = nullptr;
  SmallVector<Value> results;        ///< Several may be one value of the body.
  SmallVector<Value> operands, read; ///< Between groups, and the old ones.
  SmallVector<Operation *> views; ///< Reshapes that stay outside, last first.
  DenseSet<Operation *> needed;
  std::unordered_multimap<size_t, Operation *> present; ///< By hash.
};

class Group final : public graph::impl::GroupBase<Group> {
public:
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult groupFunction(mlir::func::FuncOp function);
  LogicalResult groupBlock(Block &block, const GroupingOptions &options);
  void print(const GroupingAnalysis &grouping);
};
} // namespace

/// Results are what others read; of a reshape that others read, its source.
void GroupBuilder::findResults() {
  DenseSet<Value> readByView;
  for (Operation *op : llvm::reverse(set.ops))
    for (Value result : llvm::reverse(op->getResults())) {
      bool isRead = readByView.contains(result) ||
                    llvm::any_of(result.getUsers(), [&](Operation *user) {
                      return !members.contains(user);
                    });
      if (isRead && isView(op)) {
        views.push_back(op);
        readByView.insert(op->getOperand(0));
      } else if (isRead) {
        results.push_back(result);
      }
    }
  std::reverse(results.begin(), results.end());
}

void GroupBuilder::findNeeded() {
  for (Value result : results)
    needed.insert(result.getDefiningOp());
  for (Operation *op : llvm::reverse(set.ops))
    if (needed.contains(op))
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && members.contains(producer))
          needed.insert(producer);
}

/// A clone of `op` in the body, or the op there that computes the same over the
/// same dims: the body iterates as grouping saw it.
Operation *GroupBuilder::cloneInside(Operation *op) {
  OpBuilder builder(op->getContext()); // the body is in no op yet
  builder.setInsertionPointToEnd(body);
  Operation *copy = builder.clone(*op, inner);
  if (!takesDimsFromOperands(copy))
    return copy;
  size_t hash = mlir::OperationEquivalence::computeHash(
      copy, mlir::OperationEquivalence::directHashValue,
      mlir::OperationEquivalence::ignoreHashValue,
      mlir::OperationEquivalence::IgnoreLocations);
  auto [first, last] = present.equal_range(hash);
  for (auto &[_, other] : llvm::make_range(first, last))
    if (mlir::OperationEquivalence::isEquivalentTo(
            other, copy, mlir::OperationEquivalence::IgnoreLocations)) {
      copy->erase();
      return other;
    }
  present.emplace(hash, copy);
  return copy;
}

/// The argument for `value`: a new one, or that of an operand which turned out
/// to be the same, as copies of one op do that one kernel computes.
Value GroupBuilder::getArgument(Value value) {
  Value from = outside.lookupOrDefault(value);
  auto dims = set.operandDims.find(value);
  if (dims != set.operandDims.end())
    for (Value before : read)
      if (outside.lookupOrDefault(before) == from &&
          set.operandDims.lookup(before) == dims->second)
        return inner.lookup(before);
  read.push_back(value);
  operands.push_back(from);
  return body->addArgument(value.getType(), value.getLoc());
}

Value GroupBuilder::getInner(Value value) {
  if (Value known = inner.lookupOrNull(value))
    return known;
  Operation *producer = value.getDefiningOp();
  bool isMade = producer && isMadeInKernel(producer);
  Value own =
      isMade ? Value(cloneInside(producer)->getResult(0)) : getArgument(value);
  inner.map(value, own);
  return own;
}

/// Where each of `yields` was made, before it was cast; what a library makes,
/// where its call stands.
SmallVector<Location> GroupBuilder::findPlaces(ArrayRef<Value> yields) const {
  auto calls = body->getOps<LibraryCallOpInterface>();
  return llvm::map_to_vector(yields, [&](Value value) {
    if (set.kind == GroupKind::Library && !calls.empty())
      return (*calls.begin())->getLoc();
    Operation *maker = value.getDefiningOp();
    while (isa_and_nonnull<CastOp>(maker) &&
           maker->getOperand(0).getDefiningOp())
      maker = maker->getOperand(0).getDefiningOp();
    return maker ? maker->getLoc() : value.getLoc();
  });
}

/// The group, whose results are values of its body, each once: copies of one
/// op may have become one there.
GroupOp GroupBuilder::buildGroup(OpBuilder &builder) {
  Location loc = set.ops.back()->getLoc();
  mlir::Region region;
  body = &region.emplaceBlock();
  for (Operation *op : set.ops) {
    if (!needed.contains(op))
      continue;
    for (Value operand : op->getOperands())
      getInner(operand);
    inner.map(op->getResults(), cloneInside(op)->getResults());
  }
  llvm::SetVector<Value> yields;
  for (Value result : results)
    yields.insert(getInner(result));
  OpBuilder end(builder.getContext());
  end.setInsertionPointToEnd(body);
  YieldOp::create(end, loc, yields.getArrayRef());
  auto group = GroupOp::create(
      builder, addResultPlaces(loc, findPlaces(yields.getArrayRef())),
      TypeRange(ValueRange(yields.getArrayRef())), operands, *set.kind);
  group.getBody().takeBody(region);
  for (Value result : results)
    outside.map(result, group.getResult(llvm::find(yields, getInner(result)) -
                                        yields.begin()));
  return group;
}

LogicalResult GroupBuilder::build(OpBuilder &builder) {
  findResults();
  findNeeded();
  if (!results.empty()) {
    GroupOp group = buildGroup(builder);
    if (set.kind != GroupKind::Library) {
      FailureOr<KernelShape> shape = KernelShape::get(group);
      if (failed(shape))
        return failure();
      group.setKind(shape->kind);
    }
  }
  for (Operation *view : llvm::reverse(views))
    builder.clone(*view, outside);
  return success();
}

void Group::print(const GroupingAnalysis &grouping) {
  for (const OpSet &set : grouping.getSets())
    if (set.kind)
      set.ops.back()->emitRemark() << stringifyGroupKind(*set.kind)
                                   << " group of " << set.ops.size() << " ops";
  for (const LibraryCalls::Addend &addend : grouping.getAddends()) {
    auto remark = addend.add->emitRemark();
    remark << "added to its product by '" << addend.call->getName() << "', ";
    if (addend.savedBytes > 0)
      remark << addend.savedBytes << " bytes fewer to move";
    else
      remark << "in the place of the other operand";
  }
  for (const FusionRefusal &refusal : grouping.getRefusals())
    refusal.consumer->emitRemark()
        << "not fused with '" << refusal.producer->getName()
        << "': " << refusal.reason;
}

LogicalResult Group::groupFunction(mlir::func::FuncOp function) {
  if (function.isExternal())
    return success();
  Block &block = function.getBody().front();
  GroupingOptions options(getTarget(getOperation()));
  options.fusedRounding = !roundsStrictly(function);
  // The bodies of scans first: what is built anew of the function has them.
  eraseDeadOps(block);
  pruneScans(block);
  for (auto scan : block.getOps<ScanOp>()) {
    Block &body = scan.getBody().front();
    if (failed(groupBlock(body, options)))
      return failure();
    joinConcats(body, options.target);
  }
  return groupBlock(block, options);
}

LogicalResult Group::groupBlock(Block &block,
                                const GroupingOptions &groupingOptions) {
  const TargetDescription &target = groupingOptions.target;
  // A dead op is not built, so it must not hold a group together.
  eraseDeadOps(block);
  copyMovements(block, groupingOptions);
  if (groupingOptions.fusedRounding)
    foldInParts(block, groupingOptions, printDecisions);
  copyCheapOps(block, groupingOptions);
  moveReshapes(block, groupingOptions);
  if (groupingOptions.fusedRounding)
    copyColumnOperands(
        block, LibraryCalls(block, target, groupingOptions.fusedRounding));
  materializeMade(block);
  GroupingAnalysis grouping(block, groupingOptions);
  if (groupingOptions.fusedRounding && spareStores(block, grouping.getSets()))
    grouping = GroupingAnalysis(block, groupingOptions);
  if (printDecisions)
    print(grouping);

  auto old = llvm::map_to_vector(block.without_terminator(),
                                 [](Operation &op) { return &op; });
  OpBuilder builder(block.getTerminator());
  IRMapping outside;
  for (Operation *op : old)
    if (op->getNumOperands() == 0 && !isMadeInKernel(op))
      builder.clone(*op, outside);
  for (const OpSet &set : grouping.getSets()) {
    if (!set.kind)
      builder.clone(*set.ops.front(), outside);
    else if (failed(GroupBuilder(set, outside).build(builder)))
      return failure();
  }
  for (OpOperand &operand : block.getTerminator()->getOpOperands())
    operand.set(outside.lookupOrDefault(operand.get()));
  for (Operation *op : llvm::reverse(old))
    op->erase();
  return success();
}

/// Regions that read values of the function would be left behind with them.
static LogicalResult checkRegions(mlir::func::FuncOp function) {
  for (Operation &op : function.getBody().front())
    if (op.getNumRegions() != 0 &&
        !op.hasTrait<mlir::OpTrait::IsIsolatedFromAbove>())
      return op.emitOpError("expected to be inlined before grouping; run "
                            "mpc-inline-regions");
  return success();
}

void Group::runOnOperation() {
  for (auto function : getOperation().getOps<mlir::func::FuncOp>())
    if (failed(checkRegions(function)) || failed(groupFunction(function)))
      return signalPassFailure();
}

#include "mpc/Dialect/Graph/Analysis/ComparedValues.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mpc;
using namespace mpc::graph;

bool graph::comparesComputedFloats(Operation *op) {
  auto isFloat = [](Value operand) {
    return isa<FloatType>(mlir::getElementTypeOrSelf(operand));
  };
  auto isConstant = [](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer && getOpForm(producer) == OpForm::Splat;
  };
  return op->hasTrait<ComparesExactly>() &&
         llvm::any_of(op->getOperands(), isFloat) &&
         llvm::none_of(op->getOperands(), isConstant);
}

/// Whether there is another reader of `value` than `reader`, which is the first
/// that is found. What is returned is read by others, as value and as what it
/// is widened to: these are two.
static bool findReaders(Value value, Operation *&reader) {
  for (Operation *user : value.getUsers()) {
    if (isWidening(user)) {
      if (findReaders(user->getResult(0), reader))
        return true;
      continue;
    }
    if (reader &&
        (reader != user || user->hasTrait<mlir::OpTrait::IsTerminator>()))
      return true;
    reader = user;
  }
  return false;
}

bool graph::hasSeveralReaders(Value value) {
  Operation *reader = nullptr;
  return findReaders(value, reader);
}

/// Whether kernels hold `value` as its type does.
static bool isUnrounded(Value value) {
  Type element = mlir::getElementTypeOrSelf(value);
  return getComputeType(element) == element;
}

bool graph::isComputedWider(Operation *op) {
  OpForm form = getOpForm(op);
  auto isNarrow = [](Value value) {
    return isa<FloatType>(mlir::getElementTypeOrSelf(value)) &&
           !isUnrounded(value);
  };
  return (form == OpForm::Pointwise || form == OpForm::Reduction) &&
         llvm::any_of(op->getOperands(), isNarrow) &&
         llvm::any_of(op->getResults(), isNarrow);
}

ComparedValues::ComparedValues(Block &block) {
  findCompared(block);
  if (!compared.empty())
    findFixed(block);
}

void ComparedValues::findCompared(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    bool isMoved =
        isa<MovementOpInterface>(op) && compared.contains(op.getResult(0));
    if (isMoved || comparesComputedFloats(&op))
      compared.insert(op.operand_begin(), op.operand_end());
  }
}

void ComparedValues::findFixed(Block &block) {
  auto isFixed = [&](Value value) { return fixed.contains(value); };
  fixed.insert(block.args_begin(), block.args_end());
  for (Operation &op : block.without_terminator()) {
    OpForm form = getOpForm(&op);
    bool isStored = form == OpForm::Library || form == OpForm::Outside ||
                    form == OpForm::Transpose || form == OpForm::InsertSlices ||
                    form == OpForm::SegmentSum;
    bool followsOperands =
        form == OpForm::View || llvm::all_of(op.getResults(), isUnrounded);
    if (isStored || op.getNumOperands() == 0 ||
        (followsOperands && llvm::all_of(op.getOperands(), isFixed)))
      fixed.insert(op.result_begin(), op.result_end());
  }
}

bool ComparedValues::isComputedOnce(Operation *op) const {
  // What only moves elements has the bits of its operand, which is compared.
  return !isa<MovementOpInterface>(op) &&
         llvm::any_of(
             op->getResults(),
             [&](Value result) { return compared.contains(result); }) &&
         !llvm::all_of(op->getOperands(),
                       [&](Value operand) { return fixed.contains(operand); });
}

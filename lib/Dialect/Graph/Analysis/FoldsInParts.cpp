// Algorithm: note of each fold along rows which tensors as large as its operand
// it is computed from, back to those in memory; then look for a fold along
// columns among them, of rows of the same length, behind the same fence.
#include "mpc/Dialect/Graph/Analysis/FoldsInParts.h"
#include "mpc/Dialect/Graph/IR/PartialFolds.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
// Tensors that one fold is computed from, at most.
constexpr unsigned kMaxTensors = 64;
// A part is at least so many rows, for it is written and read again, and a
// multiple of as many as a block of a GPU has warps.
constexpr int64_t kMinRows = 8, kMultiple = 4;

int64_t chooseRowsPerPart(int64_t rows, const TargetDescription &target) {
  int64_t wanted =
      llvm::alignTo(llvm::divideCeil(rows, target.wantedParts), kMultiple);
  return std::clamp(wanted, kMinRows, target.maxRowsPerPart);
}

int64_t countElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}
} // namespace

/// A fold of a matrix: of the first dims, along columns, or of the last ones,
/// along rows.
struct FoldsInParts::Fold {
  int64_t numRows = 1, rowLength = 1;
  bool alongRows = false;
};

std::optional<FoldsInParts::Fold> FoldsInParts::describe(Operation *op) {
  if (getOpForm(op) != OpForm::Reduction)
    return std::nullopt;
  OpIndexing indexing = getOpIndexing(op);
  ArrayRef<bool> reduced = indexing.reduced;
  if (reduced.empty() || reduced.front() == reduced.back())
    return std::nullopt;
  Fold fold;
  fold.alongRows = reduced.back();
  bool isRow = false;
  for (auto [size, folds] : llvm::zip(indexing.sizes, reduced)) {
    bool isNowRow = folds == fold.alongRows;
    if (isRow && !isNowRow)
      return std::nullopt;
    isRow = isNowRow;
    (isRow ? fold.rowLength : fold.numRows) *= size;
  }
  return fold;
}

/// What `fold` is computed from and that has as many elements as its operand:
/// what kernels compute on the way, and what is in memory.
SmallVector<Value> FoldsInParts::getTensors(Operation *fold) const {
  llvm::SetVector<Value> tensors;
  int64_t size = countElements(fold->getOperand(0));
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (countElements(value) == size)
        tensors.insert(value);
  };
  add(fold->getOperands());
  for (size_t next = 0; next < tensors.size() && next < kMaxTensors; ++next) {
    Operation *op = tensors[next].getDefiningOp();
    if (op && getOpForm(op) == OpForm::Pointwise &&
        !operands.isStored(tensors[next], fold))
      add(op->getOperands());
  }
  return tensors.takeVector();
}

/// Notes that a kernel has rows of what `op` is computed from.
void FoldsInParts::addRows(const Fold &fold, Operation *op) {
  for (Value tensor : getTensors(op))
    rows.insert({tensor, operands.getFence(op), fold.rowLength});
}

bool FoldsInParts::hasRowsBeside(const Fold &fold, Operation *op) const {
  return llvm::any_of(getTensors(op), [&](Value tensor) {
    return rows.contains({tensor, operands.getFence(op), fold.rowLength});
  });
}

FoldsInParts::Decision FoldsInParts::decide(const Fold &fold, Operation *op) {
  auto splittable = dyn_cast<SplittableFoldOpInterface>(op);
  if (!splittable || !splittable.canFoldInParts())
    return {op, 0, "it cannot be folded in parts"};
  int64_t rowsPerPart = chooseRowsPerPart(fold.numRows, target);
  if (fold.numRows <= rowsPerPart)
    return {op, 0,
            "its " + std::to_string(fold.numRows) + " rows are one part"};
  Type element = mlir::getElementTypeOrSelf(op->getResult(0));
  int64_t &bytes = partBytes[{operands.getFence(op), fold.rowLength}];
  int64_t wanted =
      bytes + fold.rowLength * getElementBytes(getComputeType(element));
  if (wanted > kMaxPartBytes)
    return {op, 0,
            "a part takes " + std::to_string(wanted) +
                " bytes, and a kernel keeps at most " +
                std::to_string(kMaxPartBytes)};
  bytes = wanted;
  return {op, rowsPerPart, ""};
}

FoldsInParts::FoldsInParts(Block &block, const LibraryCalls &calls,
                           const TargetDescription &target)
    : target(target), operands(block, calls) {
  std::vector<std::pair<Operation *, Fold>> columns;
  for (Operation &op : block)
    if (auto fold = describe(&op)) {
      if (fold->alongRows)
        addRows(*fold, &op);
      else
        columns.push_back({&op, *fold});
    }
  // One that joins the rows brings its tensors along.
  for (bool hasJoined = !rows.empty(); hasJoined;) {
    hasJoined = false;
    llvm::erase_if(columns, [&](const auto &column) {
      const auto &[op, fold] = column;
      if (!hasRowsBeside(fold, op))
        return false;
      const Decision &decision = decisions.emplace_back(decide(fold, op));
      if (decision.rowsPerPart) {
        addRows(fold, op);
        hasJoined = true;
      }
      return true;
    });
  }
}

#include "PruneScans.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Dialect/Graph/IR/Expression.h"
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"

using namespace mpc;
using namespace mpc::graph;

static void prune(ScanOp scan) {
  SmallVector<Value> left, yielded;
  SmallVector<Type> types;
  unsigned carried = scan.getCarried().size();
  for (auto [result, value] :
       llvm::zip_equal(scan->getResults(), scan.getYield().getResults()))
    if (result.getResultNumber() < carried || !result.use_empty()) {
      left.push_back(result);
      yielded.push_back(value);
      types.push_back(result.getType());
    }
  if (left.size() == scan.getNumResults())
    return;
  OpBuilder builder(scan);
  auto pruned =
      ScanOp::create(builder, scan.getLoc(), types, scan.getCarried(),
                     scan.getSequences(), scan.getEdges(), scan.getConstants(),
                     scan.getSteps(), scan.getShiftsAttr(), scan.getReverse());
  pruned->setDiscardableAttrs(scan->getDiscardableAttrDictionary());
  pruned.getBody().takeBody(scan.getBody());
  pruned.getYield()->setOperands(yielded);
  for (auto [old, now] : llvm::zip_equal(left, pruned->getResults()))
    old.replaceAllUsesWith(now);
  scan.erase();
}

/// Who reads what is carried after the last step reads the end of the sequence
/// that it becomes, if it becomes one: then it lies there alone.
static void readEnds(ScanOp scan) {
  mlir::OperandRange yielded = scan.getYield().getResults();
  for (unsigned number = 0; number < scan.getCarried().size(); ++number) {
    Value last = scan.getResult(number);
    auto isSame = [&](mlir::OpResult stacked) {
      return yielded[stacked.getResultNumber()] == yielded[number];
    };
    auto stacked = llvm::find_if(scan.getStacked(), isSame);
    if (last.use_empty() || stacked == scan.getStacked().end())
      continue;
    mlir::ImplicitLocOpBuilder builder(scan.getLoc(), scan->getContext());
    builder.setInsertionPointAfter(scan);
    expr::Expr all(builder, *stacked);
    SmallVector<int64_t> offsets(all.rank(), 0), sizes(all.shape());
    offsets[0] = scan.getReverse() ? 0 : sizes[0] - 1;
    sizes[0] = 1;
    last.replaceAllUsesWith(expr::reshape(expr::slice(all, offsets, sizes),
                                          all.shape().drop_front()));
  }
}

void graph::pruneScans(Block &block) {
  for (auto scan : llvm::make_early_inc_range(block.getOps<ScanOp>()))
    prune(scan);
  for (auto scan : llvm::make_early_inc_range(block.getOps<ScanOp>()))
    readEnds(scan);
}

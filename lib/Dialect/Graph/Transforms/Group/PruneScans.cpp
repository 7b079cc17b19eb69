#include "PruneScans.h"
#include "mlir/IR/Builders.h"
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

void graph::pruneScans(Block &block) {
  for (auto scan : llvm::make_early_inc_range(block.getOps<ScanOp>()))
    prune(scan);
}

// Purpose: update each parameter as soon as its gradient is final, and take the
// gradient's part of the norm there, so that its memory is free for the next.
// Before: all of the update after all of the backward. After: an op that no
// library call and no collective waits for stands after the last of its
// operands; others stay in their order.
//
// Who still reads the old value of a parameter runs before its update: that is
// not decided here, but by mpc-plan-buffers, which keeps this order where it
// can.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"

namespace mpc::graph {
#define GEN_PASS_DEF_HOISTUPDATES
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

/// The ops of `block` that a library call or collective needs.
DenseSet<Operation *> neededByCalls(Block &block) {
  DenseSet<Operation *> needed;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    OpForm form = getOpForm(&op);
    bool isCall = form == OpForm::Library || form == OpForm::Outside;
    if (isCall || llvm::any_of(op.getUsers(), [&](Operation *user) {
          return needed.contains(user);
        }))
      needed.insert(&op);
  }
  return needed;
}

/// Ops in their new order: by the place of the last op that they wait for, then
/// by their own, which keeps every op after its operands.
SmallVector<Operation *> hoist(Block &block) {
  DenseSet<Operation *> needed = neededByCalls(block);
  DenseMap<Operation *, unsigned> placeOf;
  SmallVector<std::tuple<unsigned, unsigned, Operation *>> order;
  for (auto [index, op] : llvm::enumerate(block.without_terminator())) {
    unsigned place = needed.contains(&op) ? index : 0;
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        place = std::max(place, placeOf.lookup(producer));
    placeOf[&op] = place;
    order.push_back({place, unsigned(index), &op});
  }
  llvm::sort(order);
  return llvm::map_to_vector(order,
                             [](auto entry) { return std::get<2>(entry); });
}

struct HoistUpdates final : impl::HoistUpdatesBase<HoistUpdates> {
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<FuncOp>()) {
      if (func.isExternal() ||
          !updatesInBackward(func->getAttrOfType<TrainingAttr>(kTrainingAttr)))
        continue;
      Block &block = func.getBody().front();
      for (Operation *op : hoist(block))
        op->moveBefore(block.getTerminator());
    }
  }
};
} // namespace

// Purpose: one block per function. Takes the frames of graph.autocast_region
// away and writes the settings in effect on their ops; inlines the calls of
// graph.custom that have no word of their own, whose ops autocast treats one
// by one, as if they stood in the caller.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mpc/Dialect/Graph/IR/Ops/Region.h"
#include "mpc/Dialect/Graph/Transforms/Implementations.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"

namespace mpc::graph {
#define GEN_PASS_DEF_INLINEREGIONS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

/// Marks what `region` makes and does not yield, nested regions having been
/// taken away.
void markRecomputed(AutocastRegionOp region) {
  Block &body = region.getBody().front();
  DenseSet<Operation *> yielding;
  for (Value value : body.getTerminator()->getOperands())
    yielding.insert(value.getDefiningOp());
  auto unit = mlir::UnitAttr::get(region.getContext());
  for (Operation &op : body.without_terminator())
    if (!yielding.contains(&op) && !op.hasTrait<mlir::OpTrait::ConstantLike>())
      op.setAttr(kRecomputeAttr, unit);
    else if (isa<CustomOp>(op))
      op.setAttr(kRecomputeInsideAttr, unit);
}

/// Writes `settings` on the ops of `block`, those of nested regions included,
/// and takes the nested frames away. Constants belong to no region: where they
/// are equal they are one. Answers whether anything changed.
bool flatten(Block &block, AutocastRegionAttr settings) {
  bool changed = false;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto own = op.getAttrOfType<AutocastRegionAttr>(kRegionAttr);
    AutocastRegionAttr effective = nestRegions(settings, own);
    auto region = dyn_cast<AutocastRegionOp>(op);
    if (region) {
      Block &body = region.getBody().front();
      flatten(body, nestRegions(effective, region.getSettings()));
      if (region.getSettings().getRecompute())
        markRecomputed(region);
      Operation *yield = body.getTerminator();
      region->replaceAllUsesWith(yield->getOperands());
      yield->erase();
      block.getOperations().splice(op.getIterator(), body.getOperations());
      region.erase();
      changed = true;
    } else if (effective && !op.hasTrait<mlir::OpTrait::ConstantLike>() &&
               !op.hasTrait<mlir::OpTrait::IsTerminator>()) {
      changed |= effective != own;
      op.setAttr(kRegionAttr, effective);
    }
  }
  return changed;
}

struct InlineRegions final : impl::InlineRegionsBase<InlineRegions> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkCalls(module)))
      return signalPassFailure();
    bool changed = false;
    for (auto func : module.getOps<FuncOp>())
      for (Block &block : func.getBody())
        changed |= flatten(block, {});
    mlir::SymbolTableCollection symbols;
    for (auto func : module.getOps<FuncOp>())
      changed |= inlineCalls(func, symbols);
    changed |= eraseUnusedImplementations(module);
    if (!changed)
      markAllAnalysesPreserved(); // Nothing is verified again.
  }

private:
  /// Calls of calls are met again in what was inlined; there is no recursion.
  bool inlineCalls(FuncOp func, mlir::SymbolTableCollection &symbols) {
    SmallVector<CustomOp> calls;
    func.walk([&](CustomOp call) { calls.push_back(call); });
    bool changed = false;
    for (size_t i = 0; i < calls.size(); ++i)
      if (!calls[i].isOpaque()) {
        inlineCall(calls[i], getImplementation(calls[i], symbols), calls);
        changed = true;
      }
    return changed;
  }

  void inlineCall(CustomOp call, FuncOp implementation,
                  SmallVectorImpl<CustomOp> &calls) {
    Block &body = implementation.getBody().front();
    auto outer = call->getAttrOfType<AutocastRegionAttr>(kRegionAttr);
    OpBuilder builder(call);
    mlir::IRMapping map;
    map.map(body.getArguments(), call.getInputs());
    for (Operation &op : body.without_terminator()) {
      Operation *clone = builder.clone(op, map);
      clone->setLoc(mlir::CallSiteLoc::get(op.getLoc(), call.getLoc()));
      auto own = op.getAttrOfType<AutocastRegionAttr>(kRegionAttr);
      if (AutocastRegionAttr settings = nestRegions(outer, own);
          settings && !op.hasTrait<mlir::OpTrait::ConstantLike>())
        clone->setAttr(kRegionAttr, settings);
      if (!op.hasTrait<mlir::OpTrait::ConstantLike>())
        inheritRecompute(call, &op, clone);
      if (auto nested = dyn_cast<CustomOp>(clone))
        calls.push_back(nested);
    }
    for (auto [result, value] :
         llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(map.lookupOrDefault(value));
    call.erase();
  }
};

} // namespace

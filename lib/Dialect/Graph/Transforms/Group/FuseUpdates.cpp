// Purpose: one kernel over all parameters instead of one per parameter, where
// the runtime has such kernels.
// Before: unscale, norm, clip, optimizer, skip and copy of each parameter.
// After: one graph.unscale_l2norm per type of gradients, and one fused op per
// kind of update.
// Algorithm: UpdateAnalysis decides; each fused op is built at the end of the
// block, its results take the place of the old values, and the block is sorted
// again, since a fused op needs the last gradient and serves the first reader.
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/Analysis/UpdateAnalysis.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/OptimizerLists.h"
#include "mpc/Dialect/Graph/Transforms/DeadOps.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "mpc/Text/Phases.h"
#include "llvm/ADT/MapVector.h"

namespace mpc::graph {
#define GEN_PASS_DEF_FUSEUPDATES
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {
namespace remark = mlir::remark;

int64_t countBytes(ArrayRef<Value> gradients) {
  int64_t bytes = 0;
  for (Value gradient : gradients)
    bytes += getStoredBytes(cast<RankedTensorType>(gradient.getType()));
  return bytes;
}

/// Numbers of lists of gradients, those of the most bytes first.
SmallVector<size_t> sortByBytes(ArrayRef<ArrayRef<Value>> lists) {
  SmallVector<std::pair<int64_t, size_t>> order;
  for (auto [number, gradients] : llvm::enumerate(lists))
    order.push_back({-countBytes(gradients), number});
  llvm::sort(order);
  return llvm::map_to_vector(order, [](auto one) { return one.second; });
}

/// Gradients by their types, those of the most bytes first: what only a later
/// list waits for is small.
SmallVector<SmallVector<Value>> listsOf(const FusedNorm &norm) {
  llvm::MapVector<Type, SmallVector<Value>> byType;
  for (Value gradient : norm.gradients)
    byType[mlir::getElementTypeOrSelf(gradient)].push_back(gradient);
  SmallVector<ArrayRef<Value>> lists;
  for (auto &[_, gradients] : byType)
    lists.push_back(gradients);
  return llvm::map_to_vector(sortByBytes(lists), [&](size_t number) {
    return llvm::to_vector(lists[number]);
  });
}

/// One kernel reads gradients of one type. Of two kinds the norm is that of the
/// two norms, and what either finds is found.
void replaceNorm(const FusedNorm &norm, mlir::ImplicitLocOpBuilder &builder) {
  UnscaleOp unscale = norm.unscale;
  GlobalNormOp globalNorm = norm.norm;
  Value foundInf;
  SmallVector<Value> norms;
  for (ArrayRef<Value> gradients : listsOf(norm)) {
    auto fused = UnscaleL2NormOp::create(
        builder, gradients, unscale ? unscale.getScale() : Value());
    foundInf = foundInf
                   ? LogicalOrOp::create(builder, foundInf, fused.getFoundInf())
                         .getResult()
                   : fused.getFoundInf();
    norms.push_back(fused.getNorm());
  }
  if (unscale)
    unscale.getFoundInf().replaceAllUsesWith(foundInf);
  if (globalNorm)
    globalNorm.getResult().replaceAllUsesWith(
        norms.size() == 1
            ? norms.front()
            : GlobalNormOp::create(builder, norms, builder.getF64FloatAttr(2.0))
                  .getResult());
}

Operation *getOld(const FusedNorm &norm) {
  return norm.unscale ? UnscaleOp(norm.unscale).getOperation()
                      : GlobalNormOp(norm.norm).getOperation();
}

/// All in one place, those of the most bytes first.
void replaceNorms(ArrayRef<FusedNorm> all) {
  auto gradients = llvm::map_to_vector(all, [](const FusedNorm &norm) {
    return ArrayRef<Value>(norm.gradients);
  });
  for (size_t number : sortByBytes(gradients)) {
    mlir::ImplicitLocOpBuilder builder(getOld(all[number])->getLoc(),
                                       getOld(all.front()));
    replaceNorm(all[number], builder);
  }
}

UpdateLists listsOf(const FusedUpdate &update) {
  UpdateLists lists;
  lists.foundInf = update.foundInf;
  lists.scale = update.scale;
  lists.coefficient = update.coefficient;
  size_t moments = update.updates.front().next.size() - 1;
  lists.moments.resize(moments);
  for (const ParameterUpdate &one : update.updates) {
    OptimizerOpInterface optimizer = one.optimizer;
    lists.parameters.push_back(optimizer.getParameter());
    lists.gradients.push_back(one.gradient);
    for (auto [list, moment] : llvm::zip(lists.moments, optimizer.getMoments()))
      list.push_back(moment);
  }
  if (Value copy = update.updates.front().copy)
    lists.copyType = mlir::getElementTypeOrSelf(copy);
  return lists;
}

void replaceUpdates(const FusedUpdate &update,
                    mlir::ImplicitLocOpBuilder &builder) {
  OptimizerOpInterface first = update.updates.front().optimizer;
  ValueRange results = first.buildFused(builder, listsOf(update));
  size_t count = update.updates.size();
  for (auto [index, one] : llvm::enumerate(update.updates)) {
    size_t at = index;
    for (Value next : one.next) {
      next.replaceAllUsesWith(results[at]);
      at += count;
    }
    if (Value copy = one.copy)
      copy.replaceAllUsesWith(results[at]);
  }
}

struct FuseUpdates final : impl::FuseUpdatesBase<FuseUpdates> {
  using Base::Base;

  void report(FuncOp func, const UpdateAnalysis &analysis) {
    auto options = [&](StringRef name) {
      return remark::RemarkOpts::name(name)
          .category("mpc-fuse-updates")
          .function(func.getName());
    };
    for (const FusedUpdate &update : analysis.getUpdates()) {
      OptimizerOpInterface first = update.updates.front().optimizer;
      remark::passed(first.getLoc(), options("update"))
          << ("one update of " + Twine(update.updates.size()) + " parameters")
                 .str();
    }
    for (const UpdateRefusal &refusal : analysis.getRefusals())
      remark::missed(refusal.op->getLoc(), options("update"))
          << ("'" + refusal.op->getName().getStringRef() +
              "' is not fused: " + refusal.reason)
                 .str();
  }

  void runOn(FuncOp func) {
    Block &block = func.getBody().front();
    UpdateAnalysis analysis(block);
    report(func, analysis);
    for (const FusedUpdate &update : analysis.getUpdates()) {
      mlir::ImplicitLocOpBuilder builder(nameUpdate("", func.getLoc()),
                                         block.getTerminator());
      replaceUpdates(update, builder);
    }
    // After the updates: their skip and clip then read the new values, too.
    replaceNorms(analysis.getNorms());
    eraseDeadOps(block);
    mlir::sortTopologically(&block);
  }

  void runOnOperation() override {
    if (!getTarget(getOperation()).hasMultiTensorKernels)
      return markAllAnalysesPreserved();
    for (auto func : getOperation().getOps<FuncOp>())
      if (!func.isExternal())
        runOn(func);
  }
};
} // namespace

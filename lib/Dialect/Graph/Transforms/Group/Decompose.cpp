// Purpose: leave only elementwise ops, reductions, movements and library
// calls, so that grouping and emitting know three kinds of op and no composite.
// Each op says itself what it is made of (DecomposableOpInterface); this pass
// only asks.
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"

namespace mpc::graph {
#define GEN_PASS_DEF_DECOMPOSE
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;

namespace {
struct Decompose final : graph::impl::DecomposeBase<Decompose> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<DecomposableOpInterface> composites;
    getOperation().walk([&](DecomposableOpInterface op) {
      if (op.isComposite())
        composites.push_back(op);
    });
    for (DecomposableOpInterface op : composites) {
      mlir::ImplicitLocOpBuilder builder(op.getLoc(), op);
      op->replaceAllUsesWith(op.decompose(builder));
      op->erase();
    }
    if (composites.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace

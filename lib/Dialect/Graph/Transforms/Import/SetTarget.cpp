// Purpose: say once, on the module, what it is compiled for. Passes that need
// to know ask graph::getTarget.
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Interfaces/Target.h"

namespace mpc::graph {
#define GEN_PASS_DEF_SETTARGET
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;

namespace {
struct SetTarget final : impl::SetTargetBase<SetTarget> {
  using Base::Base;

  /// Groups hold what one library can do: they are made for a target.
  bool isGrouped() {
    return getOperation()
        ->walk([](GroupOp) { return mlir::WalkResult::interrupt(); })
        .wasInterrupted();
  }

  LogicalResult set() {
    ModuleOp module = getOperation();
    if (target.empty())
      return success();
    const TargetDescription *wanted = findTarget(target);
    if (!wanted)
      return module.emitError() << "unknown target '" << target
                                << "': expected one of " << targetNames();
    const TargetDescription &present = getTarget(module);
    if (wanted == &present)
      return success();
    if (isGrouped())
      return module.emitError() << "expected a module for target '" << target
                                << "', but it is grouped for '" << present.name
                                << "'; start at stage 'simplify' or before";
    module->setAttr(kTargetAttr, StringAttr::get(&getContext(), target));
    return success();
  }

  void runOnOperation() override {
    if (failed(set()))
      signalPassFailure();
  }
};
} // namespace

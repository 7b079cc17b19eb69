// Gate of stage group: every op is executed by exactly one group, except
// collectives, kernels of the runtime, constants that are not splats, and
// returns, which stand outside.
// Reshapes at the border of groups do no work and may stand outside too.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Interfaces/OptimizerOpInterface.h"

namespace mpc::graph {
#define GEN_PASS_DEF_VERIFYGROUP
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

static bool isLargeConstant(Operation &op) {
  auto constant = dyn_cast<ConstantOp>(op);
  return constant && !mlir::isa<mlir::SplatElementsAttr>(constant.getValue());
}

/// Ops that ranks execute together, that a kernel of the runtime executes, or
/// that hold data: never in a group.
static bool standsOutside(Operation &op) {
  return isa<AllReduceOp, SumOverRanksOp>(op) || op.hasTrait<RuntimeKernel>() ||
         isLargeConstant(op);
}

/// Whether each operand is a part of `op` where a group has written it.
static bool isWrittenInParts(Operation &op) {
  return llvm::all_of(op.getOperands(), [](Value part) {
    auto maker = part.getDefiningOp<GroupOp>();
    return maker &&
           !maker.isDense(cast<mlir::OpResult>(part).getResultNumber());
  });
}

/// A reshape, or a mere order: whoever reads it reads its operand's buffer; or
/// a concat of what lies in place.
static bool isView(Operation &op) {
  if (op.hasTrait<OrdersOnly>())
    return true;
  auto movement = dyn_cast<MovementOpInterface>(op);
  if (!movement)
    return false;
  Movement::Kind kind = movement.getMovement().kind;
  return kind == Movement::Kind::Reshape ||
         (kind == Movement::Kind::InsertSlices && isWrittenInParts(op));
}

static bool isComposite(Operation &op) {
  auto decomposable = dyn_cast<DecomposableOpInterface>(op);
  return decomposable && decomposable.isComposite();
}

static LogicalResult checkGroup(GroupOp group) {
  Block &body = group.getBody().front();
  if (body.without_terminator().empty())
    return group.emitError("expected a group of at least one op, but got an "
                           "empty one");
  for (Operation &op : body.without_terminator()) {
    if (!isa<GroupOp>(op) && !standsOutside(op) && !isComposite(op))
      continue;
    auto error = op.emitError();
    if (isComposite(op))
      error << "expected '" << op.getName()
            << "' to be decomposed, but got it in a group";
    else
      error << "expected '" << op.getName()
            << "' outside of groups, but got it in one";
    error.attachNote(group.getLoc()) << "the group";
    return error;
  }
  return success();
}

static LogicalResult check(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto group = dyn_cast<GroupOp>(op)) {
      if (failed(checkGroup(group)))
        return failure();
    } else if (auto scan = dyn_cast<ScanOp>(op)) {
      if (failed(check(scan.getBody().front())))
        return failure();
    } else if (!standsOutside(op) && !isView(op)) {
      return op.emitError() << "expected '" << op.getName()
                            << "' to be in a group, but got it outside";
    }
  }
  return success();
}

namespace {
struct VerifyGroup final : impl::VerifyGroupBase<VerifyGroup> {
  using Base::Base;
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(mlir::verify(getOperation())) ||
        failed(verifyStates(getOperation())))
      return signalPassFailure();
    for (auto func : getOperation().getOps<FuncOp>())
      if (!func.isExternal() && failed(check(func.getBody().front())))
        return signalPassFailure();
  }
};
} // namespace

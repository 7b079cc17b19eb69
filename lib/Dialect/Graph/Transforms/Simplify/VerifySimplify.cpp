// Gate of stage simplify: nothing dead is left, no cast of the compiler changes
// nothing, and every entry that trains or infers still says how to round.
//
// A cast of the user may be anything; it is never complained about.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"

namespace mpc::graph {
#define GEN_PASS_DEF_VERIFYSIMPLIFY
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

static bool holds(Type wide, Type narrow) {
  return wide == narrow || (wide.isF64() && isa<FloatType>(narrow)) ||
         (wide.isF32() && (narrow.isF16() || narrow.isBF16()));
}

/// A cast that the compiler inserted must do something: x -> x does not, and
/// neither does the way back from a type that held the value exactly.
static LogicalResult checkCast(CastOp cast) {
  if (!cast.getReason())
    return success();
  Type from = mlir::getElementTypeOrSelf(cast.getInput());
  Type to = mlir::getElementTypeOrSelf(cast.getResult());
  if (from == to)
    return cast.emitError() << "expected a cast to change the type, but got "
                            << from << " to " << to;
  auto inner = cast.getInput().getDefiningOp<CastOp>();
  if (!inner || !inner.getReason())
    return success();
  Type origin = mlir::getElementTypeOrSelf(inner.getInput());
  if (origin != to || !holds(from, origin))
    return success();
  auto error = cast.emitError()
               << "expected the exact round trip " << origin << " to " << from
               << " to " << to << " to be folded, but it is still here";
  error.attachNote(inner.getLoc()) << "the first half";
  return error;
}

static LogicalResult check(FuncOp func) {
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (isOpTriviallyDead(&op))
      return op.emitError() << "expected every op to be used, but nothing uses "
                               "the results of '"
                            << op.getName() << "'";
    if (auto cast = dyn_cast<CastOp>(op); cast && failed(checkCast(cast)))
      return failure();
  }
  auto entry = func->getAttrOfType<StringAttr>(kEntryAttr);
  if (entry != "init" && !func->getAttrOfType<TrainingAttr>(kTrainingAttr))
    return func.emitError() << "expected entry '" << entry.getValue()
                            << "' to have 'graph.training', which says how to "
                               "round, but got none";
  return success();
}

namespace {
struct VerifySimplify final : impl::VerifySimplifyBase<VerifySimplify> {
  using Base::Base;
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(mlir::verify(getOperation())) ||
        failed(verifyStates(getOperation())))
      return signalPassFailure();
    for (auto func : getOperation().getOps<FuncOp>())
      if (!func.isExternal() && func->getAttrOfType<StringAttr>(kEntryAttr) &&
          failed(check(func)))
        return signalPassFailure();
  }
};
} // namespace

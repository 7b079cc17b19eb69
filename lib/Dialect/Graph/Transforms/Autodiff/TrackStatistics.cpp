// Purpose: what a model keeps of its batches becomes part of each step.
//
// Algorithm: walk the ops of a step in order and ask those with running
// statistics for their next values, given what the ops before have made of the
// same states; return the last of each. All that is built stands behind the
// seed, since what stands in front of it is the model.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"
#include "mpc/Program/Names.h"
#include "llvm/ADT/MapVector.h"

namespace mpc::graph {
#define GEN_PASS_DEF_TRACKSTATISTICS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

/// An error unless `operand` is a state that the model keeps.
static LogicalResult checkState(FuncOp func, mlir::OpOperand &operand) {
  auto argument = dyn_cast<mlir::BlockArgument>(operand.get());
  if (argument &&
      getRole(func, argument.getArgNumber()) == Role::RunningStatistic)
    return success();
  InFlightDiagnostic error =
      operand.getOwner()->emitOpError(
          "expected running statistics that a step can move, states of the "
          "model, but got another value as operand ")
      << operand.getOperandNumber() << "; mark the argument by '" << kStateAttr
      << " = #graph.state<\"name\" running_statistic init #graph.zeros>' (of a "
         "variance: init #graph.fill<1.0>), or say 'inference' if they stay as "
         "they are";
  if (argument)
    error.attachNote(argument.getLoc()) << "the argument";
  return error;
}

/// An error unless `moved` is an average of `running`: micro-batches and ranks
/// ask it what is moved, and how far.
static LogicalResult checkAverage(Operation *op, Value running, Value moved) {
  auto average = moved.getDefiningOp<MovingAverageOpInterface>();
  if (average && average.getMoved().get() == running)
    return success();
  return op->emitOpError("expected buildTracked to answer a moving average of "
                         "each running statistic, but got another value");
}

static LogicalResult track(FuncOp step) {
  SmallVector<RunningStatisticsOpInterface> ops;
  Operation *behind = nullptr;
  for (Operation &op : step.getBody().front()) {
    if (auto statistics = dyn_cast<RunningStatisticsOpInterface>(op))
      ops.push_back(statistics);
    if (op.hasAttr(kSeedAttr))
      behind = &op;
  }
  if (!behind)
    return success();
  OpBuilder at(step.getContext());
  at.setInsertionPointAfter(behind);
  llvm::MapVector<Value, Value> next; // Of states.
  for (RunningStatisticsOpInterface op : ops) {
    SmallVector<mlir::OpOperand *> tracked = op.getTracked();
    SmallVector<Value> running;
    for (mlir::OpOperand *operand : tracked) {
      if (failed(checkState(step, *operand)))
        return failure();
      running.push_back(
          next.try_emplace(operand->get(), operand->get()).first->second);
    }
    if (tracked.empty())
      continue;
    mlir::ImplicitLocOpBuilder builder(op.getLoc(), at);
    FailureOr<SmallVector<Value>> moved = op.buildTracked(builder, running);
    if (failed(moved))
      return failure();
    for (auto [operand, before, value] :
         llvm::zip_equal(tracked, running, *moved)) {
      if (failed(checkAverage(op, before, value)))
        return failure();
      next[operand->get()] = value;
    }
  }
  SignatureEditor signature(step);
  for (auto [state, value] : next)
    signature.addResult(value, kUpdatesAttr, signature.nameOf(state));
  signature.finish();
  return success();
}

namespace {
struct TrackStatistics final : impl::TrackStatisticsBase<TrackStatistics> {
  using Base::Base;
  void runOnOperation() override {
    for (FuncOp step : entryFunctions(getOperation(), program::kStepEntry))
      if (failed(track(step)))
        return signalPassFailure();
  }
};
} // namespace

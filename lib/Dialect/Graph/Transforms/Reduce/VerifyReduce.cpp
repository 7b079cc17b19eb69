// Gate of stage reduce: each gradient is reduced exactly once, scaled, and in
// buckets of one element type: the sum over micro-batches by the step alone, or
// what each of them adds to it by both entries.
#include "../GradientUses.h"
#include "../MovedStatistics.h"
#include "../StepFlow.h"
#include "mlir/IR/Verifier.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Program/Names.h"

namespace mpc::graph {
#define GEN_PASS_DEF_VERIFYREDUCE
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

/// Order: nothing is reduced twice, or after unscale.
static LogicalResult checkInputs(AllReduceOp reduce, const StepFlow &flow) {
  for (auto [index, input] : llvm::enumerate(reduce.getInputs())) {
    if (Operation *first = flow.reducedAt(input)) {
      auto error = reduce.emitError()
                   << "expected input #" << index
                   << " to be reduced once, but got one that is reduced twice";
      error.attachNote(first->getLoc()) << "reduced here first";
      return error;
    }
    if (Operation *unscale = flow.unscaledAt(input)) {
      auto error = reduce.emitError()
                   << "expected gradients to be reduced before they are "
                      "unscaled and checked, but got input #"
                   << index << " after graph.unscale";
      error.attachNote(unscale->getLoc()) << "unscaled here";
      return error;
    }
  }
  return success();
}

/// The buckets of running statistics, which are averaged whatever gradients
/// are.
static DenseSet<Operation *> statisticBuckets(FuncOp func) {
  DenseSet<Operation *> buckets;
  for (mlir::OpOperand *use : statisticUses(func))
    if (auto reduce = use->get().getDefiningOp<AllReduceOp>())
      buckets.insert(reduce);
  return buckets;
}

static LogicalResult checkStatistics(FuncOp func) {
  for (mlir::OpOperand *use : statisticUses(func)) {
    auto reduce = use->get().getDefiningOp<AllReduceOp>();
    if (!reduce || reduce.getKind() != ReduceKind::Average)
      return use->getOwner()->emitError(
          "expected what a running statistic is moved towards to be averaged "
          "over ranks, but got another value");
  }
  return success();
}

/// One number per bucket, one kind for all gradients; one type is the op's own
/// rule.
static LogicalResult checkBuckets(FuncOp func, const StepFlow &flow) {
  DenseMap<int64_t, AllReduceOp> bucketOf;
  DenseSet<Operation *> ofStatistics = statisticBuckets(func);
  AllReduceOp front;
  for (AllReduceOp reduce : flow.reductions) {
    if (failed(checkInputs(reduce, flow)))
      return failure();
    auto [other, isNew] =
        bucketOf.try_emplace(int64_t(reduce.getBucket()), reduce);
    if (!isNew) {
      auto error = reduce.emitError()
                   << "expected each bucket to have its own number, but got "
                   << reduce.getBucket() << " twice";
      error.attachNote(other->second.getLoc()) << "the first one";
      return error;
    }
    if (ofStatistics.contains(reduce))
      continue;
    if (!front)
      front = reduce;
    if (reduce.getKind() != front.getKind() ||
        reduce.getGroup() != front.getGroup()) {
      auto error = reduce.emitError()
                   << "expected all buckets to be reduced alike, but got "
                   << stringifyReduceKind(reduce.getKind()) << " over '"
                   << reduce.getGroup() << "' and "
                   << stringifyReduceKind(front.getKind()) << " over '"
                   << front.getGroup() << "'";
      error.attachNote(front.getLoc()) << "the first bucket";
      return error;
    }
  }
  return success();
}

/// A step that is marked for one rank reduces nothing.
static LogicalResult checkSingleRank(FuncOp func, const StepFlow &flow) {
  if (flow.reductions.empty())
    return success();
  return flow.reductions.front()->emitError()
         << "expected no graph.all_reduce in a step for one rank, which '"
         << func.getName() << "' is marked as";
}

static LogicalResult checkGradients(FuncOp func, const StepFlow &flow) {
  for (UnscaleOp unscale : flow.unscales)
    for (auto [index, gradient] : llvm::enumerate(unscale.getGradients()))
      if (!flow.reducedAt(gradient))
        return unscale.emitError()
               << "expected gradients that are reduced, but no "
                  "graph.all_reduce reaches gradient #"
               << index;
  for (const Marked &gradient : markedResults(func, kGradientAttr))
    if (!flow.reducedAt(gradient.value))
      return mlir::emitError(locationOf(gradient.value, func))
             << "expected the gradient of '" << gradient.name.getValue()
             << "' to be reduced, but no graph.all_reduce reaches it";
  return success();
}

/// What a micro-batch adds to the sums is reduced.
static LogicalResult checkAdded(FuncOp func, const StepFlow &flow) {
  for (mlir::OpOperand *added : addedGradients(func))
    if (!flow.reducedAt(added->get()))
      return added->getOwner()->emitError()
             << "expected what a micro-batch adds to a sum of gradients to be "
                "reduced (reduce_each = micro-batch), but no graph.all_reduce "
                "reaches it";
  return success();
}

static LogicalResult checkStep(FuncOp func, bool isEach) {
  StepFlow flow(func);
  if (func->hasAttr(kSingleRankAttr))
    return checkSingleRank(func, flow);
  if (failed(checkBuckets(func, flow)) || failed(checkGradients(func, flow)) ||
      failed(checkStatistics(func)))
    return failure();
  return isEach ? checkAdded(func, flow) : success();
}

static LogicalResult checkAccumulate(FuncOp func, bool isEach) {
  StepFlow flow(func);
  if (isEach)
    return success(succeeded(checkBuckets(func, flow)) &&
                   succeeded(checkAdded(func, flow)));
  if (flow.reductions.empty())
    return success();
  return flow.reductions.front()->emitError()
         << "expected the sum over micro-batches to be reduced, by 'step' "
            "alone, but got an all-reduce in 'accumulate'";
}

namespace {
struct VerifyReduce final : impl::VerifyReduceBase<VerifyReduce> {
  using Base::Base;

  LogicalResult checkModule(FuncOp step, ArrayRef<FuncOp> accumulates) {
    auto training = step->getAttrOfType<TrainingAttr>(kTrainingAttr);
    bool isEach = training && !step->hasAttr(kSingleRankAttr) &&
                  reducesEachMicroBatch(training);
    if (failed(checkStep(step, isEach)))
      return failure();
    return success(llvm::all_of(accumulates, [&](FuncOp accumulate) {
      return succeeded(checkAccumulate(accumulate, isEach));
    }));
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(mlir::verify(getOperation())) ||
        failed(verifyStates(getOperation())))
      return signalPassFailure();
    SmallVector<FuncOp> accumulates =
        entryFunctions(getOperation(), program::kAccumulateEntry);
    for (FuncOp step : entryFunctions(getOperation(), program::kStepEntry))
      if (failed(checkModule(step, accumulates)))
        return signalPassFailure();
  }
};
} // namespace

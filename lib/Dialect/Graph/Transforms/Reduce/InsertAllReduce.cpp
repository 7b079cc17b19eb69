// Purpose: make the gradients of all ranks one, while they are still scaled:
// found_inf is then computed from values that are equal on every rank and needs
// no agreement of its own.
//
// Algorithm: walk the gradients in the order in which the backward finishes
// them and fill a bucket per element type until the next gradient would pass
// the bound. That gives the fewest buckets, and among the ways to have so few
// the one whose last bucket is smallest; only the last bucket's message cannot
// hide behind the backward. Each op stands right after its last gradient.
#include "../GradientUses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include "mpc/Dialect/Graph/Training/ApplySettings.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Program/Names.h"
#include "llvm/ADT/MapVector.h"

namespace mpc::graph {
#define GEN_PASS_DEF_INSERTALLREDUCE
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {
/// Gradients that travel together.
struct Bucket {
  SmallVector<Value> values;
  int64_t bytes = 0;
};
} // namespace

static int64_t bytesOf(Value value) {
  return getStoredBytes(cast<RankedTensorType>(value.getType()));
}

/// The gradients, each value once, ordered by where they are finished.
static SmallVector<Value> finishingOrder(FuncOp func,
                                         ArrayRef<Value> gradients) {
  llvm::SetVector<Value> distinct(gradients.begin(), gradients.end());
  SmallVector<Value> ordered;
  for (Value argument : func.getArguments())
    if (distinct.contains(argument))
      ordered.push_back(argument);
  for (Operation &op : func.getBody().front())
    for (Value result : op.getResults())
      if (distinct.contains(result))
        ordered.push_back(result);
  return ordered;
}

static SmallVector<Bucket> fillBuckets(ArrayRef<Value> ordered,
                                       int64_t bucketBytes) {
  SmallVector<Bucket> closed;
  llvm::MapVector<Type, Bucket> open;
  for (Value value : ordered) {
    Bucket &bucket = open[mlir::getElementTypeOrSelf(value.getType())];
    if (!bucket.values.empty() && bucket.bytes + bytesOf(value) > bucketBytes)
      closed.push_back(std::exchange(bucket, {}));
    bucket.values.push_back(value);
    bucket.bytes += bytesOf(value);
  }
  for (auto &[type, bucket] : open)
    closed.push_back(std::move(bucket));
  return closed;
}

/// One op per bucket; `gradients` then read its results.
static void reduce(ArrayRef<Bucket> buckets, ReduceKind kind,
                   ArrayRef<OpOperand *> gradients) {
  IRMapping reduced;
  for (auto [index, bucket] : llvm::enumerate(buckets)) {
    Value last = bucket.values.back();
    OpBuilder builder(last.getContext());
    builder.setInsertionPointAfterValue(last);
    auto op = AllReduceOp::create(builder, last.getLoc(),
                                  ValueRange(bucket.values).getTypes(),
                                  bucket.values, kind, "data", index);
    reduced.map(bucket.values, op.getResults());
  }
  for (OpOperand *gradient : gradients)
    gradient->set(reduced.lookup(gradient->get()));
}

namespace {
struct InsertAllReduce final : impl::InsertAllReduceBase<InsertAllReduce> {
  using Base::Base;

  LogicalResult runOn(FuncOp func) {
    if (reduceKind != "average" && reduceKind != "sum" && reduceKind != "none")
      return func.emitError() << "expected average, sum or none for option "
                                 "'reduce', but got '"
                              << reduceKind << "'";
    auto emitError = [&] { return func.emitError(); };
    TrainingSettings settings =
        readSettings(func->getAttrOfType<TrainingAttr>(kTrainingAttr));
    if (failed(
            applyTexts(settings, {{"bucket-bytes", bucketBytes}}, emitError)))
      return failure();
    FailureOr<TrainingAttr> training =
        buildTraining(settings, &getContext(), emitError);
    if (failed(training))
      return failure();
    func->setAttr(kTrainingAttr, *training);
    if (auto twice = func.getOps<AllReduceOp>(); !twice.empty())
      return (*twice.begin())
          ->emitError("expected gradients that are not reduced yet, but got an "
                      "all-reduce");

    if (reduceKind == "none") {
      func->setAttr(kSingleRankAttr, mlir::UnitAttr::get(&getContext()));
      return success();
    }
    SmallVector<OpOperand *> uses = gradientUses(func);
    SmallVector<Value> gradients;
    for (OpOperand *use : uses)
      gradients.push_back(use->get());
    reduce(fillBuckets(finishingOrder(func, gradients),
                       training->getStep().bucketBytes),
           reduceKind == "sum" ? ReduceKind::Sum : ReduceKind::Average, uses);
    return success();
  }

  void runOnOperation() override {
    for (FuncOp func : entryFunctions(getOperation(), program::kStepEntry))
      if (failed(runOn(func)))
        return signalPassFailure();
  }
};
} // namespace

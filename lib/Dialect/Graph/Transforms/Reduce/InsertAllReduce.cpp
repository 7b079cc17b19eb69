// Purpose: make the gradients of all ranks one, while they are still scaled:
// found_inf is then computed from values that are equal on every rank and needs
// no agreement of its own.
//
// Algorithm: finish gradients early: what they alone need moves up to where its
// operands are there, since the backward of what the forward does first, as the
// casts of weights, comes last. Cast them to the type that they travel in; walk
// them in the order in which they are finished and fill buckets (Buckets.h).
// Each op stands right after its last gradient. Of several micro-batches the
// sum is reduced, by the step, or what each adds to it (`reduce-each`), by both
// entries: an average is linear, so that the sums are the same but for the
// order of rounding, and an infinity of any rank and micro-batch is still in
// them. What running statistics are moved towards is averaged by the step, too,
// in buckets in front of the gradients': it travels during the backward, and
// all ranks keep the same ones.
#include "../GradientUses.h"
#include "../MovedStatistics.h"
#include "Buckets.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include "mpc/Dialect/Graph/Training/ApplySettings.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Program/Names.h"

namespace mpc::graph {
#define GEN_PASS_DEF_INSERTALLREDUCE
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

/// Moves the casts that `gradient` ends with up behind what is cast.
static void finishEarly(Value gradient) {
  SmallVector<CastOp> casts;
  while (auto cast = gradient.getDefiningOp<CastOp>()) {
    casts.push_back(cast);
    gradient = cast.getInput();
  }
  Operation *behind = gradient.getDefiningOp();
  for (CastOp cast : llvm::reverse(casts)) {
    if (behind)
      cast->moveAfter(behind);
    behind = cast;
  }
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

/// The type in which a gradient of `type` travels.
static Type getSentType(Type type, ReduceType reduceType) {
  auto tensor = cast<RankedTensorType>(type);
  Builder builder(type.getContext());
  if (tensor.getElementType().isF64())
    return type;
  switch (reduceType) {
  case ReduceType::Gradient:
    return type;
  case ReduceType::F32:
    return tensor.clone(builder.getF32Type());
  case ReduceType::F16:
    return tensor.clone(builder.getF16Type());
  case ReduceType::Bf16:
    return tensor.clone(builder.getBF16Type());
  }
  llvm_unreachable("all types are listed");
}

static Value castTo(OpBuilder &builder, Type type, Value value) {
  if (value.getType() == type)
    return value;
  return CastOp::create(builder, value.getLoc(), type, value,
                        builder.getStringAttr("reduce-type"));
}

/// Each gradient as it travels.
static SmallVector<Value> castForTheWay(ArrayRef<Value> gradients,
                                        ReduceType type) {
  SmallVector<Value> sent;
  for (Value gradient : gradients) {
    OpBuilder builder(gradient.getContext());
    builder.setInsertionPointAfterValue(gradient);
    sent.push_back(
        castTo(builder, getSentType(gradient.getType(), type), gradient));
  }
  return sent;
}

/// One op per bucket, right behind what it carries, numbered from `first`; the
/// results by what was sent.
static IRMapping insertReductions(ArrayRef<Bucket> buckets, ReduceKind kind,
                                  size_t first = 0) {
  IRMapping reduced;
  for (auto [index, bucket] : llvm::enumerate(buckets)) {
    Value last = bucket.values.back();
    OpBuilder builder(last.getContext());
    builder.setInsertionPointAfterValue(last);
    auto op = AllReduceOp::create(builder, last.getLoc(),
                                  ValueRange(bucket.values).getTypes(),
                                  bucket.values, kind, "data", first + index);
    reduced.map(bucket.values, op.getResults());
  }
  return reduced;
}

/// Each of `uses` reads what comes of its gradient, in the gradient's type.
static void readReduced(ArrayRef<OpOperand *> uses, ArrayRef<Value> gradients,
                        ArrayRef<Value> sent, const IRMapping &reduced) {
  IRMapping results;
  for (auto [gradient, travels] : llvm::zip_equal(gradients, sent)) {
    Value result = reduced.lookup(travels);
    OpBuilder builder(result.getContext());
    builder.setInsertionPointAfterValue(result);
    results.map(gradient, castTo(builder, gradient.getType(), result));
  }
  for (OpOperand *use : uses) {
    Value result = results.lookup(use->get());
    use->set(result);
    // A micro-batch was added where its gradient was made.
    Operation *user = use->getOwner(), *last = result.getDefiningOp();
    if (user->isBeforeInBlock(last))
      user->moveAfter(last);
  }
}

/// Averages what running statistics are moved towards, and moves them when all
/// of it is there: one after the other, where two ops have the same.
static SmallVector<Bucket> averageStatistics(FuncOp func, int64_t bytes) {
  SmallVector<OpOperand *> uses = statisticUses(func);
  SmallVector<Value> values;
  for (OpOperand *use : uses)
    values.push_back(use->get());
  SmallVector<Bucket> buckets = fillBuckets(finishingOrder(func, values),
                                            {.first = bytes, .each = bytes});
  if (buckets.empty())
    return buckets;
  IRMapping reduced = insertReductions(buckets, ReduceKind::Average);
  llvm::sort(uses, [](OpOperand *a, OpOperand *b) {
    return a->getOwner()->isBeforeInBlock(b->getOwner());
  });
  Operation *behind =
      reduced.lookup(buckets.front().values.back()).getDefiningOp();
  for (const Bucket &bucket : buckets)
    if (Operation *op = reduced.lookup(bucket.values.back()).getDefiningOp();
        behind->isBeforeInBlock(op))
      behind = op;
  for (OpOperand *use : uses) {
    use->set(reduced.lookup(use->get()));
    Operation *user = use->getOwner();
    if (!user->isBeforeInBlock(behind))
      continue;
    user->moveAfter(behind);
    behind = user;
  }
  return buckets;
}

namespace {
/// What one entry sends, or all of a step's.
struct Traffic {
  int64_t messages = 0, bytes = 0;
};
} // namespace

static Traffic trafficOf(ArrayRef<Bucket> buckets) {
  Traffic traffic;
  for (const Bucket &bucket : buckets) {
    ++traffic.messages;
    traffic.bytes += bucket.bytes;
  }
  return traffic;
}

/// Of the step's buckets, and what travels until it ends.
static void tellBuckets(FuncOp func, ArrayRef<Bucket> buckets, Traffic ofStep) {
  if (buckets.empty())
    return;
  int64_t largest = 0;
  for (const Bucket &bucket : buckets)
    largest = std::max(largest, bucket.bytes);
  mlir::remark::analysis(func.getLoc(),
                         mlir::remark::RemarkOpts::name("buckets").category(
                             "mpc-insert-all-reduce"))
      << mlir::remark::metric("buckets", buckets.size())
      << mlir::remark::metric("largest_bytes", largest)
      << mlir::remark::metric("last_bytes", buckets.back().bytes)
      << mlir::remark::metric("messages_per_step", ofStep.messages)
      << mlir::remark::metric("bytes_per_step", ofStep.bytes);
}

namespace {
struct InsertAllReduce final : impl::InsertAllReduceBase<InsertAllReduce> {
  using Base::Base;

  /// What `func` says, overridden by the options.
  FailureOr<TrainingAttr> effectiveTraining(FuncOp func) {
    auto emitError = [&] { return func.emitError(); };
    TrainingSettings settings =
        readSettings(func->getAttrOfType<TrainingAttr>(kTrainingAttr));
    if (failed(applyTexts(settings,
                          {{"bucket-bytes", bucketBytes},
                           {"first-bucket-bytes", firstBucketBytes},
                           {"reduce-type", reduceType},
                           {"reduce-each", reduceEach},
                           {"link-latency", linkLatency},
                           {"link-bandwidth", linkBandwidth}},
                          emitError)))
      return failure();
    return buildTraining(settings, &getContext(), emitError);
  }

  /// What travels of the gradients that `usesIn` finds.
  SmallVector<Bucket>
  reduce(FuncOp func, const StepParts &parts,
         function_ref<SmallVector<OpOperand *>(FuncOp)> usesIn,
         size_t firstBucket = 0) {
    SmallVector<OpOperand *> uses = usesIn(func);
    SmallVector<Value> values;
    for (OpOperand *use : uses)
      values.push_back(use->get());
    for (Value value : values)
      finishEarly(value);
    SmallVector<Value> gradients = finishingOrder(func, values),
                       sent = castForTheWay(gradients, parts.reduceType);
    SmallVector<Bucket> buckets = fillBuckets(sent, BucketSizes::of(parts));
    IRMapping reduced = insertReductions(
        buckets, reduceKind == "sum" ? ReduceKind::Sum : ReduceKind::Average,
        firstBucket);
    readReduced(uses, gradients, sent, reduced);
    return buckets;
  }

  LogicalResult runOn(FuncOp func, ArrayRef<FuncOp> accumulates) {
    if (reduceKind != "average" && reduceKind != "sum" && reduceKind != "none")
      return func.emitError() << "expected average, sum or none for option "
                                 "'reduce', but got '"
                              << reduceKind << "'";
    FailureOr<TrainingAttr> training = effectiveTraining(func);
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
    StepParts parts = training->getStep();
    Traffic ofStep;
    if (reducesEachMicroBatch(*training))
      for (FuncOp accumulate : accumulates) {
        accumulate->setAttr(kTrainingAttr, *training);
        Traffic each = trafficOf(reduce(accumulate, parts, addedGradients));
        ofStep.messages += (parts.accumulate - 1) * each.messages;
        ofStep.bytes += (parts.accumulate - 1) * each.bytes;
      }
    SmallVector<Bucket> statistics = averageStatistics(func, parts.bucketBytes);
    SmallVector<Bucket> buckets =
        reduce(func, parts,
               reducesEachMicroBatch(*training) ? addedGradients : gradientUses,
               statistics.size());
    Traffic last = trafficOf(buckets), besides = trafficOf(statistics);
    ofStep.messages += besides.messages;
    ofStep.bytes += besides.bytes;
    tellBuckets(func, buckets,
                {ofStep.messages + last.messages, ofStep.bytes + last.bytes});
    return success();
  }

  void runOnOperation() override {
    SmallVector<FuncOp> accumulates =
        entryFunctions(getOperation(), program::kAccumulateEntry);
    for (FuncOp func : entryFunctions(getOperation(), program::kStepEntry))
      if (failed(runOn(func, accumulates)))
        return signalPassFailure();
  }
};
} // namespace

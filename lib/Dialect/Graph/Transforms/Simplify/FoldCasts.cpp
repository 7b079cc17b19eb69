// Purpose: remove the casts of autocast that the rounding mode lets go, and
// move the others to where fewer bytes pass. Casts that somebody wrote (no
// `because`) are neither removed nor moved nor looked through.
//
//   pair      cast(cast(x)) becomes one cast, or x itself. Exact when the inner
//             cast widens (f16 -> f32 -> f16). When it rounds (f32 -> f16 ->
//             f32), the result is *more* precise than asked for: only in mode
//             fused, and only if nothing but such casts reads the rounded
//             value, so that no two readers see different values.
//   twin      two casts of one value to one type become one, also where
//             somebody wrote the first. (CSE keeps these two apart.)
//   narrowing above, widening below a movement: reshape, transpose, slice,
//             concat and their like give the same bits whether they move before
//             or after the cast, so the cheaper order is taken, in bytes read
//             and written by the casts and the movements together.
//   around    an op with a body and policy DenyIO computes in f32 whatever its
//             type is: widened before and narrowed after it, it is the narrow
//             op, to the bit. (Gradients are built in f32.)
//
// Which ops are movements: they have one result, all their operands are float
// tensors of its element type, and its elements are theirs: they say so
// (IsMovement), or have policy Clear (a monotone choice of elements) and a
// gradient (an all-reduce is Clear too, but adds). What they bring along is
// zero, as in a pad, which every type has.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Interfaces/DifferentiableOpInterface.h"
#include "llvm/Support/FormatVariadic.h"

namespace mpc::graph {
#define GEN_PASS_DEF_FOLDCASTS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
namespace remark = mlir::remark;

namespace {

bool isOurs(CastOp cast) { return cast && cast.getReason(); }

CastOp getOurCast(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return isOurs(cast) ? cast : CastOp();
}

FloatType floatTypeOf(Value value) {
  return dyn_cast<FloatType>(mlir::getElementTypeOrSelf(value));
}

/// Whether every value of `from` is a value of `to`.
bool isExact(FloatType from, FloatType to) {
  const llvm::fltSemantics &a = from.getFloatSemantics();
  const llvm::fltSemantics &b = to.getFloatSemantics();
  return llvm::APFloat::isRepresentableBy(a, b);
}

bool isNarrowing(CastOp cast) {
  FloatType from = floatTypeOf(cast.getInput());
  FloatType to = floatTypeOf(cast.getResult());
  return from && to && from.getWidth() > to.getWidth();
}

bool isWidening(CastOp cast) {
  FloatType from = floatTypeOf(cast.getInput());
  FloatType to = floatTypeOf(cast.getResult());
  return from && to && from.getWidth() < to.getWidth();
}

struct Counts {
  int64_t pairs = 0, twins = 0, moved = 0, around = 0;
};

/// cast(cast(x)): one cast of x, or x.
struct FoldPair final : mlir::OpRewritePattern<CastOp> {
  FoldPair(MLIRContext *context, bool fused, Counts &counts)
      : OpRewritePattern(context), fused(fused), counts(counts) {}

  bool mayDropRounding(CastOp inner) const {
    return fused && llvm::all_of(inner->getUsers(), [](Operation *user) {
             return isOurs(dyn_cast<CastOp>(user));
           });
  }

  LogicalResult matchAndRewrite(CastOp outer,
                                PatternRewriter &rewriter) const override {
    CastOp inner = getOurCast(outer.getInput());
    if (!isOurs(outer) || !inner)
      return failure();
    FloatType from = floatTypeOf(inner.getInput());
    FloatType between = floatTypeOf(inner.getResult());
    if (!from || !between || !floatTypeOf(outer.getResult()))
      return failure();
    if (!isExact(from, between) && !mayDropRounding(inner))
      return failure();
    ++counts.pairs;
    if (inner.getInput().getType() == outer.getType())
      rewriter.replaceOp(outer, inner.getInput());
    else
      rewriter.modifyOpInPlace(
          outer, [&] { outer.getInputMutable().assign(inner.getInput()); });
    return success();
  }

  bool fused;
  Counts &counts;
};

/// Two casts of one value to one type: the earlier one serves both. Also drops
/// a cast to the type that the value has.
struct FoldTwin final : mlir::OpRewritePattern<CastOp> {
  FoldTwin(MLIRContext *context, Counts &counts)
      : OpRewritePattern(context), counts(counts) {}

  LogicalResult matchAndRewrite(CastOp cast,
                                PatternRewriter &rewriter) const override {
    if (!isOurs(cast))
      return failure();
    if (cast.getInput().getType() == cast.getType()) {
      rewriter.replaceOp(cast, cast.getInput());
      return success();
    }
    for (Operation *user : cast.getInput().getUsers()) {
      auto twin = dyn_cast<CastOp>(user);
      if (!twin || twin == cast || twin.getType() != cast.getType() ||
          twin->getBlock() != cast->getBlock() || !twin->isBeforeInBlock(cast))
        continue;
      ++counts.twins;
      rewriter.replaceOp(cast, twin.getResult());
      return success();
    }
    return failure();
  }

  Counts &counts;
};

bool isMovement(Operation *op) {
  auto autocast = dyn_cast_or_null<AutocastOpInterface>(op);
  if (!autocast || isa<CastOp>(op) || op->getNumOperands() == 0 ||
      op->getNumResults() != 1)
    return false;
  bool moves =
      isa<MovementOpInterface>(op) ||
      (autocast.getAutocastPolicy() == AutocastPolicy::Clear &&
       op->getNumOperands() == 1 && isa<DifferentiableOpInterface>(op));
  Type element = mlir::getElementTypeOrSelf(op->getResult(0));
  return moves && llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           return mlir::getElementTypeOrSelf(operand.get()) == element &&
                  autocast.isRetypeable(operand.getOperandNumber());
         });
}

/// Bytes that `movement` reads and writes at `element`.
int64_t movementBytes(Operation *movement, Type element) {
  int64_t bytes = getBytes(movement->getResult(0).getType(), element);
  for (Type operand : movement->getOperandTypes())
    bytes += getBytes(operand, element);
  return bytes;
}

int64_t castBytes(Type tensor, Type from, Type to) {
  return getBytes(tensor, from) + getBytes(tensor, to);
}

/// `movement` on `operands`, at their element type.
Value moveAt(PatternRewriter &rewriter, Operation *movement,
             ArrayRef<Value> operands) {
  IRMapping mapping;
  Operation *copy = rewriter.clone(*movement, mapping);
  copy->setOperands(operands);
  auto type = cast<RankedTensorType>(copy->getResult(0).getType());
  copy->getResult(0).setType(
      type.clone(mlir::getElementTypeOrSelf(operands.front())));
  return copy->getResult(0);
}

/// A narrowing cast after a movement goes before it.
struct NarrowBeforeMoving final : mlir::OpRewritePattern<CastOp> {
  NarrowBeforeMoving(MLIRContext *context, Counts &counts)
      : OpRewritePattern(context), counts(counts) {}

  LogicalResult matchAndRewrite(CastOp cast,
                                PatternRewriter &rewriter) const override {
    Operation *movement = cast.getInput().getDefiningOp();
    if (!isOurs(cast) || !isNarrowing(cast) || !isMovement(movement) ||
        !movement->hasOneUse())
      return failure();
    Type wide = floatTypeOf(cast.getInput());
    Type narrow = floatTypeOf(cast.getResult());
    int64_t before =
        movementBytes(movement, wide) + castBytes(cast.getType(), wide, narrow);
    int64_t after = movementBytes(movement, narrow);
    for (Type operand : movement->getOperandTypes())
      after += castBytes(operand, wide, narrow);
    if (after >= before)
      return failure();
    ++counts.moved;
    rewriter.setInsertionPoint(movement);
    SmallVector<Value> narrowed;
    for (Value operand : movement->getOperands()) {
      auto type = llvm::cast<RankedTensorType>(operand.getType());
      narrowed.push_back(CastOp::create(rewriter, cast.getLoc(),
                                        type.clone(narrow), operand,
                                        cast.getReason()));
    }
    rewriter.replaceOp(cast, moveAt(rewriter, movement, narrowed));
    rewriter.eraseOp(movement);
    return success();
  }

  Counts &counts;
};

/// A widening cast before movements, and nothing but movements, goes after
/// them.
struct WidenAfterMoving final : mlir::OpRewritePattern<CastOp> {
  WidenAfterMoving(MLIRContext *context, Counts &counts)
      : OpRewritePattern(context), counts(counts) {}

  LogicalResult matchAndRewrite(CastOp cast,
                                PatternRewriter &rewriter) const override {
    if (!isOurs(cast) || !isWidening(cast) || cast->use_empty())
      return failure();
    Type narrow = floatTypeOf(cast.getInput());
    Type wide = floatTypeOf(cast.getResult());
    int64_t before = castBytes(cast.getType(), narrow, wide), after = 0;
    SmallVector<Operation *> movements(cast->user_begin(), cast->user_end());
    for (Operation *movement : movements) {
      if (!isMovement(movement) || movement->getNumOperands() != 1)
        return failure();
      before += movementBytes(movement, wide);
      after += movementBytes(movement, narrow) +
               castBytes(movement->getResult(0).getType(), narrow, wide);
    }
    if (after >= before)
      return failure();
    ++counts.moved;
    for (Operation *movement : movements) {
      rewriter.setInsertionPoint(movement);
      Value narrowMoved = moveAt(rewriter, movement, cast.getInput());
      rewriter.replaceOpWithNewOp<CastOp>(movement,
                                          movement->getResult(0).getType(),
                                          narrowMoved, cast.getReason());
    }
    rewriter.eraseOp(cast);
    return success();
  }

  Counts &counts;
};

/// Widening casts of everything that a movement joins become one after it, if
/// they come from one type. The first one's reason stays.
struct WidenAfterJoining final : mlir::OpRewritePattern<CastOp> {
  WidenAfterJoining(MLIRContext *context, Counts &counts)
      : OpRewritePattern(context), counts(counts) {}

  LogicalResult matchAndRewrite(CastOp cast,
                                PatternRewriter &rewriter) const override {
    if (!isOurs(cast) || !isWidening(cast) || cast->use_empty())
      return failure();
    Operation *movement = *cast->user_begin();
    if (!isMovement(movement) || movement->getNumOperands() < 2)
      return failure();
    SmallVector<Value> narrow;
    for (Value operand : movement->getOperands()) {
      CastOp widening = getOurCast(operand);
      if (!widening ||
          floatTypeOf(widening.getInput()) != floatTypeOf(cast.getInput()) ||
          llvm::any_of(operand.getUsers(),
                       [&](Operation *user) { return user != movement; }))
        return failure();
      narrow.push_back(widening.getInput());
    }
    ++counts.moved;
    rewriter.setInsertionPoint(movement);
    Value joined = moveAt(rewriter, movement, narrow);
    rewriter.replaceOpWithNewOp<CastOp>(
        movement, movement->getResult(0).getType(), joined,
        getOurCast(movement->getOperand(0)).getReason());
    return success();
  }

  Counts &counts;
};

/// narrow(op(widen(x), widen(y))): the op on x and y.
struct FoldAround final : mlir::OpRewritePattern<CastOp> {
  FoldAround(MLIRContext *context, Counts &counts)
      : OpRewritePattern(context), counts(counts) {}

  LogicalResult matchAndRewrite(CastOp cast,
                                PatternRewriter &rewriter) const override {
    Operation *op = cast.getInput().getDefiningOp();
    auto autocast = dyn_cast_if_present<AutocastOpInterface>(op);
    if (!isOurs(cast) || !isNarrowing(cast) || !autocast ||
        autocast.getAutocastPolicy() != AutocastPolicy::DenyIO ||
        !isa<KernelBodyOpInterface>(op) || !op->hasOneUse())
      return failure();
    IRMapping mapping;
    for (Value operand : op->getOperands()) {
      CastOp widening = getOurCast(operand);
      if (!widening || floatTypeOf(operand) != floatTypeOf(cast.getInput()) ||
          floatTypeOf(widening.getInput()) != floatTypeOf(cast.getResult()))
        return failure();
      mapping.map(operand, widening.getInput());
    }
    ++counts.around;
    rewriter.setInsertionPoint(op);
    Operation *narrow = rewriter.clone(*op, mapping);
    narrow->getResult(0).setType(cast.getType());
    rewriter.replaceOp(cast, narrow->getResults());
    rewriter.eraseOp(op);
    return success();
  }

  Counts &counts;
};

struct FoldCasts final : impl::FoldCastsBase<FoldCasts> {
  using Base::Base;

  /// The option, or what the model says, or fused.
  FailureOr<bool> isFused(mlir::func::FuncOp func) {
    if (rounding.empty())
      return !roundsStrictly(func);
    if (auto mode = symbolizeEnum<RoundingMode>(rounding))
      return *mode == RoundingMode::Fused;
    return func.emitError("expected rounding to be ")
           << listWords(listOf<RoundingMode>()) << ", but got '" << rounding
           << "'";
  }

  LogicalResult runOnFunction(mlir::func::FuncOp func) {
    FailureOr<bool> fused = isFused(func);
    if (failed(fused))
      return failure();
    Counts counts;
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldPair>(&getContext(), *fused, counts);
    patterns.add<FoldTwin, NarrowBeforeMoving, WidenAfterMoving,
                 WidenAfterJoining, FoldAround>(&getContext(), counts);
    mlir::GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(
        mlir::GreedySimplifyRegionLevel::Disabled);
    if (failed(mlir::applyPatternsGreedily(func, std::move(patterns), config)))
      return func.emitError("expected cast folding to end");
    remark::analysis(func.getLoc(), remark::RemarkOpts::name("folded")
                                        .category("mpc-fold-casts")
                                        .function(func.getName()))
        << llvm::formatv("{0} pairs and {1} twins folded, {2} casts moved, {3} "
                         "ops narrowed",
                         counts.pairs, counts.twins, counts.moved,
                         counts.around)
               .str();
    return success();
  }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<mlir::func::FuncOp>())
      if (!func.isExternal() && failed(runOnFunction(func)))
        return signalPassFailure();
  }
};

} // namespace

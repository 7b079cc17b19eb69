// Gate of stage accumulate: both entries of a step over N micro-batches add to
// the same states, each value once; what "accumulate" leaves behind is sums,
// still scaled, and nothing else; "step" goes on with the sums and zeroes them.
#include "../GradientUses.h"
#include "../MovedStatistics.h"
#include "../StepFlow.h"
#include "mlir/IR/Verifier.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Program/Names.h"
#include "llvm/ADT/StringSet.h"

namespace mpc::graph {
#define GEN_PASS_DEF_VERIFYACCUMULATE
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

/// What the gate asks of one entry.
class Checker {
public:
  explicit Checker(FuncOp func) : func(func), flow(func) {
    for (const Marked &state : markedArguments(func, kStateAttr))
      if (getRole(func, state.index) == Role::Accumulator)
        accumulators.push_back(state);
    for (const Marked &update : markedResults(func, kUpdatesAttr))
      next.try_emplace(update.name, update.value);
  }

  LogicalResult checkAccumulate();
  LogicalResult checkStep(int64_t count);
  LogicalResult checkSame(const Checker &step);

  SmallVector<Marked> accumulators;

private:
  LogicalResult checkSum(const Marked &state);
  LogicalResult checkSeeds(int64_t count);
  LogicalResult checkGradients();
  bool isAccumulator(Value value) const {
    return llvm::any_of(accumulators, [&](const Marked &state) {
      return state.value == value;
    });
  }
  InFlightDiagnostic error(Value at) {
    return mlir::emitError(locationOf(at, func));
  }

  FuncOp func;
  StepFlow flow;
  llvm::StringMap<Value> next;
};

} // namespace

/// The state is read once, by the op that adds this micro-batch to it; where it
/// is of a running statistic, by the average that moves it.
LogicalResult Checker::checkSum(const Marked &state) {
  StringRef name = state.name.getValue();
  Operation *reader =
      state.value.hasOneUse() ? *state.value.getUsers().begin() : nullptr;
  auto add = dyn_cast_or_null<AddOp>(reader);
  auto average = dyn_cast_or_null<MovingAverageOpInterface>(reader);
  if (!add && !(average && average.getMoved().get() == state.value))
    return func.emitError() << "expected '" << name
                            << "' to be read once, by a graph.add, but got "
                               "another use";
  bool isGradient = !!getState(func, state.index).getOf();
  if (isGradient && add && !flow.scales.empty() && !flow.scaledAt(add) &&
      !isZero(add.getRhs()))
    return add.emitError() << "expected scaled gradients in '" << name
                           << "', but no graph.scale reaches this one";
  if (!next.lookup(name))
    return func.emitError() << "expected a next value of '" << name
                            << "', but no result updates it";
  return success();
}

LogicalResult Checker::checkAccumulate() {
  for (const Marked &state : accumulators)
    if (failed(checkSum(state)))
      return failure();
  for (Operation &op : func.getBody().front())
    if (isa<UnscaleOp, AllReduceOp>(op))
      return op.emitError() << "expected gradients to be reduced and unscaled "
                               "in 'step' alone, but got '"
                            << op.getName() << "' in 'accumulate'";
  for (auto [index, value] :
       llvm::enumerate(func.getBody().front().getTerminator()->getOperands())) {
    auto name = func.getResultAttrOfType<StringAttr>(index, kUpdatesAttr);
    if (!name) {
      if (flow.scaledAt(value))
        return error(value) << "expected outputs that are not scaled, but got "
                               "a scaled result #"
                            << index;
      continue;
    }
    auto add = value.getDefiningOp<AddOp>();
    SmallVector<MovingAverageOpInterface> averages = averagesOf(value);
    bool isSum =
        (add && isAccumulator(add.getLhs())) ||
        (!averages.empty() && isAccumulator(averages.back().getMoved().get()));
    if (!isSum)
      return error(value) << "expected the next value of '" << name.getValue()
                          << "' to be an accumulator plus the value of this "
                             "micro-batch, but got another value";
  }
  return success();
}

/// The cotangent of every loss is 1 / `count`.
LogicalResult Checker::checkSeeds(int64_t count) {
  for (auto seed : func.getOps<ConstantOp>()) {
    if (!seed->hasAttr(kSeedAttr))
      continue;
    auto value = dyn_cast<mlir::DenseFPElementsAttr>(seed.getValue());
    llvm::APFloat share(1.0 / static_cast<double>(count));
    bool lost = false;
    if (value && value.isSplat())
      share.convert(value.getSplatValue<llvm::APFloat>().getSemantics(),
                    llvm::APFloat::rmNearestTiesToEven, &lost);
    if (!value || !value.isSplat() ||
        !value.getSplatValue<llvm::APFloat>().bitwiseIsEqual(share))
      return seed.emitError()
             << "expected the seed to be divided by the " << count
             << " micro-batches of a step, but got " << seed.getValue();
  }
  return success();
}

LogicalResult Checker::checkGradients() {
  for (mlir::OpOperand *use : gradientUses(func)) {
    Value value = use->get();
    auto add = value.getDefiningOp<AddOp>();
    if (!add || !isAccumulator(add.getLhs()))
      return error(value) << "expected the sum over all micro-batches as "
                             "gradient, but got another value";
  }
  return success();
}

LogicalResult Checker::checkStep(int64_t count) {
  for (const Marked &state : accumulators) {
    if (failed(checkSum(state)))
      return failure();
    Value value = next.lookup(state.name);
    if (!isZero(value))
      return error(value) << "expected a step to leave zeros in '"
                          << state.name.getValue()
                          << "', but got another value";
  }
  return failure(failed(checkSeeds(count)) || failed(checkGradients()));
}

LogicalResult Checker::checkSame(const Checker &step) {
  llvm::StringSet<> names;
  for (const Marked &state : step.accumulators)
    names.insert(state.name.getValue());
  for (const Marked &state : accumulators)
    if (!names.contains(state.name))
      return func.emitError()
             << "expected 'step' to read '" << state.name.getValue()
             << "', which 'accumulate' adds to";
  if (names.size() == accumulators.size())
    return success();
  return func.emitError() << "expected 'accumulate' to add to all "
                          << names.size() << " accumulators of 'step', but "
                          << "got " << accumulators.size();
}

namespace {
struct VerifyAccumulate final : impl::VerifyAccumulateBase<VerifyAccumulate> {
  using Base::Base;

  LogicalResult checkModule(FuncOp stepFunc, ArrayRef<FuncOp> accumulates) {
    auto training = stepFunc->getAttrOfType<TrainingAttr>(kTrainingAttr);
    int64_t count = training ? training.getStep().accumulate : 1;
    size_t expected = count > 1 ? 1 : 0;
    if (accumulates.size() != expected)
      return stepFunc.emitError()
             << "expected " << expected
             << " entries 'accumulate' beside a step of " << count
             << " micro-batches, but got " << accumulates.size();
    Checker step(stepFunc);
    if (count == 1) {
      if (step.accumulators.empty())
        return success();
      return stepFunc.emitError()
             << "expected no accumulator in a step of one micro-batch, but "
                "got '"
             << step.accumulators.front().name.getValue() << "'";
    }
    Checker accumulate(accumulates.front());
    return failure(failed(step.checkStep(count)) ||
                   failed(accumulate.checkAccumulate()) ||
                   failed(accumulate.checkSame(step)));
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

// Purpose: a step over N micro-batches, for batches larger than memory.
//
// Algorithm: the cotangent of the loss becomes 1 / N. The step is cloned to the
// entry "accumulate", which adds its gradients to states and stops there; the
// step itself, run on the last micro-batch, adds its own and goes on with the
// sums. The states are zero after it, whether it was skipped or not.
// - Sums are of scaled gradients in the type of master weights, so one unscale
//   and one check serve the whole step: inf and NaN survive addition in f32.
//   The scale changes in "step" only, and so is one for all micro-batches.
// - In front of the reduction: only the last micro-batch communicates.
// - A running statistic r becomes d r + m s with each micro-batch. What that
//   adds up to, from zero, is a sum of its own, and the step makes d^N r + sum
//   of it: r itself stays until it is known whether the step is skipped.
// These are the rules of Accelerate, Megatron and ORT: the loss is divided by N
// before it is scaled, sums are f32, unscale happens once.
#include "../GradientUses.h"
#include "../MovedStatistics.h"
#include "../SettingOptions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mpc/Dialect/Graph/IR/Expression.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "mpc/Dialect/Graph/Transforms/DeadOps.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Program/Names.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>

namespace mpc::graph {
#define GEN_PASS_DEF_ACCUMULATEGRADIENTS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {
/// What is summed over micro-batches: a gradient, or the loss.
struct Sum {
  std::string state;
  std::string of; ///< The parameter; empty for the loss.
  mlir::OpOperand *use;

  bool isOfLoss() const { return of.empty(); }
  Value value() const { return use->get(); }
};
} // namespace

/// The parameter whose gradient `use` leads to: the first gradient result that
/// depends on it.
static StringRef parameterOf(FuncOp func, mlir::OpOperand *use) {
  SmallVector<mlir::OpOperand *> worklist{use};
  while (!worklist.empty()) {
    mlir::OpOperand *next = worklist.pop_back_val();
    Operation *owner = next->getOwner();
    unsigned index = next->getOperandNumber();
    if (owner->hasTrait<mlir::OpTrait::IsTerminator>()) {
      if (auto name =
              func.getResultAttrOfType<StringAttr>(index, kGradientAttr))
        return name;
      continue;
    }
    // An unscale answers gradient by gradient; other ops have one result.
    auto unscale = dyn_cast<UnscaleOp>(owner);
    Value result =
        unscale ? unscale.getUnscaled()[index - 1] : owner->getResult(0);
    for (mlir::OpOperand &user : result.getUses())
      worklist.push_back(&user);
  }
  return "";
}

/// Every gradient, of each loss, and every loss.
static SmallVector<Sum> findSums(FuncOp func) {
  SmallVector<Sum> sums;
  llvm::StringMap<unsigned> count;
  for (mlir::OpOperand *use : gradientUses(func)) {
    StringRef of = parameterOf(func, use);
    if (of.empty())
      continue;
    // With a scale per loss a parameter has a gradient of each.
    unsigned number = count[of]++;
    std::string state = (of + ".grad").str();
    if (number)
      state += "." + std::to_string(number);
    sums.push_back({std::move(state), of.str(), use});
  }
  Operation *end = func.getBody().front().getTerminator();
  for (mlir::OpOperand &result : end->getOpOperands()) {
    if (!func.getResultAttr(result.getOperandNumber(), kLossAttr))
      continue;
    unsigned number = count[""]++;
    sums.push_back(
        {"accumulation.loss" + (number ? "." + std::to_string(number) : ""), "",
         &result});
  }
  return sums;
}

namespace {
/// Rewrites one function; the two below differ in what the sums become.
class SumBuilder {
public:
  explicit SumBuilder(FuncOp func)
      : func(func), signature(func), sums(findSums(func)),
        statistics(movedStatistics(func)) {}

  /// Keeps the results that the model has, and the sums as next states.
  LogicalResult buildAccumulate(const llvm::StringSet<> &modelOutputs);
  /// Goes on with the sums, and zeroes the states.
  LogicalResult buildStep(int64_t count);

private:
  /// The state plus the value of this micro-batch.
  FailureOr<Value> add(const Sum &sum);
  /// A state that takes the place of `moved` in what this micro-batch makes of
  /// it; the answer is its name.
  FailureOr<std::string> sumUp(const MovedStatistic &moved);
  LogicalResult finishStatistic(const MovedStatistic &moved, int64_t count);
  Value splat(mlir::ImplicitLocOpBuilder &builder, Type type, double value);

  FuncOp func;
  SignatureEditor signature;
  SmallVector<Sum> sums;
  SmallVector<MovedStatistic> statistics;
};
} // namespace

FailureOr<Value> SumBuilder::add(const Sum &sum) {
  Value value = sum.value();
  FailureOr<Value> state =
      signature.addState({sum.state, value.getType(), Role::Accumulator,
                          ZerosAttr::get(func.getContext()), sum.of});
  if (failed(state))
    return failure();
  OpBuilder builder(func.getContext());
  builder.setInsertionPointAfterValue(value);
  return AddOp::create(builder, value.getLoc(), value.getType(), *state, value)
      .getResult();
}

FailureOr<std::string> SumBuilder::sumUp(const MovedStatistic &moved) {
  std::string name = moved.state.name.str() + ".sum";
  FailureOr<Value> sum =
      signature.addState({name, moved.next.getType(), Role::Accumulator,
                          ZerosAttr::get(func.getContext()), ""});
  if (failed(sum))
    return failure();
  averagesOf(moved.next).back().getMoved().set(*sum);
  return name;
}

LogicalResult SumBuilder::finishStatistic(const MovedStatistic &moved,
                                          int64_t count) {
  double kept = 1;
  for (MovingAverageOpInterface average : averagesOf(moved.next))
    kept *= average.getKept();
  FailureOr<std::string> name = sumUp(moved);
  if (failed(name))
    return failure();
  mlir::ImplicitLocOpBuilder builder(moved.next.getLoc(), func.getContext());
  builder.setInsertionPointAfterValue(moved.next);
  Value next = Expr(builder, moved.state.value) *
                   std::pow(kept, static_cast<double>(count)) +
               Expr(builder, moved.next);
  signature.changeResults(kUpdatesAttr, [&](StringRef of, Value value) {
    return of == moved.state.name.getValue() ? next : value;
  });
  signature.addResult(splat(builder, next.getType(), 0.0), kUpdatesAttr, *name);
  return success();
}

Value SumBuilder::splat(mlir::ImplicitLocOpBuilder &builder, Type type,
                        double value) {
  auto tensor = cast<RankedTensorType>(type);
  Attribute element = builder.getFloatAttr(tensor.getElementType(), value);
  return ConstantOp::create(builder,
                            mlir::DenseElementsAttr::get(tensor, element));
}

LogicalResult
SumBuilder::buildAccumulate(const llvm::StringSet<> &modelOutputs) {
  signature.dropResults([&](DictionaryAttr marks) {
    auto output = marks.getAs<StringAttr>(kOutputAttr);
    return !marks.contains(kLossAttr) &&
           !(output && modelOutputs.contains(output));
  });
  for (const Sum &sum : sums) {
    FailureOr<Value> next = add(sum);
    if (failed(next))
      return failure();
    signature.addResult(*next, kUpdatesAttr, sum.state);
  }
  for (const MovedStatistic &moved : statistics) {
    FailureOr<std::string> name = sumUp(moved);
    if (failed(name))
      return failure();
    signature.addResult(moved.next, kUpdatesAttr, *name);
  }
  signature.finish();
  eraseDeadOps(func.getBody().front()); // what only the unscale needed
  return success();
}

LogicalResult SumBuilder::buildStep(int64_t count) {
  Operation *end = func.getBody().front().getTerminator();
  mlir::ImplicitLocOpBuilder builder(func.getLoc(), end);
  for (const Sum &sum : sums) {
    FailureOr<Value> total = add(sum);
    if (failed(total))
      return failure();
    Type type = total->getType();
    if (sum.isOfLoss())
      total = Value(Expr(builder, *total) * (1.0 / double(count)));
    if (sum.use->getOwner() == end)
      signature.setResult(sum.use->getOperandNumber(), *total);
    else
      sum.use->set(*total);
    signature.addResult(splat(builder, type, 0.0), kUpdatesAttr, sum.state);
  }
  for (const MovedStatistic &moved : statistics)
    if (failed(finishStatistic(moved, count)))
      return failure();
  signature.finish();
  return success();
}

/// Every seed of `func` becomes 1 / `count`.
static LogicalResult divideSeeds(FuncOp func, int64_t count) {
  bool found = false;
  for (auto seed : func.getOps<ConstantOp>()) {
    if (!seed->hasAttr(kSeedAttr))
      continue;
    auto type = seed.getType();
    Builder builder(func.getContext());
    seed.setValueAttr(mlir::DenseElementsAttr::get(
        type, Attribute(builder.getFloatAttr(
                  type.getElementType(), 1.0 / static_cast<double>(count)))));
    found = true;
  }
  if (found)
    return success();
  return func.emitError("expected a constant marked 'graph.seed' to divide by "
                        "the number of micro-batches, but got none; run "
                        "mpc-differentiate first");
}

namespace {
struct AccumulateGradients final
    : WithSettings<impl::AccumulateGradientsBase<AccumulateGradients>,
                   SettingKind::Accumulate> {

  /// A copy of `step` as the entry "accumulate", named after the model.
  FailureOr<FuncOp> cloneStep(FuncOp step) {
    StringRef model = step.getName();
    model.consume_back("_step");
    std::string name = (model + "_accumulate").str();
    if (Operation *taken = getOperation().lookupSymbol(name)) {
      InFlightDiagnostic diagnostic =
          step.emitError("expected the name '")
          << name << "' to be free for the micro-batches of the step";
      diagnostic.attachNote(taken->getLoc()) << "taken here";
      return diagnostic;
    }
    FuncOp accumulate = step.clone();
    accumulate.setName(name);
    accumulate->setAttr(
        kEntryAttr, StringAttr::get(&getContext(), program::kAccumulateEntry));
    getOperation().insert(step->getIterator(), accumulate);
    return accumulate;
  }

  LogicalResult runOn(FuncOp step, const llvm::StringSet<> &modelOutputs) {
    FailureOr<TrainingAttr> training = effectiveTraining(step);
    if (failed(training))
      return failure();
    step->setAttr(kTrainingAttr, *training);
    int64_t count = training->getStep().accumulate;
    if (count == 1)
      return success();
    if (failed(divideSeeds(step, count)))
      return failure();
    FailureOr<FuncOp> accumulate = cloneStep(step);
    if (failed(accumulate) ||
        failed(SumBuilder(*accumulate).buildAccumulate(modelOutputs)))
      return failure();
    return SumBuilder(step).buildStep(count);
  }

  void runOnOperation() override {
    llvm::StringSet<> modelOutputs;
    for (FuncOp forward :
         entryFunctions(getOperation(), program::kForwardEntry))
      for (const Marked &output : markedResults(forward, kOutputAttr))
        modelOutputs.insert(output.name);
    for (FuncOp step : entryFunctions(getOperation(), program::kStepEntry))
      if (failed(runOn(step, modelOutputs)))
        return signalPassFailure();
  }
};
} // namespace

// Purpose: keep parameters in 16 bits between steps, for optimizers whose
// setting `master` says so.
//
// Before: a parameter and its next value are f32.
// After: the argument is bf16 or f16 in every entry and widened where it comes
// in, so that forward, gradients and optimizer stay what they were; the next
// value is rounded where it goes out: to nearest, with Kahan's compensation, or
// by chance. A skipped step selects the old 16 bits, after the rounding.
//
// What reads the parameter in the same 16 bits loses both casts to
// mpc-fold-casts, because widening is exact.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Dialect/Graph/Analysis/ParameterGroups.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Random.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Optimizer.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Program/Names.h"

namespace mpc::graph {
#define GEN_PASS_DEF_NARROWMASTERS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

enum class Rounding { Nearest, Kahan, Stochastic };

/// How a parameter is kept; the null type means f32, as it was.
struct Master {
  Type type;
  Rounding rounding = Rounding::Nearest;
};

Master masterOf(const ParameterGroups &groups, const Marked &parameter) {
  OptimizerAttr optimizer = groups.groupOf(parameter.name).optimizer;
  Builder b(parameter.name.getContext());
  switch (optimizer ? optimizer.getMaster() : MasterType::F32) {
  case MasterType::F32:
    return {};
  case MasterType::F16:
    return {b.getF16Type()};
  case MasterType::Bf16:
    return {b.getBF16Type()};
  case MasterType::Bf16Kahan:
    return {b.getBF16Type(), Rounding::Kahan};
  case MasterType::Bf16Stochastic:
    return {b.getBF16Type(), Rounding::Stochastic};
  }
  llvm_unreachable("every master has a type");
}

ParameterGroups groupsOf(FuncOp func, ArrayRef<Marked> parameters) {
  SmallVector<StringRef> names;
  for (const Marked &parameter : parameters)
    names.push_back(parameter.name);
  return ParameterGroups(func->getAttrOfType<TrainingAttr>(kTrainingAttr),
                         names);
}

/// The parameter comes in as 16 bits and is widened at once.
LogicalResult narrowArgument(FuncOp func, const Marked &parameter,
                             Master master) {
  Value value = parameter.value;
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.getElementType().isF32())
    return func.emitError()
           << "expected parameter '" << parameter.name.getValue()
           << "' to be f32, to be kept in " << master.type
           << " between steps, but got " << type;
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  value.setType(type.clone(master.type));
  auto wide = CastOp::create(builder, value.getLoc(), type, value,
                             builder.getStringAttr("master weights are kept in "
                                                   "16 bits"));
  value.replaceAllUsesExcept(wide, wide);
  return success();
}

/// Writes the rounding of the next parameters of one step.
class StepRounder {
public:
  explicit StepRounder(FuncOp step)
      : step(step), signature(step),
        builder(step.getLoc(), step.getBody().front().getTerminator()),
        parameters(markedArguments(step, kParameterAttr)),
        groups(groupsOf(step, parameters)) {
    for (const Marked &update : markedResults(step, kUpdatesAttr))
      updates[update.name] = update;
    for (const Marked &marked : markedArguments(step, kStateAttr)) {
      StateAttr state = getState(step, marked.index);
      if (state.getRole() == Role::StepCounter)
        stepCounters[state.getOf() ? state.getOf().getValue() : ""] =
            state.getName();
    }
  }
  LogicalResult run();

private:
  LogicalResult round(const Marked &parameter, unsigned number,
                      const Marked &update, Master master);
  LogicalResult roundByKahan(const Marked &parameter, unsigned result,
                             Value next, ArrayRef<Value> skips);
  FailureOr<Value> roundByChance(const Marked &parameter, unsigned number,
                                 Value next);
  Value keep(ArrayRef<Value> skips, Value old, Value next);
  Value getStep(const Marked &parameter);
  FailureOr<Value> getSeed();

  FuncOp step;
  SignatureEditor signature;
  mlir::ImplicitLocOpBuilder builder;
  SmallVector<Marked> parameters;
  ParameterGroups groups;
  llvm::DenseMap<StringAttr, Marked> updates;
  llvm::StringMap<StringAttr> stepCounters; ///< By parameter group.
  Value seed; ///< State, null until somebody rounds by chance.
};

} // namespace

/// `old` where one of `skips` is set, the outermost first, else `next`.
Value StepRounder::keep(ArrayRef<Value> skips, Value old, Value next) {
  for (Value skip : llvm::reverse(skips))
    next = SelectOp::create(builder, next.getType(), skip, old, next);
  return next;
}

/// State `<parameter>.compensation`: what rounding still owes the parameter.
LogicalResult StepRounder::roundByKahan(const Marked &parameter,
                                        unsigned result, Value next,
                                        ArrayRef<Value> skips) {
  Type type = parameter.value.getType();
  std::string name = parameter.name.str() + ".compensation";
  FailureOr<Value> compensation =
      signature.addState({name, type, Role::Compensation,
                          ZerosAttr::get(step.getContext()), parameter.name});
  if (failed(compensation))
    return failure();
  auto rounded = KahanRoundOp::create(builder, type, type, parameter.value,
                                      next, *compensation);
  signature.setResult(result,
                      keep(skips, parameter.value, rounded.getNextParameter()));
  signature.addResult(keep(skips, *compensation, rounded.getNextCompensation()),
                      kUpdatesAttr, name);
  return success();
}

/// State `optimizer.rounding_seed`, which the steps only read.
FailureOr<Value> StepRounder::getSeed() {
  if (seed)
    return seed;
  FailureOr<Value> state = signature.addState(
      {"optimizer.rounding_seed",
       RankedTensorType::get({}, builder.getI32Type()), Role::Hyperparameter,
       ZerosAttr::get(step.getContext()), ""});
  if (succeeded(state))
    seed = *state;
  return state;
}

/// The number of this step as the optimizer sees it: what the counter becomes
/// unless the step is skipped. A step that is done again rounds as it would
/// have.
Value StepRounder::getStep(const Marked &parameter) {
  const ParameterGroups::Group &group = groups.groupOf(parameter.name);
  StringRef name = group.settings ? group.name : "";
  Value next = updates.lookup(stepCounters.lookup(name)).value;
  while (auto select = next ? next.getDefiningOp<SelectOp>() : SelectOp())
    next = select.getOnFalse();
  return next;
}

FailureOr<Value> StepRounder::roundByChance(const Marked &parameter,
                                            unsigned number, Value next) {
  Value count = getStep(parameter);
  if (!count)
    return step.emitError()
           << "expected a counter of steps to round parameter '"
           << parameter.name.getValue()
           << "' stochastically, but got none; run mpc-insert-update first";
  FailureOr<Value> key = getSeed();
  if (failed(key))
    return failure();
  return StochasticRoundOp::create(builder, parameter.value.getType(), next,
                                   count, *key, number)
      .getResult();
}

LogicalResult StepRounder::round(const Marked &parameter, unsigned number,
                                 const Marked &update, Master master) {
  Value next = update.value;
  SmallVector<Value> skips;
  while (auto select = next.getDefiningOp<SelectOp>()) {
    auto old = select.getOnTrue().getDefiningOp<CastOp>();
    if (!old || old.getInput() != parameter.value)
      break;
    skips.push_back(select.getCondition());
    next = select.getOnFalse();
  }
  if (master.rounding == Rounding::Kahan)
    return roundByKahan(parameter, update.index, next, skips);
  FailureOr<Value> rounded =
      master.rounding == Rounding::Stochastic
          ? roundByChance(parameter, number, next)
          : FailureOr<Value>(
                CastOp::create(builder, parameter.value.getType(), next,
                               builder.getStringAttr("master weights are kept "
                                                     "in 16 bits"))
                    .getResult());
  if (failed(rounded))
    return failure();
  signature.setResult(update.index, keep(skips, parameter.value, *rounded));
  return success();
}

LogicalResult StepRounder::run() {
  for (auto [number, parameter] : llvm::enumerate(parameters)) {
    Master master = masterOf(groups, parameter);
    auto update = updates.find(parameter.name);
    if (!master.type || update == updates.end())
      continue;
    if (failed(round(parameter, number, update->second, master)))
      return failure();
  }
  signature.finish();
  return success();
}

namespace {
struct NarrowMasters final : impl::NarrowMastersBase<NarrowMasters> {
  using Base::Base;

  LogicalResult narrow(FuncOp func) {
    SmallVector<Marked> parameters = markedArguments(func, kParameterAttr);
    ParameterGroups groups = groupsOf(func, parameters);
    for (const Marked &parameter : parameters) {
      Master master = masterOf(groups, parameter);
      if (master.type && failed(narrowArgument(func, parameter, master)))
        return failure();
    }
    auto terminator = func.getBody().front().getTerminator();
    func.setFunctionType(Builder(&getContext())
                             .getFunctionType(func.getBody().getArgumentTypes(),
                                              terminator->getOperandTypes()));
    auto entry = func->getAttrOfType<StringAttr>(kEntryAttr);
    return entry && entry.getValue() == StringRef(program::kStepEntry)
               ? StepRounder(func).run()
               : success();
  }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<FuncOp>())
      if (!func.isExternal() &&
          !markedArguments(func, kParameterAttr).empty() &&
          failed(narrow(func)))
        return signalPassFailure();
  }
};
} // namespace

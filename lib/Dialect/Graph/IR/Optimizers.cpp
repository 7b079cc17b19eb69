#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Optimizer.h"
#include "mpc/Dialect/Graph/Settings/SettingRows.h"
#include "mpc/Support/Assert.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::graph;

using Attributes = SmallVector<NamedAttribute>;

//===-- Building an op ---------------------------------------------------===//

namespace {

template <typename Op>
concept TakesStep = requires(Op op) { op.getStep(); };

/// Parameter, gradient, moments, lr and, if the op has it, step.
template <typename Op>
Operation *buildOp(mlir::ImplicitLocOpBuilder &builder,
                   const UpdateOperands &in, const Attributes &attributes) {
  SmallVector<Value> operands{in.parameter, in.gradient};
  llvm::append_range(operands, in.moments);
  operands.push_back(in.lr);
  if constexpr (TakesStep<Op>)
    operands.push_back(in.step);
  SmallVector<Type> types(1 + in.moments.size(), in.parameter.getType());
  return Op::create(builder, types, operands, attributes);
}

/// Only dampened SGD takes the step.
Operation *buildSgd(mlir::ImplicitLocOpBuilder &builder,
                    const UpdateOperands &in, const Attributes &attributes) {
  bool dampens = llvm::any_of(attributes, [](NamedAttribute attribute) {
    return attribute.getName() == "dampening";
  });
  int32_t hasBuffer = !in.moments.empty();
  SmallVector<Value> operands{in.parameter, in.gradient};
  llvm::append_range(operands, in.moments);
  operands.push_back(in.lr);
  if (dampens)
    operands.push_back(in.step);
  Attributes all = attributes;
  all.push_back(builder.getNamedAttr(
      SgdOp::getOperandSegmentSizeAttr(),
      builder.getDenseI32ArrayAttr({1, 1, hasBuffer, 1, dampens})));
  SmallVector<Type> types(1 + in.moments.size(), in.parameter.getType());
  return SgdOp::create(builder, types, operands, all);
}

//===-- Moments -----------------------------------------------------------===//

SmallVector<Moment> noMoments(OptimizerAttr) { return {}; }

SmallVector<Moment> sgdMoments(OptimizerAttr settings) {
  if (settings.getReal("momentum") == 0)
    return {};
  return {{"momentum_buffer", 0}};
}

SmallVector<Moment> adamMoments(OptimizerAttr) {
  return {{"exp_avg", 0}, {"exp_avg_sq", 0}};
}

/// Adagrad's first sum is no attribute of its op: it is where the state begins.
constexpr StringRef kInitialAccumulator = "initial_accumulator";
static_assert(rows::hasHyperparameter(kInitialAccumulator));

SmallVector<Moment> adagradMoments(OptimizerAttr settings) {
  return {{"sum", settings.getReal(kInitialAccumulator)}};
}

SmallVector<Moment> rmspropMoments(OptimizerAttr settings) {
  SmallVector<Moment> moments{{"square_avg", 0}};
  if (settings.getReal("momentum") != 0)
    moments.push_back({"momentum_buffer", 0});
  if (settings.getFlag("centered"))
    moments.push_back({"grad_avg", 0});
  return moments;
}

//===-- The optimizers ----------------------------------------------------===//

template <typename Op>
Attribute opDefault(MLIRContext *context, StringRef hyperparameter) {
  typename Op::Properties properties;
  Op::populateDefaultProperties(
      mlir::OperationName(Op::getOperationName(), context), properties);
  return Op::getInherentAttr(context, properties, hyperparameter)
      .value_or(Attribute());
}

/// Whether each hyperparameter of `Op` is a setting.
template <typename Op> consteval bool areSettings() {
  for (StringRef name : Op::hyperparameters)
    if (!rows::hasHyperparameter(name))
      return false;
  return true;
}

template <typename Op>
OptimizerRecord
makeRecord(SmallVector<Moment> (*moments)(OptimizerAttr),
           decltype(OptimizerRecord::build) build = buildOp<Op>) {
  static_assert(areSettings<Op>(),
                "expected a row in SettingRows.h for each hyperparameter");
  StringRef name = Op::getOperationName();
  name.consume_front("graph.");
  SmallVector<StringRef> hyperparameters(std::begin(Op::hyperparameters),
                                         std::end(Op::hyperparameters));
  llvm::sort(hyperparameters);
  return {name,
          std::move(hyperparameters),
          Op::template hasTrait<UpdatesInBackward>(),
          moments,
          build,
          opDefault<Op>};
}

OptimizerRecord adagradRecord() {
  OptimizerRecord record = makeRecord<AdagradOp>(adagradMoments);
  record.hyperparameters.push_back(kInitialAccumulator);
  return record;
}

} // namespace

ArrayRef<OptimizerRecord> graph::allOptimizers() {
  static const OptimizerRecord records[] = {
      makeRecord<SgdOp>(sgdMoments, buildSgd),
      makeRecord<AdamOp>(adamMoments),
      makeRecord<AdamWOp>(adamMoments),
      adagradRecord(),
      makeRecord<RmspropOp>(rmspropMoments),
      makeRecord<LambOp>(adamMoments),
      makeRecord<LomoOp>(noMoments)};
  return records;
}

const OptimizerRecord *graph::findOptimizer(StringRef name) {
  for (const OptimizerRecord &record : allOptimizers())
    if (record.name == name)
      return &record;
  return nullptr;
}

std::string graph::optimizerNames(StringRef hyperparameter) {
  SmallVector<StringRef> names;
  for (const OptimizerRecord &record : allOptimizers())
    if (hyperparameter.empty() || record.takes(hyperparameter))
      names.push_back(record.name);
  if (names.size() < 2)
    return llvm::join(names, "");
  StringRef last = names.pop_back_val();
  return llvm::join(names, ", ") + " or " + last.str();
}

//===-- From the attribute to the op --------------------------------------===//

const OptimizerRecord &graph::recordOf(OptimizerAttr optimizer) {
  const OptimizerRecord *record = findOptimizer(optimizer.getName());
  MPC_ASSERT(record, "the attribute's verifier knows the name");
  return *record;
}

double OptimizerRecord::getRealDefault(MLIRContext *context,
                                       StringRef hyperparameter) const {
  auto real = dyn_cast_if_present<mlir::FloatAttr>(
      getOpDefault(context, hyperparameter));
  return real ? real.getValueAsDouble() : 0.0;
}

/// Attributes of the op: those that are given and not what it has without. A
/// dampening of 0 is none: SGD then takes no step.
static Attributes getHyperparameters(mlir::ImplicitLocOpBuilder &builder,
                                     const OptimizerRecord &record,
                                     OptimizerAttr optimizer) {
  Attributes attributes;
  for (NamedAttribute given : optimizer.getHyperparameters()) {
    StringRef name = given.getName();
    if (auto flag = dyn_cast<mlir::BoolAttr>(given.getValue())) {
      if (flag.getValue())
        attributes.push_back(builder.getNamedAttr(name, builder.getUnitAttr()));
    } else if (Attribute own = record.getOpDefault(builder.getContext(), name);
               own && own != given.getValue()) {
      attributes.push_back(given);
    }
  }
  return attributes;
}

SmallVector<Moment> graph::getMoments(OptimizerAttr optimizer) {
  return recordOf(optimizer).getMoments(optimizer);
}

SmallVector<Value> graph::buildUpdate(mlir::ImplicitLocOpBuilder &builder,
                                      OptimizerAttr optimizer,
                                      const UpdateOperands &operands) {
  const OptimizerRecord &record = recordOf(optimizer);
  Operation *op = record.build(builder, operands,
                               getHyperparameters(builder, record, optimizer));
  return SmallVector<Value>(op->getResults());
}

bool graph::updatesInBackward(TrainingAttr training) {
  auto isInBackward = [](OptimizerAttr optimizer) {
    return optimizer && recordOf(optimizer).updatesInBackward;
  };
  if (!training || isInBackward(training.getOptimizer()))
    return static_cast<bool>(training);
  return training.getGroups() &&
         llvm::any_of(training.getGroups().getAsRange<ParameterGroupAttr>(),
                      [&](ParameterGroupAttr group) {
                        return isInBackward(group.getOptimizer());
                      });
}

#include "Reference/Inputs.h"

#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/Ops/Loss.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <random>

using namespace mpc;
using namespace mpc::reference;
using mlir::func::FuncOp;

std::string reference::argumentName(FuncOp function, unsigned index) {
  for (StringRef kind :
       {graph::kInputAttr, graph::kParameterAttr, graph::kStateAttr})
    if (StringAttr name = graph::getName(function.getArgAttr(index, kind)))
      return name.str();
  return "arg" + std::to_string(index);
}

Tensor reference::randomTensor(Type type, unsigned position, int64_t labels,
                               const InputOptions &options) {
  std::seed_seq seed{static_cast<uint32_t>(options.seed),
                     static_cast<uint32_t>(options.seed >> 32), position};
  std::mt19937_64 generator(seed);
  Tensor tensor = Tensor::zeros(type);
  for (double &element : tensor.reals) {
    double unit = static_cast<double>(generator() >> 11) * 0x1p-53;
    element =
        roundTo(tensor.type, options.low + unit * (options.high - options.low));
  }
  for (int64_t &element : tensor.ints)
    element = static_cast<int64_t>(generator() % static_cast<uint64_t>(labels));
  return tensor;
}

/// The classes that `use` names; of a loss with a mask as of one without.
static std::optional<int64_t> classesOf(OpOperand &use) {
  auto loss = dyn_cast<graph::CrossEntropyOp>(use.getOwner());
  if (loss && loss.getLabels() == use.get())
    return cast<RankedTensorType>(loss.getLogits().getType()).getShape().back();
  auto labels = dyn_cast<LabelsOpInterface>(use.getOwner());
  auto range = labels ? labels.getLabelRange(use.getOperandNumber())
                      : std::optional<LabelRange>();
  return range ? std::optional(range->classes) : std::nullopt;
}

/// As many numbers as all ops that use `value` take, or 2.
static int64_t labelsOf(Value value) {
  std::optional<int64_t> labels;
  for (OpOperand &use : value.getUses())
    if (std::optional<int64_t> classes = classesOf(use))
      labels = std::min(labels.value_or(*classes), *classes);
  return labels.value_or(2);
}

/// The value of state `index`, if its initialiser says it.
static std::optional<Tensor> initialState(FuncOp function, unsigned index) {
  auto state =
      function.getArgAttrOfType<graph::StateAttr>(index, graph::kStateAttr);
  if (!state)
    return std::nullopt;
  Attribute init = state.getInit();
  Tensor tensor = Tensor::zeros(function.getArgumentTypes()[index]);
  if (isa_and_present<graph::ZerosAttr>(init))
    return tensor;
  auto fill = dyn_cast_if_present<graph::FillAttr>(init);
  if (!fill)
    return std::nullopt;
  double value = fill.getValue().value;
  llvm::fill(tensor.reals, roundTo(tensor.type, value));
  llvm::fill(tensor.ints, static_cast<int64_t>(value));
  return tensor;
}

/// The argument that holds the parameter of which argument `index` is a copy.
static std::optional<unsigned> copiedParameter(FuncOp function,
                                               unsigned index) {
  auto state =
      function.getArgAttrOfType<graph::StateAttr>(index, graph::kStateAttr);
  if (!state || state.getRole() != graph::Role::WeightCopy)
    return std::nullopt;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, graph::kParameterAttr) == state.getOf())
      return i;
  return std::nullopt;
}

std::vector<Tensor> reference::makeInputs(FuncOp function,
                                          const InputOptions &options) {
  std::vector<Tensor> inputs;
  for (mlir::BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    std::optional<Tensor> state = initialState(function, index);
    inputs.push_back(state ? *state
                           : randomTensor(argument.getType(), index,
                                          labelsOf(argument), options));
  }
  copyParameters(function, inputs);
  return inputs;
}

void reference::copyParameters(FuncOp function, std::vector<Tensor> &inputs) {
  for (unsigned index = 0; index < inputs.size(); ++index)
    if (std::optional<unsigned> from = copiedParameter(function, index)) {
      inputs[index].reals = inputs[*from].reals;
      roundElements(inputs[index]);
    }
}

void reference::advance(FuncOp function, ArrayRef<Tensor> results,
                        std::vector<Tensor> &arguments) {
  llvm::StringMap<unsigned> indices;
  for (unsigned index = 0; index < arguments.size(); ++index)
    indices[argumentName(function, index)] = index;
  for (auto [index, tensor] : llvm::enumerate(results))
    if (auto name = function.getResultAttrOfType<StringAttr>(
            index, graph::kUpdatesAttr))
      if (auto found = indices.find(name); found != indices.end())
        arguments[found->second] = tensor;
}

Difference reference::compare(const Tensor &actual, const Tensor &expected,
                              double rtol, double atol) {
  Difference result;
  for (size_t i = 0; i < actual.size(); ++i) {
    double a = actual.value(i), b = expected.value(i);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double distance = std::abs(a - b);
    if (!(distance <= result.largest)) {
      result.largest = distance;
      result.at = i;
    }
    if (!(distance <= atol + rtol * std::abs(b)) || std::isinf(distance))
      result.within = false;
    if (std::isnan(distance))
      return result;
  }
  return result;
}

// Prints what each op of the graph dialect says of itself, one op a line, cells
// between bars: policy, the words of PyTorch on CUDA and on CPU, of Apex O1 and
// of TensorFlow for fp16 and bf16, gradient, kernel kind.
// Everything is asked through interfaces, so a new op is listed by itself.
// With --settings, the same of the settings of training: option, attribute and
// parameter, values, default, meaning.
// docs/Ops.md and docs/Settings.md are made from it.
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/Training/ApplySettings.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mpc;
using mlir::RegisteredOperationName;

namespace {
/// What becomes kernel code, in the words of KernelOpInterfaces.h; "none" for
/// frames, constants and collectives.
StringRef kernelKind(RegisteredOperationName op) {
  if (op.hasInterface<KernelBodyOpInterface>())
    return "elementwise";
  if (op.hasInterface<ReductionOpInterface>())
    return "reduction";
  if (op.hasInterface<MovementOpInterface>())
    return "movement";
  if (op.hasInterface<LibraryCallOpInterface>())
    return "library call";
  if (op.hasInterface<DecomposableOpInterface>())
    return "composite";
  return "none";
}

void printRow(RegisteredOperationName op) {
  auto *autocast = op.getInterface<AutocastOpInterface>();
  SmallVector<StringRef> cells = {
      op.getStringRef(),
      stringifyAutocastPolicy(autocast->getAutocastPolicy())};
  for (TorchLists lists : {TorchLists::Cuda, TorchLists::Cpu, TorchLists::Apex})
    cells.push_back(stringifyTorchPolicy(autocast->getTorchPolicy(lists)));
  for (TensorFlowLists lists : {TensorFlowLists::Fp16, TensorFlowLists::Bf16})
    cells.push_back(
        stringifyTensorFlowPolicy(autocast->getTensorFlowPolicy(lists)));
  bool differentiable = op.hasInterface<DifferentiableOpInterface>();
  cells.push_back(differentiable ? "yes" : "no");
  cells.push_back(kernelKind(op));
  llvm::interleave(cells, llvm::outs(), " | ");
  llvm::outs() << "\n";
}

//===-- Settings ----------------------------------------------------------===//

std::string attributeOf(const graph::Field &field) {
  switch (field.part) {
  case graph::Part::Numerics:
  case graph::Part::StepParts:
  case graph::Part::StepOutputs:
    return "#graph.training";
  case graph::Part::LossScale:
    return "#graph.loss_scale";
  case graph::Part::OptimizerChoice:
  case graph::Part::Hyperparameters:
    return "#graph.optimizer";
  case graph::Part::Clip:
    return "#graph.clip";
  case graph::Part::Schedule:
    return "#graph.schedule";
  }
  llvm_unreachable("every part is of an attribute");
}

/// What a value may be, of a field that has no words.
struct Values {
  const graph::Setting &setting;

  std::string operator()(const int64_t *) const {
    return std::to_string(setting.integers.lowest) + " to " +
           std::to_string(setting.integers.highest);
  }
  std::string operator()(const graph::Real *) const {
    return std::isfinite(setting.reals.lowest) ? setting.reals.describe("x")
                                               : "a number";
  }
  std::string operator()(const bool *) const { return "true, false"; }
  std::string operator()(const graph::PNorm *) const {
    return "inf, or a number > 0";
  }
  std::string operator()(const graph::Pattern *) const {
    return "a regular expression, or none";
  }
  std::string operator()(const std::string *) const { return "a name"; }
  std::string operator()(graph::WordRef) const { return "a word"; }
  template <typename Value>
  std::string operator()(const std::optional<Value> *) const {
    return (*this)(static_cast<const Value *>(nullptr));
  }
};

std::string valuesOf(const graph::Setting &setting) {
  std::vector<StringRef> words = graph::wordsOf(setting);
  if (!words.empty())
    return llvm::join(words, ", ");
  return std::visit(Values{setting},
                    graph::read(setting.field, graph::TrainingSettings()));
}

std::string defaultOf(const graph::Setting &setting) {
  if (setting.hasField() && setting.field.part == graph::Part::Hyperparameters)
    return "the optimizer's own";
  auto text = graph::toText(graph::TrainingSettings(), setting);
  return text && !text->empty() ? *text : "none";
}

void printRow(const graph::Setting &setting) {
  std::string parameter = setting.hasField()
                              ? "`" + setting.field.parameter.str() + "` of `" +
                                    attributeOf(setting.field) + "`"
                              : "several";
  llvm::outs() << "`" << setting.name << "` | " << parameter << " | "
               << valuesOf(setting) << " | " << defaultOf(setting) << " | "
               << graph::helpOf(setting) << "\n";
}
} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && StringRef(argv[1]) == "--settings") {
    for (const graph::Setting &setting : graph::trainingSettings())
      printRow(setting);
    return 0;
  }
  MLIRContext context;
  context.loadDialect<graph::GraphDialect>();
  for (RegisteredOperationName op : context.getRegisteredOperations())
    if (op.getDialectNamespace() == graph::GraphDialect::getDialectNamespace())
      printRow(op);
}

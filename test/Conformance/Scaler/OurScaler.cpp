#include "OurScaler.h"
#include "Reference/Interpreter.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;
using namespace mpc::conformance;
using mlir::func::FuncOp;
using reference::Tensor;

/// The gradient of `w` is the seed times the input.
static const char kStep[] = R"(
func.func @step(%x: tensor<f32> {graph.input = "x"}, %w: tensor<f32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %loss = graph.mul %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %g = graph.mul %seed, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %g : tensor<f32>, tensor<f32>
})";

static mlir::OwningOpRef<ModuleOp> makeStep(const std::string &settings,
                                            MLIRContext &context) {
  auto step = mlir::parseSourceString<ModuleOp>(kStep, &context);
  mlir::PassManager passes(&context);
  std::string pipeline = "mpc-scale-loss{" + settings + "},mpc-verify-scale";
  if (!step || failed(mlir::parsePassPipeline(pipeline, passes)) ||
      failed(passes.run(*step)))
    return nullptr;
  return step;
}

StepPrograms::StepPrograms(const std::vector<std::string> &settings) {
  graph::registerGraphTransformsPasses();
  context.loadDialect<mlir::func::FuncDialect, graph::GraphDialect>();
  module = ModuleOp::create(mlir::UnknownLoc::get(&context));
  for (size_t i = 0; i < settings.size(); ++i) {
    auto step = makeStep(settings[i], context);
    if (!step)
      return;
    FuncOp function = *step->getOps<FuncOp>().begin();
    function.setName("f" + std::to_string(i));
    module->push_back(function.clone());
  }
  valid = true;
}

std::string StepPrograms::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  ModuleOp(*module).print(stream);
  return text;
}

FuncOp StepPrograms::function(size_t index) const {
  return ModuleOp(*module).lookupSymbol<FuncOp>("f" + std::to_string(index));
}

Executor StepPrograms::reference() const {
  return [this](const std::string &name, const std::vector<Tensor> &arguments) {
    auto results =
        reference::evaluate(ModuleOp(*module).lookupSymbol<FuncOp>(name),
                            arguments, reference::Mode::Rounded);
    return succeeded(results) ? *results : std::vector<Tensor>();
  };
}

ScalerStep StepPrograms::first(size_t index) const {
  FuncOp func = function(index);
  ScalerStep step;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    graph::StateAttr state = graph::getState(func, i);
    if (!state)
      continue;
    Tensor value = Tensor::zeros(func.getArgumentTypes()[i]);
    if (auto fill = dyn_cast_if_present<graph::FillAttr>(state.getInit())) {
      if (value.isFloat())
        value.reals[0] = fill.getValue().value;
      else
        value.ints[0] = static_cast<int64_t>(fill.getValue().value);
    }
    step.state[state.getName().str()] = value;
  }
  return step;
}

ScalerStep StepPrograms::next(size_t index, const ScalerStep &before,
                              float gradient, const Executor &execute) const {
  FuncOp func = function(index);
  std::vector<Tensor> arguments;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    graph::StateAttr state = graph::getState(func, i);
    arguments.push_back(state ? before.state.at(state.getName().str())
                              : Tensor::real(DType::F32, {}, {gradient}));
  }
  std::vector<Tensor> results = execute(func.getName().str(), arguments);
  ScalerStep step = before;
  if (results.size() != func.getNumResults())
    return ScalerStep();
  for (unsigned i = 0; i < results.size(); ++i) {
    auto get = [&](StringRef mark) {
      auto name = func.getResultAttrOfType<StringAttr>(i, mark);
      return name ? name.str() : "";
    };
    if (std::string name = get(graph::kUpdatesAttr); !name.empty())
      step.state[name] = results[i];
    if (get(graph::kOutputAttr) == "found_inf")
      step.foundInf = results[i].ints[0] != 0;
    if (get(graph::kOutputAttr) == "scale_at_floor")
      step.atFloor = results[i].ints[0] != 0;
    if (!get(graph::kGradientAttr).empty())
      step.gradient = static_cast<float>(results[i].reals[0]);
  }
  return step;
}

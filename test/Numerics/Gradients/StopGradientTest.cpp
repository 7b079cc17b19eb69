// What stops a gradient is, to gradients, an input that has its value: each
// model is compared with itself where such inputs stand in the places of the
// stops. Those of a model without stops are compared with central differences.
#include "Reference/RandomGraph.h"
#include "StepFixture.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mpc;
using namespace mpc::gradients;
using namespace mpc::reference;
using mlir::func::FuncOp;

namespace {

/// A straight-through estimator: forward sin(h), backward that of h; and a
/// factor that is held. `stops` are the ops that stop, or nothing.
std::string estimator(const std::string &inputs, const std::string &stops) {
  return "func.func @f(%w: tensor<3xf64> {graph.parameter = \"w\"}" + inputs +
         R"() -> (tensor<f64> {graph.loss}) {
  %h = graph.mul %w, %w : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %q = graph.sin %h : tensor<3xf64>
  %r = graph.sub %q, %h : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
)" + stops +
         R"(  %z = graph.add %h, %a : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %p = graph.mul %z, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %loss = graph.sum %p dims = [0] : (tensor<3xf64>) -> tensor<f64>
  return %loss : tensor<f64>
})";
}

std::map<std::string, Tensor> gradientsOf(FuncOp step,
                                          const std::vector<Tensor> &results) {
  std::map<std::string, Tensor> found;
  for (unsigned i = 0; i < results.size(); ++i)
    if (auto name =
            step.getResultAttrOfType<StringAttr>(i, graph::kGradientAttr))
      found.emplace(name.str(), results[i]);
  return found;
}

/// A model, the function of what its stops are, and the model that is given it.
struct Held {
  FuncOp model, values, held;

  explicit Held(FuncOp function) : model(function) {
    mlir::OpBuilder builder(function);
    std::string name = function.getName().str();
    values = cast<FuncOp>(builder.clone(*function));
    held = cast<FuncOp>(builder.clone(*function));
    values.setName(name + "_values");
    held.setName(name + "_held");
    holdStops();
    returnStops();
  }

private:
  void holdStops() {
    Block &body = held.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body)) {
      if (!isa<graph::StopGradientOp>(op))
        continue;
      unsigned index = held.getNumArguments();
      auto mark =
          StringAttr::get(op.getContext(), "held" + std::to_string(index));
      auto attributes = mlir::DictionaryAttr::get(
          op.getContext(),
          mlir::NamedAttribute(
              StringAttr::get(op.getContext(), graph::kInputAttr), mark));
      ASSERT_TRUE(succeeded(held.insertArgument(
          index, op.getResult(0).getType(), attributes, op.getLoc())));
      op.getResult(0).replaceAllUsesWith(held.getArgument(index));
      op.erase();
    }
  }

  void returnStops() {
    SmallVector<Value> stops;
    for (auto op : values.getOps<graph::StopGradientOp>())
      stops.push_back(op.getResult());
    values.getBody().front().getTerminator()->setOperands(stops);
    values.setAllResultAttrs(ArrayRef<mlir::DictionaryAttr>());
    values.setFunctionType(
        mlir::FunctionType::get(values.getContext(), values.getArgumentTypes(),
                                mlir::TypeRange(mlir::ValueRange(stops))));
    for (unsigned i = 0; i < values.getNumArguments(); ++i)
      values.setArgAttrs(i, ArrayRef<mlir::NamedAttribute>());
  }
};

void expectEqual(const std::map<std::string, Tensor> &actual,
                 const std::map<std::string, Tensor> &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto &[name, gradient] : actual) {
    auto other = expected.find(name);
    ASSERT_NE(other, expected.end()) << name;
    EXPECT_TRUE(compare(gradient, other->second, 0, 0).within) << name;
  }
}

} // namespace

TEST(StopGradient, holdsItsValue) {
  DifferentiatedModel stopped(
      estimator("", "  %a = graph.stop_gradient %r : tensor<3xf64>\n"
                    "  %b = graph.stop_gradient %h : tensor<3xf64>\n"));
  DifferentiatedModel held(
      estimator(", %a: tensor<3xf64> {graph.input = \"a\"}, %b: tensor<3xf64> "
                "{graph.input = \"b\"}",
                ""));
  ASSERT_TRUE(stopped && held);
  std::vector<double> w = {0.7, -1.2, 0.4}, a, b;
  for (double x : w) {
    a.push_back(std::sin(x * x) - x * x);
    b.push_back(x * x);
  }
  Tensor parameter = Tensor::real(DType::F64, {3}, w);
  std::vector<Tensor> arguments = {parameter, Tensor::real(DType::F64, {3}, a),
                                   Tensor::real(DType::F64, {3}, b)};
  expectGradientsMatch(held, arguments);
  std::vector<Tensor> results = stopped.runStep({parameter});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].reals, held.runStep(arguments)[0].reals);
  for (size_t i = 0; i < w.size(); ++i)
    EXPECT_DOUBLE_EQ(results[1].reals[i], 2 * w[i] * w[i] * w[i]);
}

/// h(t) = stop(h(t - 1)) w + x(t), and the loss is the sum of all three: the
/// last step alone would have gradients of those before it. With x = 1 and
/// w = 1/2, h is 1, 3/2, 7/4, and dw is 0 + 1 + 3/2.
TEST(StopGradient, endsTheGradientThroughTime) {
  DifferentiatedModel model(R"(
func.func @f(%w: tensor<1xf64> {graph.parameter = "w"}, %x: tensor<3x1xf64> {graph.input = "x"},
             %h0: tensor<1xf64> {graph.input = "h0"}) -> (tensor<f64> {graph.loss}) {
  %last, %all = graph.scan steps = 3 carry %h0 each %x with %w : (tensor<1xf64>, tensor<3x1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<3x1xf64>) {
  ^bb0(%h: tensor<1xf64>, %e: tensor<1xf64>, %k: tensor<1xf64>):
    %s = graph.stop_gradient %h : tensor<1xf64>
    %p = graph.mul %s, %k : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
    %n = graph.add %p, %e : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
    graph.yield %n, %n : tensor<1xf64>, tensor<1xf64>
  }
  %loss = graph.sum %all dims = [0, 1] : (tensor<3x1xf64>) -> tensor<f64>
  return %loss : tensor<f64>
})");
  ASSERT_TRUE(model);
  auto results = model.runStep({Tensor::real(DType::F64, {1}, {0.5}),
                                Tensor::real(DType::F64, {3, 1}, {1, 1, 1}),
                                Tensor::real(DType::F64, {1}, {0})});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].reals[0], 4.25);
  EXPECT_EQ(results[1].reals[0], 2.5);
}

TEST(StopGradient, holdsItsValueInRandomModels) {
  MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, graph::GraphDialect>();
  mlir::ScopedDiagnosticHandler silent(
      &context, [](mlir::Diagnostic &) { return success(); });
  int stops = 0, gradients = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    auto module = mlir::parseSourceString<ModuleOp>(
        makeRandomGraphs(seed, 20, {.isModel = true}), &context);
    ASSERT_TRUE(module);
    std::vector<Held> models;
    for (FuncOp function : llvm::to_vector(module->getOps<FuncOp>()))
      models.emplace_back(function);
    std::vector<std::vector<Tensor>> values;
    for (Held &held : models) {
      auto found = evaluate(held.values, makeInputs(held.model, {seed, -1, 1}),
                            Mode::Exact);
      ASSERT_TRUE(succeeded(found));
      values.push_back(*found);
      held.values.erase();
    }
    mlir::PassManager passes(&context);
    passes.addPass(graph::createDifferentiate());
    ASSERT_TRUE(succeeded(passes.run(*module)));
    for (auto [held, value] : llvm::zip_equal(models, values)) {
      auto stepOf = [&](FuncOp model) {
        return module->lookupSymbol<FuncOp>((model.getName() + "_step").str());
      };
      FuncOp step = stepOf(held.model), other = stepOf(held.held);
      ASSERT_TRUE(step && other);
      auto arguments = makeInputs(held.model, {seed, -1, 1});
      auto results = evaluate(step, arguments, Mode::Exact);
      llvm::append_range(arguments, value);
      auto expected = evaluate(other, arguments, Mode::Exact);
      ASSERT_TRUE(succeeded(results) && succeeded(expected));
      auto actual = gradientsOf(step, *results);
      expectEqual(actual, gradientsOf(other, *expected));
      stops += int(value.size());
      gradients += int(actual.size());
    }
  }
  EXPECT_GE(stops, 20);
  EXPECT_GE(gradients, 200);
}

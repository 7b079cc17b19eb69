#include "StepFixture.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mpc;
using namespace mpc::gradients;
using namespace mpc::reference;

DifferentiatedModel::DifferentiatedModel(const std::string &text) {
  context.loadDialect<mlir::func::FuncDialect, graph::GraphDialect>();
  module = mlir::parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return;
  mlir::PassManager passes(&context);
  passes.addPass(graph::createDifferentiate());
  ok = succeeded(passes.run(*module));
}

mlir::func::FuncOp DifferentiatedModel::find(StringRef name) {
  return module->lookupSymbol<mlir::func::FuncOp>(name);
}

double DifferentiatedModel::loss(const std::vector<Tensor> &arguments) {
  auto results = evaluate(forward(), arguments, Mode::Exact);
  return succeeded(results) ? results->front().reals[0] : std::nan("");
}

std::vector<Tensor>
DifferentiatedModel::runStep(const std::vector<Tensor> &arguments, Mode mode) {
  auto results = evaluate(step(), arguments, mode);
  return succeeded(results) ? *results : std::vector<Tensor>();
}

/// (f(x + h) - f(x - h)) / 2h in element `i` of argument `index`.
static double centralDifference(DifferentiatedModel &model,
                                std::vector<Tensor> arguments, unsigned index,
                                size_t i) {
  double &x = arguments[index].reals[i], at = x;
  double h = 1e-5 * std::max(1.0, std::abs(at));
  x = at + h;
  double above = model.loss(arguments), high = x;
  x = at - h;
  return (above - model.loss(arguments)) / (high - x);
}

void gradients::expectGradientsMatch(DifferentiatedModel &model,
                                     const std::vector<Tensor> &arguments) {
  std::vector<Tensor> results = model.runStep(arguments);
  ASSERT_FALSE(results.empty());
  EXPECT_EQ(results.front().reals[0], model.loss(arguments));
  double floor = 1e-9 * (1 + std::abs(results.front().reals[0]));
  for (unsigned r = 0; r < results.size(); ++r) {
    auto name =
        model.step().getResultAttrOfType<StringAttr>(r, graph::kGradientAttr);
    if (!name)
      continue;
    for (unsigned a = 0; a < arguments.size(); ++a) {
      if (model.step().getArgAttr(a, graph::kParameterAttr) != name)
        continue;
      ASSERT_EQ(results[r].shape, arguments[a].shape);
      for (size_t i = 0; i < arguments[a].size(); ++i) {
        double expected = centralDifference(model, arguments, a, i);
        EXPECT_NEAR(results[r].reals[i], expected,
                    1e-6 * std::abs(expected) + floor)
            << "gradient of '" << name.str() << "', element " << i;
      }
    }
  }
}

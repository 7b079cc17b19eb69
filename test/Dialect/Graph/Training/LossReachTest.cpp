// Which parameters are trained is known in front of mpc-differentiate, which
// freezes the others: both are asked about random models.
#include "mpc/Dialect/Graph/Training/LossReach.h"
#include "Reference/RandomGraph.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

using Names = std::vector<std::string>;

static Names trained(FuncOp step) {
  Names names;
  for (const Marked &parameter : trainableParameters(step))
    names.push_back(parameter.name.str());
  return names;
}

static Names reached(FuncOp model) {
  Operation *exit = model.getBody().front().getTerminator();
  auto reach = findLossReach(exit->getOperand(*lossResult(model)));
  Names names;
  for (const Marked &parameter : trainableParameters(model))
    if (reach.contains(parameter.value))
      names.push_back(parameter.name.str());
  return names;
}

TEST(LossReachTest, IsWhatAutodiffFinds) {
  MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, GraphDialect>();
  mlir::ScopedDiagnosticHandler silent(
      &context, [](mlir::Diagnostic &) { return success(); });
  int models = 0, frozen = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    auto module = mlir::parseSourceString<ModuleOp>(
        reference::makeRandomGraphs(seed, 20, {.isModel = true}), &context);
    ASSERT_TRUE(module);
    std::map<std::string, Names> expected;
    std::map<std::string, size_t> parameters;
    for (auto model : module->getOps<FuncOp>()) {
      expected[model.getName().str() + "_step"] = reached(model);
      parameters[model.getName().str() + "_step"] = trained(model).size();
    }
    mlir::PassManager passes(&context);
    passes.addPass(createDifferentiate());
    ASSERT_TRUE(succeeded(passes.run(*module)));
    for (FuncOp step : entryFunctions(*module, "step")) {
      std::string name = step.getName().str();
      EXPECT_EQ(trained(step), expected[name]) << name;
      ++models;
      frozen += trained(step).size() < parameters[name];
    }
  }
  EXPECT_GE(models, 400);
  EXPECT_GE(frozen, 50);
}

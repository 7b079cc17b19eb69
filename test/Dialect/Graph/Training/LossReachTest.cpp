// Which parameters are trained is known in front of mpc-differentiate, which
// freezes the others: both are asked about random models, and about a scan.
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

/// Operands of a scan go into some of its results: what is carried, a sequence,
/// its edge and a constant, each with a stop in the body (odd), without one,
/// and into a result that is not read.
TEST(LossReachTest, SeesIntoScans) {
  MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, GraphDialect>();
  mlir::ScopedDiagnosticHandler silent(
      &context, [](mlir::Diagnostic &) { return success(); });
  auto module = mlir::parseSourceString<ModuleOp>(R"(
!e = tensor<4xf32>
!s = tensor<3x4xf32>
func.func @f(%p0: !e {graph.parameter = "carried"}, %p1: !e {graph.parameter = "stopped carried"},
             %p2: !s {graph.parameter = "sequence"}, %p3: !s {graph.parameter = "stopped sequence"},
             %p4: !e {graph.parameter = "edge"}, %p5: !e {graph.parameter = "stopped edge"},
             %p6: !e {graph.parameter = "constant"}, %p7: !e {graph.parameter = "stopped constant"},
             %p8: !e {graph.parameter = "through time"}, %p9: !e {graph.parameter = "unread"}) -> (tensor<f32> {graph.loss}) {
  %r:5 = graph.scan steps = 3 carry %p0, %p1, %p0 each %p2, %p3 shifts = [-1, 1] edges %p4, %p5 with %p6, %p7, %p8, %p9
      : (!e, !e, !e, !s, !s, !e, !e, !e, !e, !e, !e) -> (!e, !e, !e, !s, !s) {
  ^bb0(%a: !e, %b: !e, %c: !e, %d: !e, %e: !e, %f: !e, %g: !e, %h: !e, %i: !e):
    %sb = graph.stop_gradient %b : !e
    %se = graph.stop_gradient %e : !e
    %sg = graph.stop_gradient %g : !e
    %0 = graph.mul %a, %sb : (!e, !e) -> !e
    %1 = graph.mul %0, %d : (!e, !e) -> !e
    %2 = graph.mul %1, %se : (!e, !e) -> !e
    %3 = graph.mul %2, %f : (!e, !e) -> !e
    %4 = graph.mul %3, %sg : (!e, !e) -> !e
    %5 = graph.mul %4, %c : (!e, !e) -> !e
    %6 = graph.mul %5, %i : (!e, !e) -> !e
    graph.yield %a, %b, %h, %5, %6 : !e, !e, !e, !e, !e
  }
  %loss = graph.sum %r#3 dims = [0, 1] : (!s) -> tensor<f32>
  return %loss : tensor<f32>
})",
                                                  &context);
  ASSERT_TRUE(module);
  Names expected = {"carried", "sequence", "edge", "constant", "through time"};
  auto model = *module->getOps<FuncOp>().begin();
  EXPECT_EQ(reached(model), expected);
  mlir::PassManager passes(&context);
  passes.addPass(createDifferentiate());
  ASSERT_TRUE(succeeded(passes.run(*module)));
  EXPECT_EQ(trained(entryFunctions(*module, "step").front()), expected);
}

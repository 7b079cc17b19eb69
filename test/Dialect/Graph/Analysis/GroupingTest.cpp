// What mpc-group forms, a kernel can be made of: grouping and the shape of a
// kernel are asked about random graphs, forward and with gradients. No machine
// code; KernelsTest runs a part of the same graphs.
#include "Reference/RandomGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Analysis/KernelShape.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::graph;

namespace {
struct Counts {
  int functions = 0, groups = 0;
  int fused = 0;   ///< Groups of several ops with a reduction.
  int columns = 0; ///< Groups of kind column.
  unsigned deepest = 0;
};

class GroupingTest : public ::testing::Test {
protected:
  GroupingTest() {
    context.loadDialect<mlir::func::FuncDialect, GraphDialect>();
  }
  /// Groups all functions of `text`, and looks at every group.
  void check(const std::string &text, bool isModel) {
    auto module = mlir::parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    mlir::PassManager passes(&context);
    if (isModel)
      passes.addPass(createDifferentiate());
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(mlir::createCSEPass());
    passes.addPass(createDecompose());
    passes.addPass(mlir::createCSEPass());
    passes.addPass(createGroup());
    ASSERT_TRUE(succeeded(passes.run(*module))) << text;
    counts.functions += llvm::range_size(module->getOps<mlir::func::FuncOp>());
    module->walk([&](GroupOp group) { look(group); });
  }
  void look(GroupOp group) {
    if (group.getKind() == GroupKind::Library)
      return;
    FailureOr<KernelShape> shape = KernelShape::get(group);
    ASSERT_TRUE(succeeded(shape));
    ++counts.groups;
    counts.columns += shape->kind == GroupKind::Column;
    bool hasReduced = shape->numItemDims < shape->dims.size();
    counts.fused +=
        hasReduced && group.getBody().front().getOperations().size() > 3;
    for (auto [value, depth] : shape->depths)
      counts.deepest = std::max(counts.deepest, depth);
    for (auto [value, sweeps] : shape->sweeps)
      EXPECT_EQ(sweeps >> 63, 0u);
  }

  MLIRContext context;
  Counts counts;
};
} // namespace

TEST_F(GroupingTest, RandomGraphs) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    check(reference::makeRandomGraphs(seed, 40), /*isModel=*/false);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GE(counts.functions, 2000);
  EXPECT_GE(counts.groups, 8000);
  EXPECT_GE(counts.fused, 1000);
  EXPECT_GE(counts.columns, 250);
}

TEST_F(GroupingTest, RandomModels) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    check(reference::makeRandomGraphs(seed, 20, {.isModel = true}),
          /*isModel=*/true);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GE(counts.functions, 1500); // forward and step
  EXPECT_GE(counts.fused, 1500);
}

// A chain is cut where one kernel would have too many sweeps.
TEST_F(GroupingTest, LongChains) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    check(reference::makeRandomGraphs(
              seed, 20, {.shortestChain = 50, .longestChain = 90}),
          /*isModel=*/false);
    if (HasFatalFailure())
      return;
  }
  EXPECT_EQ(counts.deepest, 61u);
}

/// A function, or a function of one group, of `length` sums that wait for each
/// other. Each feeds a costly op, which is not computed twice.
static std::string makeChain(int length, bool isGroup) {
  std::string x = "tensor<64x128xf32>", row = "tensor<64x1xf32>", body, last;
  for (int i = 0; i < length; ++i) {
    std::string n = std::to_string(i), from = "%x" + n;
    last = "%x" + std::to_string(i + 1);
    body += "%s" + n + " = graph.sum " + from + " dims = [1] keep : (" + x +
            ") -> " + row + "\n%d" + n + " = graph.sub " + from + ", %s" + n +
            " : (" + x + ", " + row + ") -> " + x + "\n" + last +
            " = graph.tanh %d" + n + " : " + x + "\n";
  }
  if (isGroup)
    body = "%g = graph.group <row> %x : (" + x + ") -> " + x +
           " {\n^bb0(%x0: " + x + "):\n" + body + "graph.yield " + last +
           " : " + x + "\n}\n";
  return "func.func @f(" + std::string(isGroup ? "%x" : "%x0") + ": " + x +
         ") -> " + x + " {\n" + body + "return " + (isGroup ? "%g" : last) +
         " : " + x + "\n}\n";
}

TEST_F(GroupingTest, AsManySweepsAsAMaskHasRoomFor) {
  check(makeChain(61, /*isGroup=*/false), /*isModel=*/false);
  EXPECT_EQ(counts.groups, 1);
  EXPECT_EQ(counts.deepest, 61u);
  check(makeChain(62, /*isGroup=*/false), /*isModel=*/false);
  EXPECT_EQ(counts.groups, 3);
}

TEST_F(GroupingTest, AGroupWithTooManySweepsIsAnError) {
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context,
      [&](mlir::Diagnostic &diagnostic) { message = diagnostic.str(); });
  auto getShape = [&](int length) {
    auto module = mlir::parseSourceString<ModuleOp>(
        makeChain(length, /*isGroup=*/true), &context);
    FailureOr<KernelShape> shape = failure();
    module->walk([&](GroupOp group) { shape = KernelShape::get(group); });
    return shape;
  };
  EXPECT_TRUE(succeeded(getShape(61))) << message;
  EXPECT_TRUE(failed(getShape(62)));
  EXPECT_NE(message.find("expected at most 62 sweeps"), std::string::npos)
      << message;
}

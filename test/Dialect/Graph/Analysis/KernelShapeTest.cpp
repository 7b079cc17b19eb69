// What the planner is told about kernels: work items, grains, in-place pairs
// and traffic.
#include "mpc/Dialect/Graph/Analysis/KernelShape.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::graph;

namespace {
class KernelShapeTest : public ::testing::Test {
protected:
  KernelShapeTest() {
    context.loadDialect<mlir::func::FuncDialect, GraphDialect>();
  }
  /// The shape of the only group that `text` becomes.
  KernelShape getShape(const std::string &text) {
    module = mlir::parseSourceString<ModuleOp>(text, &context);
    mlir::PassManager passes(&context);
    passes.addPass(createDecompose());
    passes.addPass(mlir::createCSEPass());
    passes.addPass(createGroup());
    EXPECT_TRUE(succeeded(passes.run(*module)));
    SmallVector<GroupOp> groups;
    module->walk([&](GroupOp group) { groups.push_back(group); });
    EXPECT_EQ(groups.size(), 1u);
    auto shape = KernelShape::get(groups.front());
    EXPECT_TRUE(succeeded(shape));
    return *shape;
  }
  static std::vector<std::pair<unsigned, unsigned>>
  getPairs(const KernelShape &shape) {
    std::vector<std::pair<unsigned, unsigned>> pairs;
    for (InPlacePair pair : shape.inPlacePairs)
      pairs.push_back({pair.operand, pair.result});
    return pairs;
  }
  using Pairs = std::vector<std::pair<unsigned, unsigned>>;

  MLIRContext context;
  mlir::OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_F(KernelShapeTest, RowsAreItemsAndATaskIs16kElements) {
  KernelShape shape = getShape(R"(
func.func @f(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf16> {
  %0 = graph.softmax %x dim = 1 : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %1 = graph.cast %0 : (tensor<4096x1024xf32>) -> tensor<4096x1024xf16>
  return %1 : tensor<4096x1024xf16>
})");
  EXPECT_EQ(shape.kind, GroupKind::Row);
  EXPECT_EQ(shape.extent, 4096);
  EXPECT_EQ(shape.grain, 16);
  EXPECT_EQ(shape.bytesRead, 4096 * 1024 * 4);
  EXPECT_EQ(shape.bytesWritten, 4096 * 1024 * 2);
  EXPECT_EQ(getPairs(shape), Pairs()); // Other types.
}

TEST_F(KernelShapeTest, PointwiseDimsCollapseIntoSegments) {
  KernelShape shape = getShape(R"(
func.func @f(%x: tensor<100x10x30xf32>) -> tensor<100x10x30xf32> {
  %0 = graph.neg %x : tensor<100x10x30xf32>
  return %0 : tensor<100x10x30xf32>
})");
  ASSERT_EQ(shape.dims.size(), 1u);
  EXPECT_EQ(shape.dims[0].size, 30000);
  EXPECT_EQ(shape.extent, 8); // 4096 elements each.
  EXPECT_EQ(getPairs(shape), Pairs({{0, 0}}));
}

TEST_F(KernelShapeTest, ColumnsAreCutInto64) {
  KernelShape shape = getShape(R"(
func.func @f(%g: tensor<512x1000xf32>) -> tensor<1000xf32> {
  %0 = graph.sum %g dims = [0] : (tensor<512x1000xf32>) -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
})");
  EXPECT_EQ(shape.kind, GroupKind::Column);
  EXPECT_EQ(shape.extent, 16);
  EXPECT_EQ(shape.grain, 1);
}

TEST_F(KernelShapeTest, ScalarsAreOneItem) {
  KernelShape shape = getShape(R"(
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.neg %x : tensor<f32>
  return %0 : tensor<f32>
})");
  EXPECT_EQ(shape.extent, 1);
  EXPECT_EQ(shape.axis, -1);
  EXPECT_EQ(getPairs(shape), Pairs({{0, 0}}));
}

// x is read by the third sweep at the very place that it writes.
TEST_F(KernelShapeTest, SoftmaxMayOverwriteItsInput) {
  KernelShape shape = getShape(R"(
func.func @f(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<8x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
})");
  EXPECT_EQ(getPairs(shape), Pairs({{0, 0}}));
}

// The first sweep stores y = 2x and sums; the second needs x again.
TEST_F(KernelShapeTest, WhatALaterSweepReadsIsNotOverwritten) {
  KernelShape shape = getShape(R"(
func.func @f(%x: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf16>) {
  %0 = graph.add %x, %x : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %1 = graph.sum %x dims = [1] keep : (tensor<8x32xf32>) -> tensor<8x1xf32>
  %2 = graph.sub %x, %1 : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
  %3 = graph.cast %2 : (tensor<8x32xf32>) -> tensor<8x32xf16>
  return %0, %3 : tensor<8x32xf32>, tensor<8x32xf16>
})");
  EXPECT_EQ(getPairs(shape), Pairs());
}

// A transposed or repeated operand is read by other items than write there.
TEST_F(KernelShapeTest, OtherPlacesAreNotOverwritten) {
  KernelShape shape = getShape(R"(
func.func @f(%x: tensor<4x4x8xf32>, %y: tensor<4x4x8xf32>) -> tensor<4x4x8xf32> {
  %0 = graph.transpose %x permutation = [1, 0, 2] : (tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
  %1 = graph.add %0, %y : (tensor<4x4x8xf32>, tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
  return %1 : tensor<4x4x8xf32>
})");
  EXPECT_EQ(getPairs(shape), Pairs({{1, 0}}));
}

TEST_F(KernelShapeTest, ASliceReadsItsPartOnly) {
  KernelShape shape = getShape(R"(
func.func @f(%x: tensor<10x64xf32>) -> tensor<2x64xf32> {
  %0 = graph.slice %x offsets = [3, 0] sizes = [2, 64] : (tensor<10x64xf32>) -> tensor<2x64xf32>
  %1 = graph.neg %0 : tensor<2x64xf32>
  return %1 : tensor<2x64xf32>
})");
  EXPECT_EQ(shape.bytesRead, 2 * 64 * 4);
  EXPECT_EQ(getPairs(shape), Pairs());
}

// Rows that make no whole number of parts; the parts are written, too, and lie
// in no operand's memory.
TEST_F(KernelShapeTest, PartsAreItems) {
  KernelShape shape = getShape(R"(
func.func @f(%x: tensor<10x10x40xf32>, %y: tensor<13x40xf32>) -> (tensor<10x10x40xf32>, tensor<13x40xf32>) {
  %0 = graph.softmax %x dim = 2 : (tensor<10x10x40xf32>) -> tensor<10x10x40xf32>
  %1 = graph.partial_sum %0 dims = [0, 1] rows = 8 : (tensor<10x10x40xf32>) -> tensor<13x40xf32>
  return %0, %1 : tensor<10x10x40xf32>, tensor<13x40xf32>
})");
  EXPECT_EQ(shape.kind, GroupKind::Row);
  EXPECT_EQ(shape.rowsPerPart, 8);
  EXPECT_EQ(shape.numItems(), 100);
  EXPECT_EQ(shape.extent, 13);
  EXPECT_EQ(shape.grain, 13);
  EXPECT_EQ(shape.bytesRead, 100 * 40 * 4);
  EXPECT_EQ(shape.bytesWritten, (100 + 13) * 40 * 4);
  EXPECT_EQ(getPairs(shape), (Pairs{{0, 0}}));
}

// The tables of casts and policies, from a model as a user writes it.
#include "mpc/Dialect/Graph/Precision/CastReport.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::graph;

namespace {

constexpr const char *kModel = R"(
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"},
                 %w: tensor<8x2xf32> {graph.parameter = "w"}) -> tensor<4x2xf32>
    attributes {graph.training = #graph.training<precision = "fp16">} {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = graph.exp %0 : tensor<4x2xf32> loc("head")
  %2 = graph.cast %1 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}
)";

struct CastReport : testing::Test {
  CastReport() {
    context.loadDialect<mlir::func::FuncDialect, GraphDialect>();
    module = mlir::parseSourceString<ModuleOp>(kModel, &context);
  }

  MLIRContext context;
  mlir::OwningOpRef<ModuleOp> module;
};

TEST_F(CastReport, Policies) {
  auto rows = collectPolicies(*module, AutocastChoice());
  ASSERT_TRUE(succeeded(rows));
  ASSERT_EQ(rows->size(), 2u);
  const PolicyRow &matmul = rows->front(), &exp = rows->back();
  EXPECT_EQ(matmul.function, "model");
  EXPECT_EQ(matmul.op, "graph.matmul");
  EXPECT_EQ(matmul.policy, "Allow");
  EXPECT_EQ(matmul.type, "f16");
  EXPECT_EQ(matmul.results, "4x2xf16");
  EXPECT_EQ(matmul.reason, "allow: matmul runs in f16");
  EXPECT_EQ(exp.type, "f32");
  EXPECT_EQ(exp.location, "head");
  std::string text;
  llvm::raw_string_ostream os(text);
  printPolicies(*rows, os);
  EXPECT_NE(text.find("2 ops decided, 1 of them in 16 bits"),
            std::string::npos);
}

TEST_F(CastReport, OptionsOverrideTheModel) {
  AutocastChoice choice;
  choice.mode = "torch";
  choice.precision = "bf16";
  choice.policy = "graph.exp=Allow";
  auto rows = collectPolicies(*module, choice);
  ASSERT_TRUE(succeeded(rows));
  EXPECT_EQ(rows->front().policy, "lower_precision_fp");
  EXPECT_EQ(rows->front().type, "bf16");
  EXPECT_EQ(rows->back().type, "bf16");
}

TEST_F(CastReport, BadChoiceIsAnError) {
  mlir::ScopedDiagnosticHandler quiet(&context,
                                      [](auto &) { return success(); });
  AutocastChoice mode, policy;
  mode.mode = "x";
  policy.policy = "x";
  EXPECT_TRUE(failed(collectPolicies(*module, mode)));
  EXPECT_TRUE(failed(collectPolicies(*module, policy)));
}

// x moves 32 elements of 4 + 2 bytes; w only its copy, 16 of 2; the matmul's
// result 8 of 6; the user's cast is priced as any other.
TEST_F(CastReport, Casts) {
  mlir::PassManager pm(&context);
  pm.addPass(createAutocast());
  ASSERT_TRUE(succeeded(pm.run(*module)));
  std::vector<CastRow> rows = collectCasts(*module);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].value, "input x");
  EXPECT_EQ(rows[0].from, "4x8xf32");
  EXPECT_EQ(rows[0].to, "4x8xf16");
  EXPECT_EQ(rows[0].bytes, 192);
  EXPECT_EQ(rows[0].reason, "allow: matmul runs in f16");
  EXPECT_EQ(rows[1].value, "parameter w");
  EXPECT_EQ(rows[1].bytes, 32);
  EXPECT_EQ(rows[2].value, "graph.matmul");
  EXPECT_EQ(rows[2].bytes, 48);
  EXPECT_EQ(rows[2].location, "head");
  EXPECT_TRUE(rows[3].reason.empty());
  std::string text;
  llvm::raw_string_ostream os(text);
  printCasts(rows, os);
  EXPECT_NE(text.find("written by the user"), std::string::npos);
  EXPECT_NE(text.find("4 casts, 320 bytes per call"), std::string::npos);
}

} // namespace

// Batch sizes of random graphs: what mpc-set-batch accepts verifies, and is the
// model again when it is set back; what it refuses, it refuses with an error.
#include "mpc/Dialect/Graph/Analysis/BatchDims.h"
#include "Reference/RandomGraph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::graph;

namespace {

struct BatchDimsTest : testing::Test {
  BatchDimsTest() {
    context.loadDialect<GraphDialect, mlir::func::FuncDialect>();
    context.printOpOnDiagnostic(false);
  }

  bool setBatch(ModuleOp module, int64_t batch) {
    mlir::PassManager pm(&context);
    pm.addPass(createSetBatch({batch}));
    return succeeded(pm.run(module));
  }

  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }

  MLIRContext context;
};

/// Sizes are told from the batch by a prime that divides none of them. Values
/// of 2^42 bytes may use up every small one.
TEST_F(BatchDimsTest, SizesThatLeaveNoPrimeAreRefused) {
  std::string arguments = "%x: tensor<1xi1>", said;
  int64_t size = 1;
  auto addSize = [&] {
    arguments += llvm::formatv(", %x{0}: tensor<{0}xi1>", size);
    size = 1;
  };
  for (int64_t number = 101; number < 8192; ++number) {
    bool isPrime = true;
    for (int64_t divisor = 2; divisor * divisor <= number; ++divisor)
      isPrime &= number % divisor != 0;
    if (!isPrime)
      continue;
    if (size > (int64_t(1) << 42) / number)
      addSize();
    size *= number;
  }
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          said = diagnostic.str();
                                          return success();
                                        });
  auto compile = [&] {
    auto module = mlir::parseSourceString<ModuleOp>(
        "func.func @m(%x: tensor<4xf32> {graph.input = \"x\"}) -> "
        "(tensor<4xf32> {graph.output = \"y\"}) {\nreturn %x : "
        "tensor<4xf32>\n}\nfunc.func private @sizes(" +
            arguments + ") {\nreturn\n}",
        &context);
    return module && setBatch(*module, 7);
  };
  EXPECT_TRUE(compile()) << said; // The largest primes are left.
  addSize();
  EXPECT_FALSE(compile());
  EXPECT_TRUE(StringRef(said).starts_with("expected sizes of tensors that some "
                                          "prime from 101 to 8192 does not"))
      << said;
}

TEST_F(BatchDimsTest, RandomGraphsGoThereAndBack) {
  int accepted = 0, refused = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    reference::RandomGraphOptions options;
    options.isModel = true;
    options.ops = 1 + static_cast<int>(seed % 12);
    auto module = mlir::parseSourceString<ModuleOp>(
        reference::makeRandomGraphs(seed, 1, options), &context);
    ASSERT_TRUE(module);
    auto model = *module->getOps<mlir::func::FuncOp>().begin();
    std::optional<int64_t> batch = BatchDims::findBatch(model);
    std::string before = print(*module), said;
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            said += diagnostic.str();
                                            return success();
                                          });
    if (!setBatch(*module, 11)) {
      EXPECT_NE(said, "") << "seed " << seed;
      ++refused;
      continue;
    }
    ASSERT_TRUE(batch) << "seed " << seed;
    EXPECT_EQ(said, "") << "seed " << seed;
    EXPECT_TRUE(succeeded(mlir::verify(*module))) << "seed " << seed;
    EXPECT_EQ(BatchDims::findBatch(model), 11) << "seed " << seed;
    ASSERT_TRUE(setBatch(*module, *batch)) << "seed " << seed << ": " << said;
    EXPECT_EQ(print(*module), before) << "seed " << seed;
    ++accepted;
  }
  // Both happen, or nothing was tested.
  EXPECT_GT(accepted, 20);
  EXPECT_GT(refused, 20);
}

/// A value that is added to itself doubles the ways to what it is made of with
/// every level: each value is looked at once.
TEST_F(BatchDimsTest, ManyWaysToOneConstant) {
  std::string type = "tensor<4x3xf32>";
  std::string types = "(" + type + ", " + type + ") -> " + type + "\n";
  std::string text = "func.func @model(%x: " + type +
                     " {graph.input = \"x\"}) -> (" + type +
                     " {graph.output = \"y\"}) {\n"
                     "  %c0 = graph.constant dense<1.0> : " +
                     type + "\n";
  for (int level = 0; level < 64; ++level) {
    std::string from = "%c" + std::to_string(level);
    text += "  %c" + std::to_string(level + 1) + " = graph.mul " + from + ", " +
            from + " : " + types;
  }
  text += "  %y = graph.add %x, %c64 : " + types + "  return %y : " + type +
          "\n}\n";
  auto module = mlir::parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  ASSERT_TRUE(setBatch(*module, 7));
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
  EXPECT_EQ(print(*module).find("4x3"), std::string::npos);
}

} // namespace

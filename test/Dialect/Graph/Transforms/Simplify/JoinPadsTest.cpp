// Sums of random pads and other terms, in any order and nesting: mpc-join-pads
// leaves every element as it was, to the bit but for the sign of zeros, and
// never more ops that add. The gradient of random slices that do not overlap
// has no sum of pads left.
#include "Reference/Inputs.h"
#include "Reference/Interpreter.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>
#include <random>

using namespace mpc;
using namespace mpc::graph;

namespace {

std::string typeOf(ArrayRef<int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + "f32>";
}

std::string listOf(ArrayRef<int64_t> numbers) {
  return "[" +
         llvm::join(llvm::map_range(
                        numbers,
                        [](int64_t number) { return std::to_string(number); }),
                    ", ") +
         "]";
}

/// Writes functions that add up pads and whole tensors.
class RandomSums {
public:
  explicit RandomSums(unsigned seed) : generator(seed) {}

  std::string write() {
    shape.resize(draw(1, 3));
    for (int64_t &size : shape)
      size = draw(1, 6);
    std::vector<std::string> sums;
    for (int64_t count = draw(2, 9); count > 0; --count)
      sums.push_back(writeTerm());
    // Neighbours first mostly, as gradients add, but any two now and then.
    while (sums.size() > 1) {
      size_t at = draw(0, 3) ? 0 : draw(0, int64_t(sums.size()) - 2);
      std::string lhs = sums[at], rhs = sums[at + 1];
      if (draw(0, 1))
        std::swap(lhs, rhs);
      sums[at] = define(llvm::formatv("graph.add {0}, {1} : ({2}, {2}) -> {2}",
                                      lhs, rhs, typeOf(shape)));
      sums.erase(sums.begin() + at + 1);
    }
    return llvm::formatv(
        "func.func @f({0}) -> {1} {{\n{2}  return {3} : {1}\n}", arguments,
        typeOf(shape), body, sums.front());
  }

private:
  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(generator);
  }
  std::string define(const std::string &op) {
    std::string name = "%v" + std::to_string(next++);
    body += "  " + name + " = " + op + "\n";
    return name;
  }
  std::string addArgument(ArrayRef<int64_t> sizes) {
    std::string name = "%a" + std::to_string(next++);
    arguments += (arguments.empty() ? "" : ", ") + name + ": " + typeOf(sizes);
    return name;
  }
  std::string writeTerm() {
    if (draw(0, 4) == 0)
      return addArgument(shape);
    SmallVector<int64_t> low, sizes, high;
    for (int64_t size : shape) {
      // Often the whole dim, as slices of one dim have it.
      low.push_back(draw(0, 1) ? 0 : draw(0, size - 1));
      sizes.push_back(draw(0, 1) ? size - low.back()
                                 : draw(1, size - low.back()));
      high.push_back(size - low.back() - sizes.back());
    }
    return define(llvm::formatv(
        "graph.pad {0} low = {1} high = {2} : ({3}) -> {4}", addArgument(sizes),
        listOf(low), listOf(high), typeOf(sizes), typeOf(shape)));
  }

  std::mt19937 generator;
  SmallVector<int64_t> shape;
  std::string arguments, body;
  int next = 0;
};

class JoinPadsTest : public ::testing::Test {
protected:
  JoinPadsTest() {
    context.loadDialect<mlir::func::FuncDialect, GraphDialect>();
  }

  template <typename Op> static int count(ModuleOp module) {
    int number = 0;
    module->walk([&](Op) { ++number; });
    return number;
  }

  static reference::Tensor evaluate(ModuleOp module) {
    auto function = *module.getOps<mlir::func::FuncOp>().begin();
    auto results =
        reference::evaluate(function, reference::makeInputs(function, {}),
                            reference::Mode::Rounded);
    return succeeded(results) ? results->front() : reference::Tensor();
  }

  MLIRContext context;
};
} // namespace

TEST_F(JoinPadsTest, KeepsTheSumOfEachElement) {
  int before = 0, after = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::string text = RandomSums(seed).write();
    auto module = mlir::parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    reference::Tensor expected = evaluate(*module);
    int adds = count<AddOp>(*module);
    mlir::PassManager passes(&context);
    passes.addPass(createJoinPads());
    ASSERT_TRUE(succeeded(passes.run(*module))) << text;
    EXPECT_LE(count<AddOp>(*module), adds) << text;
    before += adds;
    after += count<AddOp>(*module);
    reference::Tensor actual = evaluate(*module);
    ASSERT_GT(expected.size(), 0u);
    EXPECT_EQ(actual.reals, expected.reals) << text;
  }
  EXPECT_LE(after + 100, before) << "hardly a sum was joined";
}

TEST_F(JoinPadsTest, SlicesThatShareNothingHaveNoSumOfPads) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 generator(seed);
    auto draw = [&](int64_t low, int64_t high) {
      return std::uniform_int_distribution<int64_t>(low, high)(generator);
    };
    SmallVector<int64_t> shape{draw(1, 4), draw(8, 24)};
    bool isFirst = draw(0, 1);
    if (isFirst)
      std::swap(shape[0], shape[1]);
    unsigned dim = isFirst ? 0 : 1;
    std::string body, sum;
    int number = 0;
    for (int64_t at = draw(0, 2); at < shape[dim]; at += draw(0, 2)) {
      SmallVector<int64_t> offsets{0, 0}, sizes(shape);
      offsets[dim] = at;
      sizes[dim] = draw(1, shape[dim] - at);
      at += sizes[dim];
      std::string n = std::to_string(number++);
      body += llvm::formatv(
          "  %s{0} = graph.slice %w offsets = {1} sizes = {2} : ({3}) -> {4}\n"
          "  %e{0} = graph.exp %s{0} : {4}\n"
          "  %t{0} = graph.sum %e{0} dims = [0, 1] : ({4}) -> tensor<f32>\n",
          n, listOf(offsets), listOf(sizes), typeOf(shape), typeOf(sizes));
      if (!sum.empty())
        body += llvm::formatv("  %l{0} = graph.add {1}, %t{0} : (tensor<f32>, "
                              "tensor<f32>) -> tensor<f32>\n",
                              n, sum);
      sum = (sum.empty() ? "%t" : "%l") + n;
    }
    std::string text = llvm::formatv(
        "func.func @m(%w: {0} {{graph.parameter = \"w\"}) -> (tensor<f32> "
        "{{graph.loss}) {{\n{1}  return {2} : tensor<f32>\n}",
        typeOf(shape), body, sum);
    auto module = mlir::parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    mlir::PassManager passes(&context);
    passes.addPass(createDifferentiate());
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(createJoinPads());
    ASSERT_TRUE(succeeded(passes.run(*module))) << text;
    EXPECT_LE(count<PadOp>(*module), 1) << text;
    EXPECT_LE(count<ConcatOp>(*module), 1) << text;
  }
}

// With rounding = strict an op gives the same bits whatever it is grouped with:
// in functions that return more, and hence fuse less, and in a step, which has
// the gradients beside the loss.
#include "Reference/Inputs.h"
#include "Reference/RandomGraph.h"
#include "TestedModules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include <bit>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using reference::Tensor;

namespace {
constexpr char kStrict[] =
    " attributes {graph.training = #graph.training<rounding = \"strict\">}";

void expectEqualBits(const Tensor &a, const Tensor &b,
                     const std::string &what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint64_t>(a.value(i)),
              std::bit_cast<uint64_t>(b.value(i)))
        << what << " element " << i << ": " << a.value(i) << " and "
        << b.value(i);
}

/// Sums that a longer body, a tensor that repeats along some of their dims, or
/// f64 beside them would lay out in other loops, alone and beside those.
std::string makeSums() {
  std::string alone = "  %s = graph.sum %x dims = [0, 1, 2] : "
                      "(tensor<9x7x40xf32>) -> tensor<f32>\n";
  std::string x = "tensor<9x7x40xf32>";
  std::string row = "tensor<7x1xf32>", wide = "tensor<9x7x40xf64>";
  auto makeFunction = [&](const std::string &name, const std::string &body,
                          const std::string &last) {
    return "func.func @" + name + "(%x: " + x + ", %r: " + row +
           ") -> (tensor<f32>, tensor<f32>)" + kStrict + " {\n" + alone + body +
           "  return %s, " + last + " : tensor<f32>, tensor<f32>\n}\n";
  };
  std::string text = makeFunction("alone", "", "%s");
  std::string body, last = "%x";
  for (int i = 0; i < 20; ++i) {
    std::string next = "%y" + std::to_string(i);
    body += "  " + next + " = graph.tanh " + last + " : " + x + "\n";
    last = next;
  }
  auto sum = [&](const std::string &value, const std::string &type) {
    return "  %t = graph.sum " + value + " dims = [0, 1, 2] dtype = f32 : (" +
           type + ") -> tensor<f32>\n";
  };
  text += makeFunction("long", body + sum(last, x), "%t");
  text += makeFunction("rows",
                       "  %y = graph.mul %x, %r : (" + x + ", " + row +
                           ") -> " + x + "\n" + sum("%y", x),
                       "%t");
  text += makeFunction("wide",
                       "  %y = graph.cast %x : (" + x + ") -> " + wide +
                           "\n  %z = graph.exp %y : " + wide + "\n" +
                           sum("%z", wide),
                       "%t");
  return text;
}

std::vector<Tensor> runChecked(GroupedModule &module, const std::string &name,
                               const std::vector<Tensor> &arguments) {
  auto results = module.run(name, arguments, {});
  EXPECT_EQ(module.getFailure(), "") << name;
  return results;
}

/// The functions of `text` as they are after autodiff: each with its step.
std::string differentiate(const std::string &text) {
  MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, graph::GraphDialect>();
  auto module = mlir::parseSourceString<ModuleOp>(text, &context);
  mlir::PassManager passes(&context);
  passes.addPass(graph::createDifferentiate());
  if (failed(passes.run(*module)))
    return "";
  std::string result;
  llvm::raw_string_ostream(result) << *module;
  return result;
}
} // namespace

/// The results of one random function, of whose values every so manieth is one.
static std::vector<Tensor> runRandom(uint64_t seed, int stride,
                                     const std::string &target) {
  reference::RandomGraphOptions options;
  options.ops = 30;
  options.resultStride = stride;
  options.attributes = kStrict;
  auto module =
      compileForTest(reference::makeRandomGraphs(seed, 1, options), target);
  EXPECT_TRUE(module->isValid());
  if (!module->isValid())
    return {};
  std::string name = module->getNames().front();
  auto arguments = reference::makeInputs(module->getOriginal(name), {});
  return runChecked(*module, name, arguments);
}

TEST(StrictBits, OfOtherGroups) {
  constexpr size_t kStride = 4;
  for (const std::string &target : getTestedTargets())
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      auto all = runRandom(seed, 1, target);
      auto some = runRandom(seed, kStride, target);
      ASSERT_FALSE(some.empty());
      for (size_t i = 0; i < some.size(); ++i)
        expectEqualBits(some[i], all[i * kStride],
                        target + " seed " + std::to_string(seed) + " result " +
                            std::to_string(i));
    }
}

TEST(StrictBits, OfASumBesideOthers) {
  for (const std::string &target : getTestedTargets()) {
    auto module = compileForTest(makeSums(), target);
    ASSERT_TRUE(module->isValid());
    auto arguments = reference::makeInputs(module->getOriginal("alone"), {});
    Tensor alone = runChecked(*module, "alone", arguments).front();
    for (const std::string &name : module->getNames())
      expectEqualBits(runChecked(*module, name, arguments).front(), alone,
                      target + " " + name);
  }
}

/// A model whose gradients share the kernel of its loss, and make it long.
static std::string makeModel() {
  std::string x = "tensor<4x7x30xf32>", last = "%y0";
  std::string text =
      "func.func @chain(%x: " + x + " {graph.input = \"x\"}, %p: " + x +
      " {graph.parameter = \"p\"}) -> (tensor<f32> {graph.loss})" + kStrict +
      " {\n  %y0 = graph.mul %x, %p : (" + x + ", " + x + ") -> " + x + "\n";
  for (int i = 1; i < 8; ++i) {
    std::string next = "%y" + std::to_string(i);
    text += "  " + next + " = graph.sigmoid " + last + " : " + x + "\n";
    last = next;
  }
  return text + "  %s = graph.sum " + last + " dims = [0, 1, 2] : (" + x +
         ") -> tensor<f32>\n  return %s : tensor<f32>\n}\n";
}

TEST(StrictBits, OfTheLossInForwardAndStep) {
  reference::RandomGraphOptions options;
  options.isModel = true;
  options.attributes = kStrict;
  std::string text = differentiate(
      makeModel() + reference::makeRandomGraphs(/*seed=*/1, 8, options));
  for (const std::string &target : getTestedTargets()) {
    auto module = compileForTest(text, target);
    ASSERT_TRUE(module->isValid()) << text;
    for (const std::string &name : module->getNames()) {
      if (!StringRef(name).ends_with("_step"))
        continue;
      std::string forward = StringRef(name).drop_back(5).str();
      auto arguments = reference::makeInputs(module->getOriginal(name), {});
      Tensor inStep = runChecked(*module, name, arguments).front();
      expectEqualBits(runChecked(*module, forward, arguments).front(), inStep,
                      target + " " + forward);
    }
  }
}

// Every gradient rule, and a whole model, against central differences in f64.
#include "Rows.h"
#include "StepFixture.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "gtest/gtest.h"
#include <cmath>
#include <set>

using namespace mpc;
using namespace mpc::gradients;
using namespace mpc::reference;

static bool isParameter(const std::string &type) {
  return type.find_first_of("if") == std::string::npos;
}

static std::string tensor(const std::string &type) {
  if (!isParameter(type))
    return "tensor<" + type + ">";
  return "tensor<" + type + (type.empty() ? "f64>" : "xf64>");
}

static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

static std::string allDims(const std::string &shape) {
  std::string dims;
  if (!shape.empty())
    for (long i = 0, n = std::count(shape.begin(), shape.end(), 'x'); i <= n;
         ++i)
      dims += (i ? ", " : "") + std::to_string(i);
  return dims;
}

/// A model whose loss is the sum of the op's result times random weights.
static std::string modelOf(const Row &row) {
  std::string arguments, types, text = row.text;
  std::string result = tensor(row.result);
  for (size_t i = 0; i < row.operands.size(); ++i) {
    std::string n = std::to_string(i), type = tensor(row.operands[i]);
    std::string kind = isParameter(row.operands[i]) ? "parameter" : "input";
    arguments +=
        "%a" + n + ": " + type + " {graph." + kind + " = \"" + n + "\"}, ";
    types += (i ? ", " : "") + type;
    text = replaced(text, "$" + n, "%a" + n);
  }
  text = replaced(text, "$F", "(" + types + ") -> " + result);
  text = replaced(text, "$R", result);
  return "func.func @f(" + arguments + "%weights: " + result +
         " {graph.input = \"weights\"}) -> (tensor<f64> {graph.loss}) {\n"
         "  " +
         row.before + "\n  %y:" + std::to_string(row.numResults) + " = " +
         text +
         "\n"
         "  %p = graph.mul %y, %weights : (" +
         result + ", " + result + ") -> " + result +
         "\n"
         "  %loss = graph.sum %p dims = [" +
         allDims(row.result) + "] : (" + result +
         ") -> tensor<f64>\n"
         "  return %loss : tensor<f64>\n}\n";
}

/// How googletest shows a row that fails.
void mpc::gradients::PrintTo(const Row &row, std::ostream *out) {
  *out << row.text;
}

namespace {
class GradientTest : public testing::TestWithParam<Row> {};
} // namespace

TEST_P(GradientTest, matchesCentralDifferences) {
  const Row &row = GetParam();
  std::string text = modelOf(row);
  SCOPED_TRACE(text);
  DifferentiatedModel model(text);
  ASSERT_TRUE(model);
  for (uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto arguments = makeInputs(model.forward(), {seed, row.low, row.high});
    for (Tensor &argument : arguments)
      for (double &x : argument.reals)
        if (std::abs(x) < row.margin)
          x = std::copysign(row.margin, x);
    expectGradientsMatch(model, arguments);
  }
}

static std::string testName(const testing::TestParamInfo<Row> &info) {
  return info.param.name + "_" + std::to_string(info.index);
}
INSTANTIATE_TEST_SUITE_P(Rows, GradientTest, testing::ValuesIn(allRows()),
                         testName);

TEST(Gradients, everyDifferentiableOpHasARow) {
  std::set<std::string> covered;
  for (const Row &row : allRows())
    covered.insert(row.text.substr(0, row.text.find(' ')));
  MLIRContext context;
  context.loadDialect<graph::GraphDialect>();
  int differentiable = 0;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations()) {
    if (op.getDialectNamespace() != "graph" ||
        !op.hasInterface<DifferentiableOpInterface>())
      continue;
    ++differentiable;
    EXPECT_TRUE(covered.count(op.getStringRef().str()))
        << op.getStringRef().str()
        << " has a gradient rule but no row in Rows.cpp";
  }
  EXPECT_GT(differentiable, 0);
}

// layer_norm, gelu, relu, biases, a value used twice, cross_entropy.
TEST(Gradients, wholeModel) {
  DifferentiatedModel model(R"(
func.func @f(%x: tensor<5x7xf64> {graph.input = "x"},
             %label: tensor<5xi32> {graph.input = "label"},
             %w1: tensor<7x6xf64> {graph.parameter = "w1"},
             %b1: tensor<6xf64> {graph.parameter = "b1"},
             %scale: tensor<6xf64> {graph.parameter = "scale"},
             %shift: tensor<6xf64> {graph.parameter = "shift"},
             %w2: tensor<6x6xf64> {graph.parameter = "w2"},
             %w3: tensor<3x6xf64> {graph.parameter = "w3"},
             %b3: tensor<3xf64> {graph.parameter = "b3"})
    -> (tensor<f64> {graph.loss}, tensor<5x3xf64> {graph.output = "logits"}) {
  %0 = graph.matmul %x, %w1 : (tensor<5x7xf64>, tensor<7x6xf64>) -> tensor<5x6xf64>
  %1 = graph.add %0, %b1 : (tensor<5x6xf64>, tensor<6xf64>) -> tensor<5x6xf64>
  %2 = graph.layer_norm %1 weight %scale bias %shift first_dim = 1 : (tensor<5x6xf64>, tensor<6xf64>, tensor<6xf64>) -> tensor<5x6xf64>
  %3 = graph.gelu %2 : tensor<5x6xf64>
  %4 = graph.matmul %3, %w2 : (tensor<5x6xf64>, tensor<6x6xf64>) -> tensor<5x6xf64>
  %5 = graph.relu %4 : tensor<5x6xf64>
  %6 = graph.add %5, %3 : (tensor<5x6xf64>, tensor<5x6xf64>) -> tensor<5x6xf64>
  %7 = graph.matmul %6, %w3 transpose_rhs : (tensor<5x6xf64>, tensor<3x6xf64>) -> tensor<5x3xf64>
  %8 = graph.add %7, %b3 : (tensor<5x3xf64>, tensor<3xf64>) -> tensor<5x3xf64>
  %loss = graph.cross_entropy %8, %label : (tensor<5x3xf64>, tensor<5xi32>) -> tensor<f64>
  return %loss, %8 : tensor<f64>, tensor<5x3xf64>
})");
  ASSERT_TRUE(model);
  for (uint64_t seed : {1, 2, 3})
    expectGradientsMatch(model, makeInputs(model.forward(), {seed, -1, 1}));
}

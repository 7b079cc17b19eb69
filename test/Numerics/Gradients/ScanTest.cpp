// Gradients of scans of which not every operand has one. Expected values are
// those of sums that a pencil writes; rows with a gradient in each operand are
// compared with differences (RecurrentRows.cpp).
#include "StepFixture.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "gtest/gtest.h"

using namespace mpc;
using namespace mpc::gradients;
using namespace mpc::reference;

namespace {

Tensor numbers(std::vector<double> values) {
  auto size = int64_t(values.size());
  return Tensor::real(DType::F64, {size}, std::move(values));
}

Tensor scalar(double value) { return Tensor::real(DType::F64, {}, {value}); }

Tensor steps(std::vector<double> values) {
  auto size = int64_t(values.size());
  return Tensor::real(DType::F64, {size, 1}, std::move(values));
}

using Gradients = std::map<std::string, std::vector<double>>;

/// The gradient of each parameter that is trained.
Gradients gradientsOf(DifferentiatedModel &model,
                      const std::vector<Tensor> &arguments) {
  Gradients found;
  std::vector<Tensor> results = model.runStep(arguments);
  for (auto [i, result] : llvm::enumerate(results))
    if (auto name = model.step().getResultAttrOfType<StringAttr>(
            unsigned(i), graph::kGradientAttr))
      found[name.str()] = result.reals;
  return found;
}

} // namespace

/// y(t) = x(t)^2 stop(k), of which the gradient of x is 2 x k: the constant
/// has none, and stands in front of the sequence among results of the backward.
TEST(ScanTest, StopsInConstantsAlone) {
  DifferentiatedModel model(R"(
func.func @f(%x: tensor<3x1xf64> {graph.parameter = "x"}, %k: tensor<1xf64> {graph.parameter = "k"}) -> (tensor<f64> {graph.loss}) {
  %all = graph.scan steps = 3 each %x with %k : (tensor<3x1xf64>, tensor<1xf64>) -> tensor<3x1xf64> {
  ^bb0(%e: tensor<1xf64>, %c: tensor<1xf64>):
    %s = graph.stop_gradient %c : tensor<1xf64>
    %0 = graph.mul %e, %e : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
    %1 = graph.mul %0, %s : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
    graph.yield %1 : tensor<1xf64>
  }
  %loss = graph.sum %all dims = [0, 1] : (tensor<3x1xf64>) -> tensor<f64>
  return %loss : tensor<f64>
})");
  ASSERT_TRUE(model);
  EXPECT_EQ(gradientsOf(model, {steps({1, -2, 3}), numbers({0.5})}),
            (Gradients{{"x", {1, -2, 3}}}));
}

/// The same with floor(k), whose gradient is a constant of zeros: it is
/// trained, and the sequence has its own.
TEST(ScanTest, HasZerosInConstantsAlone) {
  DifferentiatedModel model(R"(
func.func @f(%x: tensor<3xf64> {graph.parameter = "x"}, %k: tensor<f64> {graph.parameter = "k"}) -> (tensor<f64> {graph.loss}) {
  %all = graph.scan steps = 3 each %x with %k : (tensor<3xf64>, tensor<f64>) -> tensor<3xf64> {
  ^bb0(%e: tensor<f64>, %c: tensor<f64>):
    %s = graph.floor %c : tensor<f64>
    %0 = graph.mul %e, %e : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %1 = graph.mul %0, %s : (tensor<f64>, tensor<f64>) -> tensor<f64>
    graph.yield %1 : tensor<f64>
  }
  %loss = graph.sum %all dims = [0] : (tensor<3xf64>) -> tensor<f64>
  return %loss : tensor<f64>
})");
  ASSERT_TRUE(model);
  EXPECT_EQ(gradientsOf(model, {numbers({1, -2, 3}), scalar(4.5)}),
            (Gradients{{"k", {0}}, {"x", {8, -16, 24}}}));
}

/// h(t) = stop(h(t - 1)) k + stop(x(t)) v, and the loss is the last: of steps
/// before it nothing is seen. With h(0) = 2, k = 3, v = 1, x = 1, 2, 4, h is 7,
/// 23, 73, dk is 23 and dv is 4.
TEST(ScanTest, StopsInWhatIsCarriedAndSequences) {
  DifferentiatedModel model(R"(
func.func @f(%h0: tensor<1xf64> {graph.parameter = "h0"}, %x: tensor<3x1xf64> {graph.parameter = "x"},
             %k: tensor<1xf64> {graph.parameter = "k"}, %v: tensor<1xf64> {graph.parameter = "v"}) -> (tensor<f64> {graph.loss}) {
  %last = graph.scan steps = 3 carry %h0 each %x with %k, %v : (tensor<1xf64>, tensor<3x1xf64>, tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64> {
  ^bb0(%h: tensor<1xf64>, %e: tensor<1xf64>, %a: tensor<1xf64>, %b: tensor<1xf64>):
    %sh = graph.stop_gradient %h : tensor<1xf64>
    %se = graph.stop_gradient %e : tensor<1xf64>
    %0 = graph.mul %sh, %a : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
    %1 = graph.mul %se, %b : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
    %n = graph.add %0, %1 : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
    graph.yield %n : tensor<1xf64>
  }
  %loss = graph.sum %last dims = [0] : (tensor<1xf64>) -> tensor<f64>
  return %loss : tensor<f64>
})");
  ASSERT_TRUE(model);
  EXPECT_EQ(gradientsOf(model, {numbers({2}), steps({1, 2, 4}), numbers({3}),
                                numbers({1})}),
            (Gradients{{"k", {23}}, {"v", {4}}}));
}

/// An edge beside an input: y(0) = u^2, and what follows are squares of x.
TEST(ScanTest, HasTheEdgeOfAnInput) {
  DifferentiatedModel model(R"(
func.func @f(%x: tensor<3x1xf64> {graph.input = "x"}, %u: tensor<1xf64> {graph.parameter = "u"}) -> (tensor<f64> {graph.loss}) {
  %all = graph.scan steps = 3 each %x shifts = [-1] edges %u : (tensor<3x1xf64>, tensor<1xf64>) -> tensor<3x1xf64> {
  ^bb0(%e: tensor<1xf64>):
    %0 = graph.mul %e, %e : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xf64>
    graph.yield %0 : tensor<1xf64>
  }
  %loss = graph.sum %all dims = [0, 1] : (tensor<3x1xf64>) -> tensor<f64>
  return %loss : tensor<f64>
})");
  ASSERT_TRUE(model);
  EXPECT_EQ(gradientsOf(model, {steps({1, 2, 4}), numbers({5})}),
            (Gradients{{"u", {10}}}));
}

/// A scan of one step with two results, whose sum is the loss: what is carried
/// is e m, and what is an element of a sequence is e p. `ofLast` and `ofAll`
/// stand between them and the sum; e q goes into a result that is not read.
static std::string makeTwoResults(const std::string &ofLast,
                                  const std::string &ofAll) {
  return R"(
func.func @f(%x: tensor<1xf64> {graph.input = "x"}, %w: tensor<f64> {graph.parameter = "w"}, %m: tensor<f64> {graph.parameter = "m"},
             %p: tensor<f64> {graph.parameter = "p"}, %q: tensor<f64> {graph.parameter = "q"}) -> (tensor<f64> {graph.loss}) {
  %h = graph.constant dense<1.0> : tensor<f64>
  %last, %all, %unread = graph.scan steps = 1 carry %h each %x with %m, %p, %q
      : (tensor<f64>, tensor<1xf64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<1xf64>, tensor<1xf64>) {
  ^bb0(%h0: tensor<f64>, %e: tensor<f64>, %a: tensor<f64>, %b: tensor<f64>, %c: tensor<f64>):
    %0 = graph.mul %e, %a : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %1 = graph.mul %e, %b : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %2 = graph.mul %e, %c : (tensor<f64>, tensor<f64>) -> tensor<f64>
    graph.yield %0, %1, %2 : tensor<f64>, tensor<f64>, tensor<f64>
  }
  %one = graph.reshape %all : (tensor<1xf64>) -> tensor<f64>
  %3 = )" +
         ofLast + R"( %last : tensor<f64>
  %4 = )" +
         ofAll + R"( %one : tensor<f64>
  %5 = graph.add %3, %4 : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %loss = graph.add %5, %w : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %loss : tensor<f64>
})";
}

/// Who reaches the loss by floor alone, whose gradient is 0 whatever the loss
/// is, is trained with 0, as outside of scans; behind a stop nobody is, nor who
/// goes into a result that is not read.
TEST(ScanTest, AsksEachResult) {
  auto gradients = [](const std::string &ofLast, const std::string &ofAll) {
    DifferentiatedModel model(makeTwoResults(ofLast, ofAll));
    EXPECT_TRUE(model);
    return model ? gradientsOf(model, {numbers({3}), scalar(1), scalar(1.5),
                                       scalar(2.5), scalar(2)})
                 : Gradients();
  };
  EXPECT_EQ(gradients("graph.neg", "graph.neg"),
            (Gradients{{"w", {1}}, {"m", {-3}}, {"p", {-3}}}));
  EXPECT_EQ(gradients("graph.neg", "graph.floor"),
            (Gradients{{"w", {1}}, {"m", {-3}}, {"p", {0}}}));
  EXPECT_EQ(gradients("graph.floor", "graph.neg"),
            (Gradients{{"w", {1}}, {"m", {0}}, {"p", {-3}}}));
  EXPECT_EQ(gradients("graph.floor", "graph.floor"),
            (Gradients{{"w", {1}}, {"m", {0}}, {"p", {0}}}));
  EXPECT_EQ(gradients("graph.stop_gradient", "graph.floor"),
            (Gradients{{"w", {1}}, {"p", {0}}}));
  EXPECT_EQ(gradients("graph.neg", "graph.stop_gradient"),
            (Gradients{{"w", {1}}, {"m", {-3}}}));
}

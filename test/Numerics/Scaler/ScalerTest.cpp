// graph.scaler_update and graph.unscale in the reference interpreter.
#include "Reference/Interpreter.h"
#include "Trajectories.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "llvm/Support/Format.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::reference;
using namespace mpc::scaler;

namespace {
/// The only function of a module given as text.
class Program {
public:
  explicit Program(const std::string &text) {
    context.loadDialect<mlir::func::FuncDialect, graph::GraphDialect>();
    module = mlir::parseSourceString<ModuleOp>(text, &context);
  }
  std::vector<Tensor> run(std::vector<Tensor> arguments, Mode mode) {
    auto results = evaluate(*module->getOps<mlir::func::FuncOp>().begin(),
                            std::move(arguments), mode);
    return succeeded(results) ? *results : std::vector<Tensor>();
  }

private:
  MLIRContext context;
  mlir::OwningOpRef<ModuleOp> module;
};

class ScalerTest : public testing::TestWithParam<Mode> {};
} // namespace

static Tensor scalar(DType type, double value) {
  return Tensor::real(type, {}, {value});
}

static std::string updateText(const Trajectory &trajectory) {
  std::string text;
  llvm::raw_string_ostream(text)
      << "func.func @f(%s: tensor<f32>, %t: tensor<i32>, %i: tensor<i1>) -> "
         "(tensor<f32>, tensor<i32>, tensor<i1>) {\n"
         "  %a, %b, %c = graph.scaler_update %s, %t, %i growth = "
      << llvm::format("%.17e", trajectory.growth)
      << " backoff = " << llvm::format("%.17e", trajectory.backoff)
      << " interval = " << trajectory.interval
      << " : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, "
         "tensor<i32>, tensor<i1>)\n"
         "  return %a, %b, %c : tensor<f32>, tensor<i32>, tensor<i1>\n}";
  return text;
}

TEST_P(ScalerTest, followsTheTrajectories) {
  for (const Trajectory &trajectory : trajectories()) {
    SCOPED_TRACE(trajectory.name);
    Program update(updateText(trajectory));
    Tensor scale = scalar(DType::F32, trajectory.initialScale);
    Tensor tracker =
        Tensor::integer(DType::I32, {}, {trajectory.initialTracker});
    for (size_t step = 0; step < trajectory.updates.size(); ++step) {
      const Update &expected = trajectory.updates[step];
      Tensor foundInf = Tensor::integer(DType::I1, {}, {expected.foundInf});
      auto next = update.run({scale, tracker, foundInf}, GetParam());
      ASSERT_EQ(next.size(), 3u);
      scale = next[0];
      tracker = next[1];
      ASSERT_EQ(scale.reals[0], expected.scale) << "step " << step + 1;
      ASSERT_EQ(tracker.ints[0], expected.tracker) << "step " << step + 1;
    }
  }
}

/// Unscaled gradients of two tensors, and found_inf.
static std::vector<Tensor> unscale(double scale, std::vector<double> first,
                                   std::vector<double> second, Mode mode) {
  Program program(R"(
func.func @f(%s: tensor<f32>, %a: tensor<2xf32>, %b: tensor<1xf32>)
    -> (tensor<2xf32>, tensor<1xf32>, tensor<i1>) {
  %0, %1, %2 = graph.unscale %s, %a, %b : (tensor<f32>, tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<i1>)
  return %0, %1, %2 : tensor<2xf32>, tensor<1xf32>, tensor<i1>
})");
  return program.run({scalar(DType::F32, scale),
                      Tensor::real(DType::F32, {2}, std::move(first)),
                      Tensor::real(DType::F32, {1}, std::move(second))},
                     mode);
}

TEST_P(ScalerTest, unscalesAndFindsWhatIsNotFinite) {
  double inf = std::numeric_limits<double>::infinity();
  auto finite = unscale(4, {8, -2}, {0}, GetParam());
  EXPECT_EQ(finite[0].reals, (std::vector<double>{2, -0.5}));
  EXPECT_EQ(finite[2].ints[0], 0);
  auto infinite = unscale(4, {8, -2}, {-inf}, GetParam());
  EXPECT_EQ(infinite[0].reals, (std::vector<double>{2, -0.5}));
  EXPECT_EQ(infinite[1].reals[0], -inf);
  EXPECT_EQ(infinite[2].ints[0], 1);
  EXPECT_EQ(unscale(4, {std::nan(""), 0}, {0}, GetParam())[2].ints[0], 1);
  // 1 / 2^-128 overflows f32: zeros become NaN, but found_inf looks at what
  // comes in.
  auto spiral = unscale(0x1p-128, {0, 1}, {0}, GetParam());
  EXPECT_TRUE(std::isnan(spiral[0].reals[0]));
  EXPECT_EQ(spiral[0].reals[1], inf);
  EXPECT_EQ(spiral[2].ints[0], 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, ScalerTest,
                         testing::Values(Mode::Exact, Mode::Rounded));

// The compiled scaler follows the trajectories worked out by hand from
// PyTorch's rules, step by step.
#include "../Scaler/Trajectories.h"
#include "TestedModules.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using reference::Tensor;

/// One function per trajectory: f0, f1, ...
static std::string updateText(const std::vector<scaler::Trajectory> &all) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (size_t i = 0; i < all.size(); ++i)
    out << "func.func @f" << i
        << "(%s: tensor<f32>, %t: tensor<i32>, %i: tensor<i1>) -> "
           "(tensor<f32>, tensor<i32>, tensor<i1>) {\n"
           "  %r:3 = graph.scaler_update %s, %t, %i growth = "
        << llvm::format("%.17e", all[i].growth)
        << " backoff = " << llvm::format("%.17e", all[i].backoff)
        << " interval = " << all[i].interval
        << " : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, "
           "tensor<i32>, tensor<i1>)\n"
           "  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<i32>, "
           "tensor<i1>\n}\n";
  return text;
}

TEST(CompiledScaler, followsTheTrajectories) {
  auto all = scaler::trajectories();
  for (const std::string &target : getTestedTargets()) {
    auto module = compileForTest(updateText(all), target);
    ASSERT_TRUE(module->isValid());
    for (size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(all[i].name + " on " + target);
      Tensor scale = Tensor::real(DType::F32, {}, {all[i].initialScale});
      Tensor tracker = Tensor::integer(DType::I32, {}, {all[i].initialTracker});
      for (size_t step = 0; step < all[i].updates.size(); ++step) {
        const scaler::Update &expected = all[i].updates[step];
        Tensor foundInf = Tensor::integer(DType::I1, {}, {expected.foundInf});
        auto next = module->run("f" + std::to_string(i),
                                {scale, tracker, foundInf}, {});
        ASSERT_EQ(next.size(), 3u);
        scale = next[0];
        tracker = next[1];
        ASSERT_EQ(scale.value(0), expected.scale) << "step " << step + 1;
        ASSERT_EQ(tracker.value(0), expected.tracker) << "step " << step + 1;
      }
    }
  }
}

// The test that tests the tests: a kernel that lacks one of its barriers does
// not pass.
#include "GpuKernelModule.h"
#include "mlir/IR/BuiltinOps.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using reference::Tensor;

namespace {
/// A block per row, whose warps meet in shared memory.
const char *const kSoftmax = R"(
func.func @f(%x: tensor<3x5000xf32>) -> tensor<3x5000xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<3x5000xf32>) -> tensor<3x5000xf32>
  return %0 : tensor<3x5000xf32>
})";

/// Runs `text` without barrier `without`; says what was found, and adds the
/// number of barriers to `count`.
std::string runWithout(const std::string &text, const Tensor &input,
                       int without, int &count) {
  count = 0;
  GpuKernelModule module(text, "sm_90", [&](mlir::gpu::GPUModuleOp kernels) {
    kernels.walk([&](mlir::gpu::BarrierOp barrier) {
      if (count++ == without)
        barrier.erase();
    });
  });
  if (!module.isValid())
    return "not compiled";
  module.run("f", {input}, {});
  return module.getFailure();
}

void expectEachBarrierIsNeeded(const std::string &text, const Tensor &input) {
  int barriers = 0;
  EXPECT_EQ(runWithout(text, input, -1, barriers), "");
  EXPECT_GT(barriers, 0);
  for (int without = 0, ignored; without < barriers; ++without)
    EXPECT_NE(runWithout(text, input, without, ignored), "")
        << "barrier " << without << " is not needed";
}

/// Two reductions over `rows` rows.
std::string sumOfColumns(int64_t rows) {
  std::string size = std::to_string(rows);
  return "func.func @f(%x: tensor<" + size +
         "x10xf32>) -> (tensor<10xf32>, tensor<10xf32>) {\n"
         "  %0 = graph.sum %x dims = [0] : (tensor<" +
         size +
         "x10xf32>) -> tensor<10xf32>\n"
         "  %1 = graph.max %x dims = [0] : (tensor<" +
         size +
         "x10xf32>) -> tensor<10xf32>\n"
         "  return %0, %1 : tensor<10xf32>, tensor<10xf32>\n}\n";
}
} // namespace

TEST(MissingBarrier, showsInColumns) {
  for (int64_t rows : {40, 300, 6000})
    expectEachBarrierIsNeeded(sumOfColumns(rows),
                              Tensor::real(DType::F32, {rows, 10},
                                           std::vector<double>(rows * 10, 1)));
}

TEST(MissingBarrier, showsInRows) {
  expectEachBarrierIsNeeded(
      kSoftmax,
      Tensor::real(DType::F32, {3, 5000}, std::vector<double>(15000, 1)));
}

// Rows in turn, one at a time with one barrier or two, or several of a warp,
// whose columns meet at the end.
TEST(MissingBarrier, showsInRowsWithColumns) {
  for (auto [row, op] : {std::pair{"1600", "softmax %x dim = 1"},
                         {"1600", "mul %x, %s"},
                         {"24", "mul %x, %s"}}) {
    std::string r = row, x = "tensor<40x" + r + "xf32>";
    std::string one = "tensor<40x1xf32>", parts = "tensor<5x" + r + "xf32>";
    bool isSoftmax = std::string(op).starts_with("softmax");
    expectEachBarrierIsNeeded(
        "func.func @f(%x: " + x + ") -> (" + x + ", " + parts + ", " + parts +
            ") {\n"
            "  %s = graph.sum %x dims = [1] keep : (" +
            x + ") -> " + one + "\n  %y = graph." + op + " : (" + x +
            (isSoftmax ? "" : ", " + one) + ") -> " + x +
            "\n  %a = graph.partial_sum %x dims = [0] rows = 8 : (" + x +
            ") -> " + parts +
            "\n  %b = graph.partial_sum %y dims = [0] rows = 8 : (" + x +
            ") -> " + parts + "\n  return %y, %a, %b : " + x + ", " + parts +
            ", " + parts + "\n}\n",
        Tensor::real(DType::F32, {40, std::stoll(r)},
                     std::vector<double>(40 * std::stoll(r), 1)));
  }
}

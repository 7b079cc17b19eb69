// The test that tests the tests: a kernel that lacks one of its barriers, or
// does not wait for what it copies, does not pass.
#include "GpuKernelModule.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
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

/// Runs `text` without barrier or wait `without`; says what was found, and sets
/// `count` to how many there are.
std::string runWithout(const std::string &text, const Tensor &input,
                       int without, int &count) {
  count = 0;
  GpuKernelModule module(text, "sm_90", [&](mlir::gpu::GPUModuleOp kernels) {
    kernels.walk([&](Operation *op) {
      if (isa<mlir::gpu::BarrierOp, mlir::nvgpu::DeviceAsyncWaitOp>(op) &&
          count++ == without)
        op->erase();
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

// Rows of a tile, folded by two warps each or by one, and several rows of a
// warp, whose columns meet at the end.
TEST(MissingBarrier, showsInRowsWithColumns) {
  struct Case {
    int64_t rows, columns;
    std::string element;
    int64_t perPart;
    std::string op;
  };
  // Three tiles or more: the third lies where the first one did.
  for (auto [rows, columns, element, perPart, op] :
       {Case{32, 3000, "f32", 16, "softmax %x dim = 1"},
        Case{32, 3000, "f32", 16, "mul %x, %s"},
        Case{48, 1600, "f16", 24, "mul %x, %s"},
        Case{40, 24, "f32", 8, "mul %x, %s"}}) {
    auto tensor = [&](int64_t first, int64_t second, const std::string &type) {
      return "tensor<" + std::to_string(first) + "x" + std::to_string(second) +
             "x" + type + ">";
    };
    std::string x = tensor(rows, columns, element);
    std::string one = tensor(rows, 1, element);
    std::string parts = tensor(rows / perPart, columns, "f32");
    std::string fold =
        " dims = [0] rows = " + std::to_string(perPart) + " : (" + x + ") -> ";
    bool isSoftmax = op.starts_with("softmax");
    expectEachBarrierIsNeeded(
        "func.func @f(%x: " + x + ") -> (" + x + ", " + parts + ", " + parts +
            ") {\n  %s = graph.sum %x dims = [1] keep : (" + x + ") -> " + one +
            "\n  %y = graph." + op + " : (" + x +
            (isSoftmax ? "" : ", " + one) + ") -> " + x +
            "\n  %a = graph.partial_sum %x" + fold + parts +
            "\n  %b = graph.partial_sum %y" + fold + parts +
            "\n  return %y, %a, %b : " + x + ", " + parts + ", " + parts +
            "\n}\n",
        Tensor::real(element == "f16" ? DType::F16 : DType::F32,
                     {rows, columns}, std::vector<double>(rows * columns, 1)));
  }
}

// Kernels that differ by sizes alone have one code, and each its own numbers.
#include "KernelFixture.h"

using namespace mpc;
using namespace mpc::target;

namespace {

/// A kernel that adds up rows of `row` elements, four at a time, of memory of
/// `size`, and to each sum the number of the row / `divisor`.
std::string sumOfRows(const std::string &name, int row, int size, int divisor) {
  auto text = [](int number) { return std::to_string(number); };
  std::string x = "memref<" + text(size / row) + "x" + text(row) + "xf32>",
              flat = "memref<" + text(size) + "xf32>";
  return "func.func @" + name + "(%x: " + x +
         ", %y: memref<64xf32>, %lo: index, %hi: index) {\n"
         "  %from = memref.reinterpret_cast %x to offset: [0], sizes: [" +
         text(size) + "], strides: [1] : " + x + " to " + flat +
         "\n  %c0 = arith.constant 0 : index\n"
         "  %c1 = arith.constant 1 : index\n"
         "  %c4 = arith.constant 4 : index\n"
         "  %zero = arith.constant dense<0.0> : vector<4xf32>\n"
         "  %divisor = arith.constant " +
         text(divisor) + " : index\n  %row = arith.constant " + text(row) +
         " : index\n  %end = arith.constant " + text(row) + R"( : index
  scf.for %i = %lo to %hi step %c1 {
    %base = arith.muli %i, %row : index
    %sum = scf.for %j = %c0 to %end step %c4 iter_args(%s = %zero) -> (vector<4xf32>) {
      %at = arith.addi %base, %j : index
      %v = vector.load %from[%at] : )" +
         flat + R"(, vector<4xf32>
      %next = arith.addf %s, %v : vector<4xf32>
      scf.yield %next : vector<4xf32>
    }
    %all = vector.reduction <add>, %sum : vector<4xf32> into f32
    %q = arith.divui %i, %divisor : index
    %n = arith.index_cast %q : index to i64
    %f = arith.sitofp %n : i64 to f32
    %r = arith.addf %all, %f : f32
    memref.store %r, %y[%i] : memref<64xf32>
  }
  return
}
)";
}

class KernelSetsTest : public KernelFixture {
protected:
  /// How many objects for x86-64-v3 there are of kernels of `text`.
  unsigned countObjects(const std::string &text) {
    CpuOptions options;
    options.targets = {"x86-64-v3"};
    CpuStatistics statistics;
    auto code = compileCpuKernels(*parse(text.c_str()), options, &statistics);
    EXPECT_TRUE(succeeded(code));
    return statistics.objectsCompiled;
  }
};

TEST_F(KernelSetsTest, SizesShareTheirCode) {
  EXPECT_EQ(countObjects(sumOfRows("a", 16, 64, 3) + sumOfRows("b", 32, 64, 3) +
                         sumOfRows("c", 16, 128, 3)),
            1u);
}

TEST_F(KernelSetsTest, DivisorsAndShortLoopsDoNot) {
  EXPECT_EQ(countObjects(sumOfRows("a", 16, 64, 3) + sumOfRows("b", 16, 64, 5)),
            2u);
  EXPECT_EQ(countObjects(sumOfRows("a", 16, 64, 3) + sumOfRows("b", 12, 48, 3)),
            2u);
}

TEST_F(KernelSetsTest, EachKernelHasItsOwnNumbers) {
  auto code = compileCpuKernels(
      *parse((sumOfRows("a", 16, 64, 3) + sumOfRows("b", 32, 64, 3) +
              sumOfRows("c", 16, 128, 3))
                 .c_str()),
      {});
  ASSERT_TRUE(succeeded(code));
  float x[128], y[64];
  for (int i = 0; i < 128; ++i)
    x[i] = float(i);
  for (auto [name, row, rows] :
       {std::tuple("a", 16, 4), {"b", 32, 2}, {"c", 16, 8}}) {
    KernelFunction kernel = load((*code)[0].data, name);
    ASSERT_NE(kernel, nullptr);
    void *args[] = {x, y};
    kernel(args, 1, rows);
    for (int i = 1; i < rows; ++i) // 0 + ... + (n - 1) from i * row on
      EXPECT_EQ(y[i], float(row * (row - 1) / 2 + row * row * i + i / 3))
          << name << " " << i;
  }
}

} // namespace

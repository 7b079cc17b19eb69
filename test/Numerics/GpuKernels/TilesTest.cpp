// Rows and their columns in tiles: every number is exact, so each row that is
// left out, taken twice or mixed with another one shows.
#include "GpuKernelModule.h"
#include <gtest/gtest.h>
#include <random>

using namespace mpc;
using namespace mpc::test;
using reference::Tensor;

namespace {
struct Case {
  int64_t rows, columns;
  std::string element;
  int64_t perPart;
};

DType getType(const std::string &element) {
  return element == "f16" ? DType::F16
                          : (element == "f64" ? DType::F64 : DType::F32);
}

/// y = x * sum(x) per row, and the sums of x and y down the rows of a part.
std::string getText(const Case &c) {
  auto tensor = [&](int64_t rows, int64_t columns, const std::string &element) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "x" + element + ">";
  };
  std::string x = tensor(c.rows, c.columns, c.element);
  std::string one = tensor(c.rows, 1, c.element);
  std::string parts = tensor((c.rows + c.perPart - 1) / c.perPart, c.columns,
                             c.element == "f64" ? "f64" : "f32");
  std::string fold = " dims = [0] rows = " + std::to_string(c.perPart) +
                     " : (" + x + ") -> " + parts + "\n";
  return "func.func @f(%x: " + x + ") -> (" + x + ", " + parts + ", " + parts +
         ", " + one + ") {\n  %s = graph.sum %x dims = [1] keep : (" + x +
         ") -> " + one + "\n  %y = graph.mul %x, %s : (" + x + ", " + one +
         ") -> " + x + "\n  %a = graph.partial_sum %x" + fold +
         "  %b = graph.partial_sum %y" + fold +
         "  return %y, %a, %b, %s : " + x + ", " + parts + ", " + parts + ", " +
         one + "\n}\n";
}

void expectExact(const Case &c, const RunOptions &options) {
  std::mt19937_64 random(c.columns);
  std::vector<double> x(c.rows * c.columns), y(x.size()), sums(c.rows);
  for (double &number : x)
    number = int(random() % 3) - 1;
  int64_t numParts = (c.rows + c.perPart - 1) / c.perPart;
  std::vector<double> a(numParts * c.columns), b(a.size());
  for (int64_t row = 0; row < c.rows; ++row) {
    for (int64_t column = 0; column < c.columns; ++column)
      sums[row] += x[row * c.columns + column];
    for (int64_t column = 0; column < c.columns; ++column) {
      int64_t at = row * c.columns + column;
      int64_t part = row / c.perPart * c.columns + column;
      y[at] = x[at] * sums[row];
      a[part] += x[at];
      b[part] += y[at];
    }
  }
  GpuKernelModule module(getText(c), "sm_90");
  ASSERT_TRUE(module.isValid());
  auto results = module.run(
      "f", {Tensor::real(getType(c.element), {c.rows, c.columns}, x)}, options);
  ASSERT_EQ(module.getFailure(), "");
  for (auto [result, expected] :
       llvm::zip_equal(results, std::vector{y, a, b, sums})) {
    int64_t wrong = 0;
    for (size_t i = 0; i < result.size(); ++i)
      wrong += result.value(i) != expected[i];
    EXPECT_EQ(wrong, 0) << c.rows << " x " << c.columns << " " << c.element;
  }
}
} // namespace

// One warp per row, and several; tiles that divide a part and that do not;
// copies of 16 bytes, 8 and 4; parts of one row.
TEST(Tiles, areExact) {
  for (const Case &c : {Case{50, 1600, "f32", 24}, Case{49, 1600, "f16", 24},
                        Case{40, 1602, "f16", 16}, Case{40, 1604, "f16", 20},
                        Case{17, 3000, "f32", 16}, Case{33, 2048, "f64", 16}})
    for (const RunOptions &options :
         {RunOptions{}, RunOptions{.inPlace = true, .seed = 7}})
      expectExact(c, options);
}

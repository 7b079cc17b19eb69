// Exponentials and error functions whose results stay f32, beside tensors of 16
// bits that are larger: all of their digits are asked for.
#include "CaseText.h"
#include "Cases.h"

using namespace mpc::test;

/// Of the mean of each row, which is stored as it is.
static void addOfMeans(Cases &cases, const std::string &op,
                       const std::string &element) {
  std::string x = type({64, 256}, element), row = type({64, 1}, "f32");
  cases.addFunction("(%x: " + x + ") -> " + row,
                    "  %0 = graph.mean %x dims = [1] keep dtype = f32 : (" + x +
                        ") -> " + row + "\n  %1 = graph." + op +
                        " %0 : " + row + "\n  return %1 : " + row + "\n");
}

/// Of a part of the rows, stored, summed, and rounded beside that.
static void addOfPart(Cases &cases, const std::string &element) {
  std::string x = type({64, 256}, element), part = type({64, 128}, element),
              wide = type({64, 128}, "f32"), row = type({64}, "f32");
  std::string begin = "  %0 = graph.slice %x offsets = [0, 64] sizes = [64, "
                      "128] : (" +
                      x + ") -> " + part + "\n  %1 = graph.cast %0 : (" + part +
                      ") -> " + wide + "\n  %2 = graph.exp %1 : " + wide + "\n";
  std::string sum =
      "  %3 = graph.sum %2 dims = [1] : (" + wide + ") -> " + row + "\n";
  cases.addFunction("(%x: " + x + ") -> " + wide,
                    begin + "  return %2 : " + wide + "\n");
  cases.addFunction("(%x: " + x + ") -> " + row,
                    begin + sum + "  return %3 : " + row + "\n");
  cases.addFunction("(%x: " + x + ") -> (" + row + ", " + part + ")",
                    begin + sum + "  %4 = graph.cast %2 : (" + wide + ") -> " +
                        part + "\n  return %3, %4 : " + row + ", " + part +
                        "\n");
}

/// Rows that a GPU reads once for the maximum and the sum.
static void addLogSumExp(Cases &cases, const Shape &shape,
                         const std::string &element) {
  std::string x = type(shape, element), wide = type(shape, "f32"),
              row = type({shape[0]}, "f32");
  cases.addFunction("(%x: " + x + ") -> " + row,
                    "  %0 = graph.cast %x : (" + x + ") -> " + wide +
                        "\n  %1 = graph.logsumexp %0 dims = [1] : (" + wide +
                        ") -> " + row + "\n  return %1 : " + row + "\n");
}

std::string mpc::test::makeApproximationCases() {
  Cases cases;
  for (const char *element : {"f16", "bf16"}) {
    for (const char *op : {"exp", "sigmoid", "gelu"})
      addOfMeans(cases, op, element);
    addOfPart(cases, element);
    addLogSumExp(cases, {64, 256}, element);
    addLogSumExp(cases, {2, 40000}, element);
  }
  return cases.str();
}

// Rows and columns of the same tensors in one kernel: folds in parts beside
// reductions. Rows that make no whole number of parts, rows of one thread, a
// warp and a block, rows of several dims.
#include "CaseText.h"
#include "Cases.h"

using namespace mpc::test;

namespace {
/// What is folded, and how many dims of it are rows.
struct Matrix {
  Shape shape;
  size_t numRowDims;
  std::string element;

  Shape columns() const {
    return Shape(shape.begin() + int(numRowDims), shape.end());
  }
  /// The shape of what there is one of per row.
  Shape ones() const {
    Shape kept = shape;
    for (size_t dim = numRowDims; dim < kept.size(); ++dim)
      kept[dim] = 1;
    return kept;
  }
  Shape dims(bool ofRows) const {
    Shape dims;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if ((dim < numRowDims) == ofRows)
        dims.push_back(int64_t(dim));
    return dims;
  }
  std::string wide() const { return element == "f64" ? "f64" : "f32"; }
};

std::string op(const std::string &result, const std::string &text,
               const std::vector<std::string> &operands,
               const std::string &type) {
  return "  %" + result + " = graph." + text + " : " +
         functional(operands, type) + "\n";
}

/// The gradients of a norm: x / |x| * g in the forward.
void addNorm(Cases &cases, const Matrix &m) {
  std::string x = type(m.shape, m.element), wide = type(m.shape, m.wide());
  std::string g = type(m.columns(), m.element);
  std::string columns = type(m.columns(), m.wide());
  std::string row = type(m.ones(), m.wide());
  std::string alongRow = " dims = " + list(m.dims(false)) + " keep";
  std::string alongColumn = " dims = " + list(m.dims(true));
  std::string body;
  body += op("x", "cast %a0", {x}, wide) + op("dy", "cast %a1", {x}, wide) +
          op("g", "cast %a2", {g}, columns);
  body += op("xx", "mul %x, %x", {wide, wide}, wide) +
          op("s", "sum %xx" + alongRow, {wide}, row) +
          "  %r = graph.rsqrt %s : " + row + "\n" +
          op("n", "mul %x, %r", {wide, row}, wide);
  body += op("p", "mul %dy, %n", {wide, wide}, wide) +
          op("dg", "sum %p" + alongColumn, {wide}, columns) +
          op("db", "sum %dy" + alongColumn, {wide}, columns);
  body += op("dn", "mul %dy, %g", {wide, columns}, wide) +
          op("q", "mul %dn, %n", {wide, wide}, wide) +
          op("t", "sum %q" + alongRow, {wide}, row) +
          op("u", "mul %n, %t", {wide, row}, wide) +
          op("v", "sub %dn, %u", {wide, wide}, wide) +
          op("w", "mul %v, %r", {wide, row}, wide) +
          op("dx", "cast %w", {wide}, x);
  // The gradient of a bias in front of the norm: of what the rows' kernel
  // rounds.
  std::string narrow = type(m.columns(), m.element);
  body += op("dc", "sum %dx" + alongColumn, {x}, narrow);
  body += "  return %dx, %dg, %db, %dc, %t : " + x + ", " + columns + ", " +
          columns + ", " + narrow + ", " + row + "\n";
  cases.addFunction("(%a0: " + x + ", %a1: " + x + ", %a2: " + g + ") -> (" +
                        x + ", " + columns + ", " + columns + ", " + narrow +
                        ", " + row + ")",
                    body);
}

/// The gradients of softmax(x + bias); the sum keeps its dims.
void addSoftmax(Cases &cases, const Matrix &m) {
  std::string x = type(m.shape, m.element);
  std::string row = type(m.ones(), m.element);
  Shape kept(m.numRowDims, 1);
  for (int64_t size : m.columns())
    kept.push_back(size);
  std::string bias = type(kept, m.element);
  std::string body =
      op("y", "softmax %a0 dim = " + std::to_string(m.shape.size() - 1), {x},
         x) +
      op("p", "mul %y, %a1", {x, x}, x) +
      op("s", "sum %p dims = " + list(m.dims(false)) + " keep", {x}, row) +
      op("d", "sub %a1, %s", {x, row}, x) + op("dx", "mul %y, %d", {x, x}, x) +
      op("db", "sum %dx dims = " + list(m.dims(true)) + " keep", {x}, bias) +
      "  return %dx, %db : " + x + ", " + bias + "\n";
  cases.addFunction(
      "(%a0: " + x + ", %a1: " + x + ") -> (" + x + ", " + bias + ")", body);
}
/// Factors that repeat along some of the rows' dims and of the columns'.
void addFactors(Cases &cases, const std::string &element) {
  std::string x = type({6, 7, 5, 24}, element),
              row = type({6, 7, 1, 1}, element);
  std::string t = type({7, 1, 1}, element), w = type({24}, element);
  std::string columns = type({5, 24}, element);
  std::string body = op("t", "mul %a0, %a1", {x, t}, x) +
                     op("y", "mul %t, %a2", {x, w}, x) +
                     op("s", "sum %y dims = [2, 3] keep", {x}, row) +
                     op("z", "mul %y, %s", {x, row}, x) +
                     op("p", "sum %z dims = [0, 1]", {x}, columns) +
                     "  return %z, %p : " + x + ", " + columns + "\n";
  cases.addFunction("(%a0: " + x + ", %a1: " + t + ", %a2: " + w + ") -> (" +
                        x + ", " + columns + ")",
                    body);
}
} // namespace

std::string mpc::test::makePartCases() {
  Cases cases;
  for (std::string element : {"f32", "f16", "bf16", "f64"}) {
    addNorm(cases, {{17, 40}, 1, element});
    addNorm(cases, {{600, 7}, 1, element});
    addNorm(cases, {{9, 3, 104}, 2, element});
    addSoftmax(cases, {{5, 21, 33}, 2, element});
    addFactors(cases, element);
  }
  addNorm(cases, {{2100, 2}, 1, "f32"});
  addNorm(cases, {{33, 769}, 1, "bf16"});
  addNorm(cases, {{33, 768}, 1, "bf16"});
  addNorm(cases, {{20, 1600}, 1, "f16"});
  addNorm(cases, {{6, 7, 5, 24}, 2, "f32"}); // rows of two dims
  addNorm(cases, {{6, 1, 7, 24}, 3, "bf16"});
  addSoftmax(cases, {{70, 2048}, 1, "bf16"});
  // One part, one column, one row; columns that take too much room.
  addNorm(cases, {{8, 24}, 1, "f32"});
  addNorm(cases, {{40, 1}, 1, "f32"});
  addNorm(cases, {{1, 40}, 1, "f32"});
  addSoftmax(cases, {{9, 50257}, 1, "f16"});
  return cases.str();
}

// Products of matrices.
#include "../Tables.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::onnx;

/// NumPy's rule: vectors become matrices, and their dim disappears again.
static LogicalResult convertMatMul(Node &n) {
  Expr a = n.floating(0), b = n.floating(1);
  if (!a || !b)
    return failure();
  if (a.rank() == 0 || b.rank() == 0)
    return n.refuse("expected vectors or matrices, but got a scalar");
  bool isRow = a.rank() == 1, isColumn = b.rank() == 1;
  Expr left = isRow ? n.reshape(a, {1, a.shape()[0]}) : a;
  Expr right = isColumn ? n.reshape(b, {b.shape()[0], 1}) : b;
  Expr product = n.matmul(left, right);
  if (!product)
    return failure();
  Shape shape(product.shape());
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return n.set(0, n.reshape(product, shape));
}

static LogicalResult convertGemm(Node &n) {
  double alpha = n.real("alpha", 1.0), beta = n.real("beta", 1.0);
  bool transposeA = n.integer("transA", 0), transposeB = n.integer("transB", 0);
  Expr a = n.floating(0), b = n.floating(1), c;
  if (beta == 0)
    n.ignoreOperand(2);
  if (n.has(2) && beta != 0) {
    c = n.floating(2);
    if (c && beta != 1.0)
      c = c * beta;
    if (!c)
      return failure();
  }
  // A number for each column; any other shape may broadcast, too.
  bool isBias = a && b && b.rank() == 2 && c && c.rank() == 1 &&
                c.shape()[0] == b.shape()[transposeB ? 0 : 1] && alpha == 1.0;
  Expr product = n.matmul(a, b, transposeA, transposeB, isBias ? c : Expr());
  if (product && alpha != 1.0)
    product = product * alpha;
  bool isAdded = product && c && !isBias;
  return n.set(0, isAdded ? n.op("add", {product, c}) : product);
}

namespace {
/// An operand of a sum of products, each dim with a label.
struct Labelled {
  Expr value;
  std::string labels;
};
} // namespace

/// Sums over the dims whose labels are not in `keep`, and orders those that
/// are.
static Expr arrange(Node &n, const Labelled &x, StringRef order) {
  Shape gone, permutation;
  std::string left;
  for (auto [dim, label] : llvm::enumerate(x.labels))
    if (order.contains(label))
      left += label;
    else
      gone.push_back(dim);
  Expr kept = gone.empty() ? x.value : n.reduce("sum", x.value, gone, false);
  for (char label : order)
    permutation.push_back(left.find(label));
  return n.transpose(kept, permutation);
}

/// The labels of `a` that are in `b`, or are not.
static std::string pick(StringRef a, StringRef b, bool isIn) {
  std::string picked;
  for (char label : a)
    if (b.contains(label) == isIn)
      picked += label;
  return picked;
}

static int64_t sizeOf(const Labelled &x, StringRef labels) {
  int64_t size = 1;
  for (char label : labels)
    size *= x.value.shape()[x.labels.find(label)];
  return size;
}

/// The product of `a` and `b`, summed over the labels that are not in `keep`.
static Labelled multiply(Node &n, const Labelled &a, const Labelled &b,
                         StringRef keep) {
  std::string both = pick(a.labels, b.labels, true);
  std::string batch = pick(both, keep, true), inner = pick(both, keep, false);
  std::string rows = pick(pick(a.labels, both, false), keep, true);
  std::string columns = pick(pick(b.labels, both, false), keep, true);
  std::string labels = batch + rows + columns;
  Shape shape;
  for (char label : labels)
    shape.push_back(sizeOf(a.labels.find(label) != std::string::npos ? a : b,
                           StringRef(&label, 1)));
  for (char label : both)
    if (sizeOf(a, StringRef(&label, 1)) != sizeOf(b, StringRef(&label, 1))) {
      (void)n.refuse("expected one size for each label, but those of '" +
                     Twine(label) + "' differ");
      return {};
    }
  int64_t count = sizeOf(a, batch), depth = sizeOf(a, inner);
  Expr left = arrange(n, a, batch + rows + inner);
  Expr right = arrange(n, b, batch + inner + columns);
  Expr product = n.matmul(n.reshape(left, {count, sizeOf(a, rows), depth}),
                          n.reshape(right, {count, depth, sizeOf(b, columns)}));
  return {n.reshape(product, shape), labels};
}

/// Reads "ij,jk->ik"; an ellipsis becomes labels of its own. The labels of the
/// result are the last.
static FailureOr<std::vector<std::string>> readEquation(Node &n) {
  std::string text = n.text("equation", "");
  llvm::erase(text, ' ');
  auto [left, right] = StringRef(text).split("->");
  bool isExplicit = StringRef(text).contains("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != n.numInputs())
    return n.refuse("expected a term of the equation for each operand");
  std::vector<std::string> labels;
  std::string dots, all;
  for (auto [index, term] : llvm::enumerate(terms)) {
    int64_t more = n.rank(index) - int64_t(term.size()) + 3;
    std::string term2 = term.str();
    if (size_t at = term2.find("..."); at != std::string::npos) {
      std::string mine;
      for (int64_t i = 0; i < more; ++i) // digits are no labels
        mine += char('0' + i);
      if (more < 0 || more > 9 || (!dots.empty() && mine != dots))
        return n.refuse("expected as many dims for each ellipsis");
      dots = mine;
      term2.replace(at, 3, mine);
    }
    if (int64_t(term2.size()) != n.rank(index))
      return n.refuse("expected a label for each dim");
    all += term2;
    labels.push_back(term2);
  }
  std::string result = right.str();
  if (size_t at = result.find("..."); at != std::string::npos)
    result.replace(at, 3, dots);
  if (!isExplicit) { // labels that occur once, in alphabetical order
    result = dots;
    std::string sorted = all;
    llvm::sort(sorted);
    for (char label : sorted)
      if (llvm::count(all, label) == 1 && !StringRef(dots).contains(label))
        result += label;
  }
  for (char label : result)
    if (!StringRef(all).contains(label) || llvm::count(result, label) > 1)
      return n.refuse("the result has a label that no operand has, or twice");
  labels.push_back(result);
  return labels;
}

/// Two dims of one label become their diagonal: side by side, as one dim, it is
/// each element of a row that is size + 1 behind the last one.
static Labelled takeDiagonals(Node &n, Labelled x) {
  for (size_t i = 0; x.value && i < x.labels.size(); ++i) {
    size_t j = x.labels.find(x.labels[i], i + 1);
    if (j == std::string::npos)
      continue;
    int64_t size = x.value.shape()[i];
    if (size != x.value.shape()[j]) {
      (void)n.refuse("expected one size for each label, but those of '" +
                     Twine(x.labels[i]) + "' differ");
      return {};
    }
    Shape order, shape;
    std::string labels;
    for (size_t dim = 0; dim < x.labels.size(); ++dim) {
      if (dim == i || dim == j)
        continue;
      order.push_back(int64_t(dim));
      shape.push_back(x.value.shape()[dim]);
      labels += x.labels[dim];
    }
    order.append({int64_t(i), int64_t(j)});
    shape.push_back(size * size);
    Expr rows = n.reshape(n.transpose(x.value, order), shape);
    Shape offsets(shape.size(), 0), sizes(shape), steps(shape.size(), 1);
    sizes.back() = size;
    steps.back() = size + 1;
    x = {rows ? n.slice(rows, offsets, sizes, steps) : Expr(),
         labels + x.labels[i]};
    i = size_t(-1); // labels have moved
  }
  return x;
}

static LogicalResult convertEinsum(Node &n) {
  FailureOr<std::vector<std::string>> labels = readEquation(n);
  if (failed(labels))
    return failure();
  std::string result = labels->back();
  Labelled total = takeDiagonals(n, {n.floating(0), labels->front()});
  for (size_t i = 1; i < n.numInputs() && total.value; ++i) {
    std::string keep = result;
    for (size_t later = i + 1; later < n.numInputs(); ++later)
      keep += (*labels)[later];
    Labelled next = takeDiagonals(n, {n.floating(i), (*labels)[i]});
    if (!next.value)
      return failure();
    total = multiply(n, total, next, keep);
  }
  return n.set(0, total.value ? arrange(n, total, result) : Expr());
}

ArrayRef<Converter> mpc::onnx::contractionConverters() {
  static constexpr Converter rows[] = {{"Einsum", 12, convertEinsum},
                                       {"Gemm", 7, convertGemm},
                                       {"MatMul", 1, convertMatMul}};
  return rows;
}

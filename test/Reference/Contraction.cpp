// Family Contraction of the reference interpreter.
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "Reference/Families.h"

using namespace mpc;
using namespace mpc::reference;

/// A matrix inside a stack of matrices, possibly read transposed.
namespace {
struct Matrix {
  const double *data;
  int64_t columns;
  bool transposed;

  double at(int64_t row, int64_t column) const {
    return transposed ? data[column * columns + row]
                      : data[row * columns + column];
  }
};
} // namespace

static Shape batchOf(const Shape &shape) {
  return Shape(shape.begin(), shape.end() - 2);
}

static Answer matmul(graph::MatmulOp op, Operands in, Results out) {
  const Shape &a = in[0]->shape, &b = in[1]->shape, &c = out[0].shape;
  int64_t rows = c[c.size() - 2], columns = c[c.size() - 1];
  int64_t inner = a[a.size() - (op.getTransposeLhs() ? 2 : 1)];
  auto leftBatch = broadcastMap(batchOf(a), batchOf(c));
  auto rightBatch = broadcastMap(batchOf(b), batchOf(c));
  for (size_t batch = 0; batch < leftBatch.size(); ++batch) {
    Matrix left{in[0]->reals.data() + leftBatch[batch] * rows * inner, a.back(),
                op.getTransposeLhs()};
    Matrix right{in[1]->reals.data() + rightBatch[batch] * inner * columns,
                 b.back(), op.getTransposeRhs()};
    double *result = out[0].reals.data() + batch * rows * columns;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t k = 0; k < inner; ++k)
          result[i * columns + j] += left.at(i, k) * right.at(k, j);
    for (int64_t i = 0; i < (op.getBias() ? rows * columns : 0); ++i)
      result[i] += in[2]->reals[i % columns];
  }
  return success();
}

Answer reference::evaluateContraction(Operation *op, Operands in, Results out) {
  if (auto product = dyn_cast<graph::MatmulOp>(op))
    return matmul(product, in, out);
  return std::nullopt;
}

// Family Reduction of the reference interpreter.
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "Reference/Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::reference;

/// For each element of `shape`, the element of the result that it is folded
/// into when `dims` are reduced.
static std::vector<size_t> reductionMap(const Shape &shape,
                                        ArrayRef<int64_t> dims) {
  Shape kept = shape;
  for (int64_t dim : dims)
    kept[dim] = 1;
  return broadcastMap(kept, shape);
}

static Answer sum(ArrayRef<int64_t> dims, Operands in, Results out) {
  auto map = reductionMap(in[0]->shape, dims);
  for (size_t i = 0; i < map.size(); ++i)
    if (out[0].isFloat())
      out[0].reals[map[i]] += in[0]->value(i);
    else
      out[0].ints[map[i]] =
          wrapTo(out[0].type, out[0].ints[map[i]] + in[0]->ints[i]);
  return success();
}

static Answer mean(ArrayRef<int64_t> dims, Operands in, Results out) {
  (void)sum(dims, in, out);
  double count = 1;
  for (int64_t dim : dims)
    count *= static_cast<double>(in[0]->shape[dim]);
  for (double &element : out[0].reals)
    element /= count;
  return success();
}

static Answer max(ArrayRef<int64_t> dims, Operands in, Results out) {
  auto map = reductionMap(in[0]->shape, dims);
  bool is32 = out[0].type == DType::I32;
  llvm::fill(out[0].reals, -std::numeric_limits<double>::infinity());
  llvm::fill(out[0].ints, is32 ? std::numeric_limits<int32_t>::min()
                               : std::numeric_limits<int64_t>::min());
  for (size_t i = 0; i < map.size(); ++i)
    if (out[0].isFloat()) {
      double &most = out[0].reals[map[i]];
      if (in[0]->reals[i] > most || std::isnan(in[0]->reals[i]))
        most = in[0]->reals[i];
    } else {
      int64_t &most = out[0].ints[map[i]];
      most = std::max(most, in[0]->ints[i]);
    }
  return success();
}

/// The norm by its definition, in f64; infinity is the largest magnitude.
static Answer globalNorm(double p, Operands in, Results out) {
  double sum = 0, largest = 0;
  bool hasNaN = false;
  for (const Tensor *tensor : in)
    for (double element : tensor->reals) {
      sum += std::pow(std::fabs(element), p);
      largest = std::max(largest, std::fabs(element));
      hasNaN |= std::isnan(element);
    }
  double norm = std::isinf(p) ? largest : std::pow(sum, 1 / p);
  out[0].reals[0] = hasNaN ? std::numeric_limits<double>::quiet_NaN() : norm;
  return success();
}

Answer reference::evaluateReduction(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::SumOp>([&](auto op) { return sum(op.getDims(), in, out); })
      .Case<graph::MeanOp>([&](auto op) { return mean(op.getDims(), in, out); })
      .Case<graph::MaxOp>([&](auto op) { return max(op.getDims(), in, out); })
      .Case<graph::GlobalNormOp>([&](auto op) {
        return globalNorm(op.getNormType().convertToDouble(), in, out);
      })
      .Default([](Operation *) { return std::nullopt; });
}

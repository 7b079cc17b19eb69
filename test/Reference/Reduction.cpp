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

static Answer partialSum(graph::PartialSumOp op, Operands in, Results out) {
  const Shape &shape = in[0]->shape;
  int64_t columns = 1;
  for (size_t dim = op.getDims().size(); dim < shape.size(); ++dim)
    columns *= shape[dim];
  for (size_t i = 0; i < in[0]->size(); ++i) {
    int64_t row = int64_t(i) / columns, column = int64_t(i) % columns;
    out[0].reals[row / int64_t(op.getRows()) * columns + column] +=
        in[0]->value(i);
  }
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

static Answer product(ArrayRef<int64_t> dims, Operands in, Results out) {
  auto map = reductionMap(in[0]->shape, dims);
  llvm::fill(out[0].reals, 1);
  llvm::fill(out[0].ints, 1);
  for (size_t i = 0; i < map.size(); ++i)
    if (out[0].isFloat())
      out[0].reals[map[i]] *= in[0]->value(i);
    else
      out[0].ints[map[i]] =
          wrapTo(out[0].type, int64_t(uint64_t(out[0].ints[map[i]]) *
                                      uint64_t(in[0]->ints[i])));
  return success();
}

/// Adds to each sum all elements that it is of, one by one.
static Answer cumulate(graph::CumsumOp op, Operands in, Results out) {
  const Shape &shape = in[0]->shape;
  int64_t size = shape[op.getDim()], after = 1;
  for (size_t dim = op.getDim() + 1; dim < shape.size(); ++dim)
    after *= shape[dim];
  for (size_t i = 0; i < out[0].size(); ++i) {
    int64_t own = int64_t(i) / after % size;
    for (int64_t other = 0; other < size; ++other) {
      bool isBefore = op.getReverse() ? other > own : other < own;
      if (!isBefore && (other != own || op.getExclusive()))
        continue;
      auto from = static_cast<size_t>(int64_t(i) + (other - own) * after);
      if (out[0].isFloat())
        out[0].reals[i] += in[0]->value(from);
      else
        out[0].ints[i] =
            wrapTo(out[0].type, out[0].ints[i] + in[0]->ints[from]);
    }
  }
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

static Answer min(ArrayRef<int64_t> dims, Operands in, Results out) {
  auto map = reductionMap(in[0]->shape, dims);
  std::vector<bool> isSet(out[0].size());
  for (size_t i = 0; i < map.size(); ++i) {
    bool isFirst = !isSet[map[i]];
    isSet[map[i]] = true;
    if (out[0].isFloat()) {
      double &least = out[0].reals[map[i]], x = in[0]->reals[i];
      if (isFirst || x < least || std::isnan(x))
        least = x;
    } else {
      int64_t &least = out[0].ints[map[i]];
      least = isFirst ? in[0]->ints[i] : std::min(least, in[0]->ints[i]);
    }
  }
  return success();
}

/// Whether one flag has the value `wanted`.
static Answer hasFlag(bool wanted, bool answer, ArrayRef<int64_t> dims,
                      Operands in, Results out) {
  auto map = reductionMap(in[0]->shape, dims);
  llvm::fill(out[0].ints, !answer);
  for (size_t i = 0; i < map.size(); ++i)
    if ((in[0]->ints[i] != 0) == wanted)
      out[0].ints[map[i]] = answer;
  return success();
}

/// log(sum e^x), relative to the largest, of which there is one that is finite.
static Answer logsumexp(ArrayRef<int64_t> dims, Operands in, Results out) {
  auto map = reductionMap(in[0]->shape, dims);
  std::vector<double> total(out[0].size());
  (void)max(dims, in, out);
  for (size_t i = 0; i < map.size(); ++i)
    total[map[i]] += std::exp(in[0]->reals[i] - out[0].reals[map[i]]);
  for (size_t o = 0; o < total.size(); ++o)
    if (std::isfinite(out[0].reals[o]))
      out[0].reals[o] += std::log(total[o]);
  return success();
}

static Answer variance(double correction, ArrayRef<int64_t> dims, Operands in,
                       Results out) {
  auto map = reductionMap(in[0]->shape, dims);
  (void)mean(dims, in, out);
  std::vector<double> means = out[0].reals;
  llvm::fill(out[0].reals, 0.0);
  for (size_t i = 0; i < map.size(); ++i)
    out[0].reals[map[i]] += std::pow(in[0]->reals[i] - means[map[i]], 2);
  double count = static_cast<double>(map.size()) / double(means.size());
  for (double &element : out[0].reals)
    element /= count - correction;
  return success();
}

/// The norm by its definition; infinity is the largest magnitude.
static Answer norm(double p, ArrayRef<int64_t> dims, Operands in, Results out) {
  auto map = reductionMap(in[0]->shape, dims);
  for (size_t i = 0; i < map.size(); ++i) {
    double &total = out[0].reals[map[i]], x = std::fabs(in[0]->reals[i]);
    if (!std::isinf(p))
      total += std::pow(x, p);
    else if (x > total || std::isnan(x))
      total = x;
  }
  if (!std::isinf(p))
    for (double &element : out[0].reals)
      element = std::pow(element, 1 / p);
  return success();
}

/// The element that no other comes before, and its index, by comparing all.
static Answer withIndex(bool isMax, ArrayRef<int64_t> dims, Operands in,
                        Results out) {
  auto map = reductionMap(in[0]->shape, dims);
  auto comesBefore = [&](size_t a, size_t b) {
    int64_t indexA = in[1]->ints[a], indexB = in[1]->ints[b];
    if (!in[0]->isFloat()) {
      int64_t x = in[0]->ints[a], y = in[0]->ints[b];
      return x == y ? indexA < indexB : (x > y) == isMax;
    }
    double x = in[0]->reals[a], y = in[0]->reals[b];
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) && (!std::isnan(y) || indexA < indexB);
    return x == y ? indexA < indexB : (x > y) == isMax;
  };
  std::vector<std::optional<size_t>> first(out[1].ints.size());
  for (size_t i = 0; i < map.size(); ++i)
    if (auto &best = first[map[i]]; !best || comesBefore(i, *best))
      best = i;
  for (auto [o, best] : llvm::enumerate(first)) {
    if (out[0].isFloat())
      out[0].reals[o] = in[0]->reals[*best];
    else
      out[0].ints[o] = in[0]->ints[*best];
    out[1].ints[o] = in[1]->ints[*best];
  }
  return success();
}

/// Of the first element along `dim` that none is beyond.
static Answer argument(bool isMax, int64_t dim, Operands in, Results out) {
  const Tensor &input = *in[0];
  size_t inner = 1;
  for (int64_t size : ArrayRef(input.shape).drop_front(dim + 1))
    inner *= size;
  size_t size = input.shape[dim];
  // Whether element x comes before element y: integers are compared as such.
  auto isBefore = [&](size_t x, size_t y) {
    if (!input.isFloat())
      return isMax ? input.ints[x] > input.ints[y]
                   : input.ints[x] < input.ints[y];
    double a = input.reals[x], b = input.reals[y];
    return !std::isnan(b) && (std::isnan(a) || (isMax ? a > b : a < b));
  };
  for (size_t o = 0; o < out[0].ints.size(); ++o) {
    size_t start = o / inner * inner * size + o % inner, best = 0;
    for (size_t n = 1; n < size; ++n) {
      if (isBefore(start + n * inner, start + best * inner))
        best = n;
    }
    out[0].ints[o] = int64_t(best);
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
      .Case<graph::PartialSumOp>(
          [&](auto op) { return partialSum(op, in, out); })
      .Case<graph::MeanOp>([&](auto op) { return mean(op.getDims(), in, out); })
      .Case<graph::ProdOp>(
          [&](auto op) { return product(op.getDims(), in, out); })
      .Case<graph::CumsumOp>([&](auto op) { return cumulate(op, in, out); })
      .Case<graph::MaxOp>([&](auto op) { return max(op.getDims(), in, out); })
      .Case<graph::MinOp>([&](auto op) { return min(op.getDims(), in, out); })
      .Case<graph::AnyOp>([&](auto op) {
        return hasFlag(true, /*answer=*/true, op.getDims(), in, out);
      })
      .Case<graph::AllOp>([&](auto op) {
        return hasFlag(false, /*answer=*/false, op.getDims(), in, out);
      })
      .Case<graph::LogsumexpOp>(
          [&](auto op) { return logsumexp(op.getDims(), in, out); })
      .Case<graph::VarOp>([&](auto op) {
        return variance(double(op.getCorrection()), op.getDims(), in, out);
      })
      .Case<graph::NormOp>([&](auto op) {
        return norm(op.getP().convertToDouble(), op.getDims(), in, out);
      })
      .Case<graph::MaxWithIndexOp>([&](auto op) {
        return withIndex(/*isMax=*/true, op.getDims(), in, out);
      })
      .Case<graph::MinWithIndexOp>([&](auto op) {
        return withIndex(/*isMax=*/false, op.getDims(), in, out);
      })
      .Case<graph::ArgmaxOp>([&](auto op) {
        return argument(/*isMax=*/true, op.getDim(), in, out);
      })
      .Case<graph::ArgminOp>([&](auto op) {
        return argument(/*isMax=*/false, op.getDim(), in, out);
      })
      .Case<graph::GlobalNormOp>([&](auto op) {
        return globalNorm(op.getNormType().convertToDouble(), in, out);
      })
      .Default([](Operation *) { return std::nullopt; });
}

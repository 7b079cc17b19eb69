// Products of every type, epilogue, transpose and batch against a loop in f64,
// by the error rule of the project: at most twice the error of a plain loop in
// the same type, plus a floor of the result's precision. And the same bits on
// any number of threads.
#include "HandMade.h"
#include "MatrixOffset.h"
#include "mpc/Program/Calls.h"
#include "mpc/Runtime/HostCall.h"
#include "mpc/Runtime/ThreadPool.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace mpc;
using namespace mpc::test;

static int64_t countOf(const Dims &dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

namespace {
/// A tensor as bytes of its type and as the doubles they stand for.
struct Values {
  Values(ElementType type, int64_t count)
      : type(type), bytes(count * getInfo(static_cast<DType>(type)).bytes),
        exact(count) {}
  void set(int64_t i, double value) {
    auto put = [&](auto bits) {
      std::memcpy(bytes.data() + i * sizeof bits, &bits, sizeof bits);
    };
    if (type == ElementType::F64)
      put(value);
    else if (type == ElementType::F32)
      put(static_cast<float>(value));
    else if (type == ElementType::F16)
      put(floatToHalf(static_cast<float>(value)));
    else
      put(floatToBFloat(static_cast<float>(value)));
  }
  void decode() {
    for (size_t i = 0; i < exact.size(); ++i)
      exact[i] = get(i);
  }
  double get(size_t i) const {
    double wide;
    float single;
    uint16_t half;
    if (type == ElementType::F64)
      return std::memcpy(&wide, bytes.data() + 8 * i, 8), wide;
    if (type == ElementType::F32)
      return std::memcpy(&single, bytes.data() + 4 * i, 4), single;
    std::memcpy(&half, bytes.data() + 2 * i, 2);
    return type == ElementType::F16 ? halfToFloat(half) : bfloatToFloat(half);
  }
  ElementType type;
  std::vector<uint8_t> bytes;
  std::vector<double> exact;
};
} // namespace

static Values makeRandom(ElementType type, int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, 1);
  Values values(type, count);
  for (int64_t i = 0; i < count; ++i)
    values.set(i, normal(generator));
  values.decode();
  return values;
}

template <typename T> static T applyEpilogue(Epilogue epilogue, T x) {
  switch (epilogue) {
  case Epilogue::None:
    return x;
  case Epilogue::Relu:
    return x > 0 ? x : T(0);
  case Epilogue::GeluErf:
    return T(0.5) * x * (1 + std::erf(x / std::sqrt(T(2))));
  case Epilogue::GeluTanh:
    return T(0.5) * x *
           (1 + std::tanh(std::sqrt(T(2) / T(M_PI)) *
                          (x + T(0.044715) * x * x * x)));
  case Epilogue::Tanh:
    return std::tanh(x);
  case Epilogue::Sigmoid:
    return 1 / (1 + std::exp(-x));
  }
  return x;
}

/// The definition, with sums in T.
template <typename T>
static std::vector<double> plainLoop(const MatmulSpec &spec, const Values &lhs,
                                     const Values &rhs, const Values &bias) {
  int64_t m = spec.out[spec.out.size() - 2], n = spec.out.back();
  int64_t k = spec.lhs[spec.lhs.size() - (spec.transposeLhs ? 2 : 1)];
  std::vector<double> result(countOf(spec.out));
  for (int64_t b = 0; b < countOf(spec.out) / (m * n); ++b) {
    int64_t left = matrixAt(spec.out, spec.lhs, b),
            right = matrixAt(spec.out, spec.rhs, b);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += static_cast<T>(
                     lhs.exact[left +
                               (spec.transposeLhs ? p * m + i : i * k + p)]) *
                 static_cast<T>(
                     rhs.exact[right +
                               (spec.transposeRhs ? j * k + p : p * n + j)]);
        if (spec.bias)
          sum += static_cast<T>(bias.exact[j]);
        result[(b * m + i) * n + j] = applyEpilogue(spec.epilogue, sum);
      }
  }
  return result;
}

/// `args`: one per operand; the result is argument 2.
static std::vector<uint8_t> runCall(const CallT &call,
                                    std::vector<const void *> args,
                                    Values result, uint32_t threads) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(program::Call::Pack(builder, &call));
  const auto &packed =
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer());
  EXPECT_TRUE(program::verifyCall(packed, false).ok())
      << program::verifyCall(packed, false).message();
  auto matmul = runtime::makeHostCall(packed, threads);
  EXPECT_TRUE(matmul) << matmul.status().message();
  auto pool = runtime::ThreadPool::create(threads, runtime::useOneThread);
  runtime::HostWorkspace needs = (*matmul)->workspace();
  uint64_t bytes = needs.shared + needs.perWorker * runtime::countBuffers(
                                                        needs.pieces, threads);
  std::unique_ptr<uint8_t, decltype(&std::free)> memory(
      static_cast<uint8_t *>(std::aligned_alloc(64, (bytes + 127) / 64 * 64)),
      std::free);
  EXPECT_TRUE(
      (*matmul)
          ->bind({memory.get(), memory.get() + needs.shared, needs.perWorker})
          .ok());
  args[2] = result.bytes.data();
  runtime::OneThread guard;
  for (int twice = 0; twice < 2; ++twice) {
    Status status =
        (*matmul)->run(**pool, const_cast<void *const *>(args.data()));
    EXPECT_TRUE(status.ok()) << status.message();
  }
  return result.bytes;
}

static std::vector<uint8_t> runProduct(const MatmulSpec &spec,
                                       const Values &lhs, const Values &rhs,
                                       const Values &bias, uint32_t threads) {
  return runCall(
      *spec.call(),
      {lhs.bytes.data(), rhs.bytes.data(), nullptr, bias.bytes.data()},
      Values(spec.result, countOf(spec.out)), threads);
}

static double maxError(const std::vector<double> &values,
                       const std::vector<double> &truth) {
  double worst = 0;
  for (size_t i = 0; i < truth.size(); ++i)
    worst = std::max(worst, std::abs(values[i] - truth[i]));
  return worst;
}

static void checkProduct(const MatmulSpec &spec) {
  Values lhs = makeRandom(spec.operand, countOf(spec.lhs), 1);
  Values rhs = makeRandom(spec.operand, countOf(spec.rhs), 2);
  Values bias = makeRandom(spec.result, spec.out.back(), 3);
  std::vector<double> truth = plainLoop<double>(spec, lhs, rhs, bias);

  Values plain(spec.result, countOf(spec.out)), ours(plain);
  bool wide = spec.operand == ElementType::F64;
  std::vector<double> sums =
      wide ? truth : plainLoop<float>(spec, lhs, rhs, bias);
  for (size_t i = 0; i < sums.size(); ++i)
    plain.set(static_cast<int64_t>(i), sums[i]);
  plain.decode();
  ours.bytes = runProduct(spec, lhs, rhs, bias, 1);
  ours.decode();

  double largest = 0;
  for (double value : truth)
    largest = std::max(largest, std::abs(value));
  unsigned mantissa = getInfo(static_cast<DType>(spec.result)).mantissaBits;
  double floor = largest * std::ldexp(1.0, -static_cast<int>(mantissa));
  EXPECT_LE(maxError(ours.exact, truth),
            2 * maxError(plain.exact, truth) + floor)
      << "largest value " << largest;

  for (uint32_t threads : {2, 3, 9})
    EXPECT_EQ(ours.bytes, runProduct(spec, lhs, rhs, bias, threads))
        << "other bits on " << threads << " threads";
}

static constexpr ElementType F64 = ElementType::F64, F32 = ElementType::F32,
                             F16 = ElementType::F16, BF16 = ElementType::BF16;
static constexpr std::pair<ElementType, ElementType> kTypes[] = {
    {F64, F64}, {F32, F32}, {F16, F16}, {BF16, BF16}, {F16, F32}, {BF16, F32}};

static std::string describe(const MatmulSpec &spec) {
  return formatTensor(spec.operand, spec.lhs) + " x " +
         formatTensor(spec.operand, spec.rhs) + " -> " +
         formatTensor(spec.result, spec.out) + " transposed " +
         std::to_string(spec.transposeLhs) + std::to_string(spec.transposeRhs) +
         " bias " + std::to_string(spec.bias) + " epilogue " +
         std::to_string(static_cast<int>(spec.epilogue));
}

TEST(Matmul, ShapesAndTransposes) {
  struct Size {
    int64_t m, k, n;
  };
  for (auto [operand, result] : kTypes)
    for (Size s : {Size{1, 1, 1}, Size{3, 5, 7}, Size{64, 784, 128},
                   Size{128, 64, 10}, Size{17, 33, 65}})
      for (int swapped = 0; swapped < 4; ++swapped) {
        bool left = swapped & 1, right = swapped & 2;
        MatmulSpec spec = {operand,
                           result,
                           left ? Dims{s.k, s.m} : Dims{s.m, s.k},
                           right ? Dims{s.n, s.k} : Dims{s.k, s.n},
                           {s.m, s.n},
                           left,
                           right};
        SCOPED_TRACE(describe(spec));
        checkProduct(spec);
      }
}

TEST(Matmul, EpiloguesAndBias) {
  for (auto [operand, result] : kTypes)
    for (bool bias : {false, true})
      for (int e = 0; e <= static_cast<int>(Epilogue::MAX); ++e) {
        MatmulSpec spec = {operand, result, {12, 20}, {20, 36}, {12, 36}};
        spec.bias = bias;
        spec.epilogue = static_cast<Epilogue>(e);
        SCOPED_TRACE(describe(spec));
        checkProduct(spec);
      }
}

TEST(Matmul, BatchesBroadcast) {
  struct Batch {
    Dims lhs, rhs, out;
  };
  const Batch batches[] = {
      {{4, 6, 8}, {4, 8, 5}, {4, 6, 5}},
      {{4, 6, 8}, {8, 5}, {4, 6, 5}}, // folds into rows
      {{6, 8}, {4, 8, 5}, {4, 6, 5}},
      {{2, 1, 6, 8}, {3, 8, 5}, {2, 3, 6, 5}},
      {{2, 3, 6, 8}, {2, 3, 8, 5}, {2, 3, 6, 5}},
      {{1, 6, 8}, {1, 8, 5}, {1, 6, 5}},
  };
  for (auto [operand, result] : kTypes)
    for (const Batch &batch : batches) {
      MatmulSpec spec = {operand, result, batch.lhs, batch.rhs, batch.out};
      spec.bias = true;
      SCOPED_TRACE(describe(spec));
      checkProduct(spec);
    }
}

/// Columns that are read as rows, many to one right matrix.
TEST(Matmul, TransposedRowsOfABatch) {
  for (auto [operand, result] : kTypes)
    for (int64_t inner : {1, 7}) {
      MatmulSpec spec = {operand,    result,       {2, 3, inner, 1},
                         {inner, 5}, {2, 3, 1, 5}, true,
                         false};
      SCOPED_TRACE(describe(spec));
      checkProduct(spec);
    }
}

/// Large enough to be cut into blocks that do not divide the shape.
TEST(Matmul, BlocksOfUnevenShapes) {
  for (auto [operand, result] : kTypes) {
    if (operand == F64)
      continue; // one sum per element: blocks cannot matter
    for (bool swapped : {false, true}) {
      MatmulSpec spec = {
          operand,    result,     swapped ? Dims{300, 500} : Dims{500, 300},
          {300, 700}, {500, 700}, swapped};
      spec.bias = true;
      spec.epilogue = Epilogue::Relu;
      SCOPED_TRACE(describe(spec));
      checkProduct(spec);
    }
  }
}

/// Uneven blocks of a bounded buffer, and strips below and at the right.
TEST(Matmul, RoundedBlocks) {
  for (ElementType type : {F16, BF16})
    for (Dims sizes : {Dims{700, 3, 1201}, Dims{3001, 2, 333}}) {
      MatmulSpec spec = {type,
                         type,
                         {sizes[0], sizes[1]},
                         {sizes[1], sizes[2]},
                         {sizes[0], sizes[2]}};
      spec.bias = true;
      SCOPED_TRACE(describe(spec));
      checkProduct(spec);
    }
}

/// A part of a larger tensor, and where its elements lie there.
static Values pick(const Values &whole, const Dims &shape, const Dims &strides,
                   int64_t offset) {
  Values part(whole.type, countOf(shape));
  for (int64_t i = 0; i < countOf(shape); ++i) {
    int64_t at = offset, index = i;
    for (size_t dim = shape.size(); dim-- > 0; index /= shape[dim])
      at += index % shape[dim] * strides[dim];
    part.set(i, whole.exact[static_cast<size_t>(at)]);
  }
  part.decode();
  return part;
}

/// Operands with gaps: what stands there must not matter, and the product is
/// that of dense copies.
static void checkStrided(MatmulSpec dense, Dims lhsStrides, int64_t lhsOffset,
                         Dims rhsStrides, int64_t rhsOffset) {
  std::unique_ptr<CallT> call = dense.call();
  int64_t width = getInfo(static_cast<DType>(dense.operand)).bytes;
  auto reach = [&](const Dims &shape, const Dims &strides, int64_t offset) {
    return offset + static_cast<int64_t>(
                        *program::getReach(dense.operand, shape, strides)) /
                        width;
  };
  Values lhs = makeRandom(dense.operand,
                          reach(dense.lhs, lhsStrides, lhsOffset), 1),
         rhs = makeRandom(dense.operand,
                          reach(dense.rhs, rhsStrides, rhsOffset), 2);
  Values left = pick(lhs, dense.lhs, lhsStrides, lhsOffset),
         right = pick(rhs, dense.rhs, rhsStrides, rhsOffset);
  Values none(dense.result, dense.out.back());
  std::vector<double> truth = plainLoop<double>(dense, left, right, none);
  Values ours(dense.result, countOf(dense.out)), plain(ours);
  plain.bytes = runProduct(dense, left, right, none, 1);
  plain.decode();

  call->operands[0]->strides = std::move(lhsStrides);
  call->operands[1]->strides = std::move(rhsStrides);
  std::vector<const void *> args = {lhs.bytes.data() + lhsOffset * width,
                                    rhs.bytes.data() + rhsOffset * width,
                                    nullptr};
  ours.bytes = runCall(*call, args, ours, 1);
  ours.decode();
  unsigned mantissa = getInfo(static_cast<DType>(dense.result)).mantissaBits;
  double largest = 0;
  for (double value : truth)
    largest = std::max(largest, std::abs(value));
  EXPECT_LE(maxError(ours.exact, truth),
            2 * maxError(plain.exact, truth) +
                largest * std::ldexp(1.0, -static_cast<int>(mantissa)));
  for (uint32_t threads : {2, 5})
    EXPECT_EQ(ours.bytes, runCall(*call, args, ours, threads));
}

/// Heads of queries and keys in one [batch, time, 3, heads, width], and other
/// parts of larger tensors.
TEST(Matmul, ReadsInPlace) {
  for (auto [operand, result] : kTypes) {
    SCOPED_TRACE(static_cast<int>(operand));
    int64_t batch = 2, time = 9, heads = 3, width = 8;
    int64_t row = 3 * heads * width;
    Dims outer = {time * row, width, row, 1};
    MatmulSpec scores = {operand,
                         result,
                         {batch, heads, time, width},
                         {batch, heads, width, time},
                         {batch, heads, time, time}};
    checkStrided(scores, outer, 0, {time * row, width, 1, row}, heads * width);
    MatmulSpec values = {operand,
                         result,
                         {batch, heads, time, time},
                         {batch, heads, time, width},
                         {batch, heads, time, width}};
    checkStrided(values, {heads * time * time, time * time, time, 1}, 0, outer,
                 2 * heads * width);
    // One right matrix for all left ones, which are columns of a wider tensor:
    // more rows, at one distance.
    MatmulSpec layer = {operand, result, {4, 5, 6}, {6, 7}, {4, 5, 7}};
    layer.rhs = {4, 6, 7};
    checkStrided(layer, {100, 20, 1}, 3, {0, 9, 1}, 1);
    checkStrided(layer, {120, 20, 1}, 3, {0, 1, 6}, 0);
    // Rows that repeat, and a dim of 1 with any stride.
    MatmulSpec repeated = {operand, result, {3, 4, 6}, {3, 6, 1}, {3, 4, 1}};
    checkStrided(repeated, {0, 6, 1}, 0, {6, 1, 77}, 0);
    checkStrided(repeated, {24, 6, 1}, 2, {12, 2, 1}, 0);
  }
}

/// Windows over one sequence, which overlap.
TEST(Matmul, ReadsWindows) {
  for (auto [operand, result] : kTypes) {
    SCOPED_TRACE(static_cast<int>(operand));
    MatmulSpec windows = {operand, result, {3, 2, 4}, {3, 4, 7}, {3, 2, 7}};
    checkStrided(windows, {8, 5, 1}, 0, {28, 7, 1}, 0);
    checkStrided(windows, {1, 4, 1}, 0, {1, 7, 1}, 2);
  }
}

/// Nothing is read at a distance that is never gone.
TEST(Matmul, StridesOfOneElementDoNotMatter) {
  constexpr int64_t far = INT64_MAX;
  for (auto [operand, result] : kTypes) {
    SCOPED_TRACE(static_cast<int>(operand));
    MatmulSpec row = {operand, result, {1, 1, 6}, {1, 6, 5}, {1, 1, 5}};
    checkStrided(row, {far, far, 1}, 0, {far, 5, 1}, 0);
    MatmulSpec column = {operand, result, {7, 6}, {6, 1}, {7, 1}};
    checkStrided(column, {6, 1}, 0, {1, far}, 0);
    checkStrided(column, {1, 7}, 0, {3, 0}, 0);
    MatmulSpec outer = {operand, result, {7, 1}, {1, 5}, {7, 5}};
    checkStrided(outer, {1, far}, 0, {far, 1}, 0);
    checkStrided(outer, {2, 0}, 0, {0, 1}, 0);
  }
}

TEST(Matmul, InfinityAndNanPass) {
  for (auto [operand, result] : kTypes) {
    MatmulSpec spec = {operand, result, {1, 2}, {2, 1}, {1, 1}};
    Values lhs(operand, 2), rhs(operand, 2), bias(result, 1);
    auto product = [&](double left) {
      lhs.set(0, left);
      lhs.set(1, 1);
      rhs.set(0, 1);
      rhs.set(1, 1);
      Values out(result, 1);
      out.bytes = runProduct(spec, lhs, rhs, bias, 1);
      return out.get(0);
    };
    EXPECT_EQ(product(INFINITY), INFINITY) << describe(spec);
    EXPECT_TRUE(std::isnan(product(NAN))) << describe(spec);
  }
}

TEST(Matmul, HalfOverflowsAtTheOutputOnly) {
  // The sum passes 65504 on its way but ends below it: f32 inside.
  MatmulSpec spec = {F16, F16, {1, 3}, {3, 1}, {1, 1}};
  Values lhs(F16, 3), rhs(F16, 3), bias(F16, 1);
  double left[] = {256, 256, -256}, right[] = {250, 100, 200};
  for (int i = 0; i < 3; ++i) {
    lhs.set(i, left[i]);
    rhs.set(i, right[i]);
  }
  Values out(F16, 1);
  out.bytes = runProduct(spec, lhs, rhs, bias, 1);
  EXPECT_EQ(out.get(0), 38400);
}

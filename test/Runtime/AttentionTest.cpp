// Attention as a call, on every instruction set that the machine has, against
// its definition in f64: types, odd shapes, shared heads, masks, windows,
// packed operands, queries that see nothing; and the same bits on any number of
// threads. Sums are f32, rounded once, so an element may be off by half a unit
// of its type and a few f32 units of the largest; where products are of bf16,
// weights and slopes are rounded to it before they are multiplied.
#include "../../lib/Runtime/Host/Calls/Attention/HostAttention.h"
#include "HandMade.h"
#include "mpc/Program/Calls.h"
#include "mpc/Runtime/Program.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace mpc;
using namespace mpc::test;
using program::OperandRole;
using runtime::attention::HeadKernels;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Least: floats, all of them the least finite one for the second query.
enum class Mask { None, Bool, Float, Least };

struct Spec {
  ElementType type = ElementType::F32;
  int64_t batch = 1, queries = 1, keys = 1, heads = 1, keyHeads = 1, width = 1,
          valueWidth = 1;
  bool causal = false;
  int64_t window = 0;
  double softcap = 0;
  Mask mask = Mask::None;
  bool isPacked = false; ///< query, key and value are parts of one tensor

  double scale() const { return 1 / std::sqrt(double(width)); }
};

/// Where element [b, t, h, 0] lies.
struct Lies {
  int64_t begin = 0, batch = 0, time = 0, head = 0;
  int64_t at(int64_t b, int64_t t, int64_t h) const {
    return begin + b * batch + t * time + h * head;
  }
};

Lies dense(int64_t times, int64_t heads, int64_t width) {
  return {0, times * heads * width, heads * width, width};
}

int64_t bytesOf(ElementType type) {
  return getInfo(static_cast<DType>(type)).bytes;
}

/// Elements of a type, and the doubles that they are.
struct Values {
  Values() = default;
  Values(ElementType type, int64_t count)
      : type(type), bytes(count * bytesOf(type)), exact(count) {}
  void set(int64_t i, double value) {
    auto put = [&](auto bits) {
      std::memcpy(bytes.data() + i * sizeof bits, &bits, sizeof bits);
    };
    float single = static_cast<float>(value);
    if (type == ElementType::I1)
      put(static_cast<uint8_t>(value != 0));
    else if (type == ElementType::F32)
      put(single);
    else
      put(type == ElementType::F16 ? floatToHalf(single)
                                   : floatToBFloat(single));
    exact[i] = get(i);
  }
  double get(int64_t i) const {
    float single;
    uint16_t half;
    if (type == ElementType::I1)
      return bytes[i];
    if (type == ElementType::F32)
      return std::memcpy(&single, bytes.data() + 4 * i, 4), single;
    std::memcpy(&half, bytes.data() + 2 * i, 2);
    return type == ElementType::F16 ? halfToFloat(half) : bfloatToFloat(half);
  }
  ElementType type = ElementType::F32;
  std::vector<uint8_t> bytes;
  std::vector<double> exact;
};

/// A problem, its operands, and what they ought to give.
class Problem {
public:
  Problem(const Spec &spec, uint32_t seed);
  void checkForward(const HeadKernels &kernels);
  void checkBackward(const HeadKernels &kernels);

private:
  double score(int64_t b, int64_t h, int64_t i, int64_t j, double &slope) const;
  void maskFirstQuery();
  void attend();
  void differentiate();
  std::unique_ptr<CallT> makeCall(bool backward) const;
  std::vector<Values> run(const HeadKernels &kernels, bool backward,
                          uint32_t threads);
  void fill(Values &values);
  int64_t keyHead(int64_t h) const { return h / (spec.heads / spec.keyHeads); }
  /// Calls `visit` with each batch, head and query.
  template <typename Visit> void forEachQuery(Visit visit) const {
    for (int64_t b = 0; b < spec.batch; ++b)
      for (int64_t h = 0; h < spec.heads; ++h)
        for (int64_t i = 0; i < spec.queries; ++i)
          visit(b, h, i, (b * spec.heads + h) * spec.queries + i);
  }

  Spec spec;
  std::mt19937 random;
  Values packed, query, key, value, mask, result, logSum, cotangent;
  Lies q, k, v, y, dk, dv;
  std::vector<double> trueResult, trueLogSum, trueDq, trueDk, trueDv;
  /// The largest sum that is subtracted from another for trueDq and trueDk: all
  /// of both where there is one key.
  double cancelled = 0;
  /// The largest sum of the magnitudes that an element is the sum of.
  double resultTerms = 0, dqTerms = 0, dkTerms = 0, dvTerms = 0;
};
} // namespace

void Problem::fill(Values &values) {
  std::normal_distribution<double> normal(0, 1);
  for (size_t i = 0; i < values.exact.size(); ++i)
    values.set(static_cast<int64_t>(i), normal(random));
}

/// A mask for all heads of a sample, by which the first query sees nothing.
void Problem::maskFirstQuery() {
  bool isBool = spec.mask == Mask::Bool;
  mask = Values(isBool ? ElementType::I1 : spec.type,
                spec.batch * spec.queries * spec.keys);
  fill(mask);
  for (size_t i = 0; isBool && i < mask.exact.size(); ++i)
    mask.set(static_cast<int64_t>(i), random() % 2);
  for (int64_t j = 0; j < spec.keys; ++j)
    mask.set(j, isBool ? 0 : -kInfinity);
  for (int64_t j = 0; spec.mask == Mask::Least && j < spec.keys; ++j)
    mask.set(spec.keys + j, -getInfo(static_cast<DType>(spec.type)).maxFinite);
}

Problem::Problem(const Spec &spec, uint32_t seed) : spec(spec), random(seed) {
  int64_t rows = spec.batch * spec.queries * spec.heads;
  int64_t keyRows = spec.batch * spec.keys * spec.keyHeads;
  query = Values(spec.type, rows * spec.width);
  key = Values(spec.type, keyRows * spec.width);
  value = Values(spec.type, keyRows * spec.valueWidth);
  q = dense(spec.queries, spec.heads, spec.width);
  k = dk = dense(spec.keys, spec.keyHeads, spec.width);
  v = dv = dense(spec.keys, spec.keyHeads, spec.valueWidth);
  y = dense(spec.queries, spec.heads, spec.valueWidth);
  if (spec.isPacked) {
    int64_t row = (spec.heads + 2 * spec.keyHeads) * spec.width;
    packed = Values(spec.type, spec.batch * spec.queries * row);
    q = k = v = {0, spec.queries * row, row, spec.width};
    k.begin = spec.heads * spec.width;
    v.begin = (spec.heads + spec.keyHeads) * spec.width;
    fill(packed);
    query = key = value = packed;
  } else {
    for (Values *values : {&query, &key, &value})
      fill(*values);
  }
  if (spec.mask != Mask::None)
    maskFirstQuery();
  result = Values(spec.type, rows * spec.valueWidth);
  logSum = Values(ElementType::F32, rows);
  cotangent = Values(spec.type, rows * spec.valueWidth);
  fill(cotangent);
  attend();
  differentiate();
}

/// After the mask; `slope` is that of the bound.
double Problem::score(int64_t b, int64_t h, int64_t i, int64_t j,
                      double &slope) const {
  double s = 0;
  for (int64_t c = 0; c < spec.width; ++c)
    s += query.exact[q.at(b, i, h) + c] * key.exact[k.at(b, j, keyHead(h)) + c];
  s *= spec.scale();
  slope = 1;
  if (spec.softcap) {
    double ratio = std::tanh(s / spec.softcap);
    s = spec.softcap * ratio;
    slope = 1 - ratio * ratio;
  }
  bool isAway = spec.window && std::abs(i - j) >= spec.window;
  if (isAway || (spec.causal && j > i))
    return -kInfinity;
  if (spec.mask == Mask::None)
    return s;
  double own = mask.exact[(b * spec.queries + i) * spec.keys + j];
  if (spec.mask != Mask::Bool)
    return s + own;
  return own != 0 ? s : -kInfinity;
}

void Problem::attend() {
  trueResult.assign(result.exact.size(), 0);
  std::vector<double> terms = trueResult;
  trueLogSum.assign(logSum.exact.size(), -kInfinity);
  forEachQuery([&](int64_t b, int64_t h, int64_t i, int64_t row) {
    std::vector<double> s(spec.keys);
    double most = -kInfinity, sum = 0, slope;
    for (int64_t j = 0; j < spec.keys; ++j)
      most = std::max(most, s[j] = score(b, h, i, j, slope));
    logSum.set(row, -kInfinity);
    if (most == -kInfinity)
      return;
    for (double &x : s)
      sum += x = std::exp(x - most);
    for (int64_t j = 0; j < spec.keys; ++j)
      for (int64_t c = 0; c < spec.valueWidth; ++c) {
        double term = s[j] / sum * value.exact[v.at(b, j, keyHead(h)) + c];
        trueResult[y.at(b, i, h) + c] += term;
        terms[y.at(b, i, h) + c] += std::abs(term);
      }
    trueLogSum[row] = most + std::log(sum);
    logSum.set(row, trueLogSum[row]);
  });
  for (size_t i = 0; i < trueResult.size(); ++i)
    result.set(static_cast<int64_t>(i), trueResult[i]);
  resultTerms = std::ranges::max(terms);
}

/// From the result and the log-sum-exp as the call gets them.
void Problem::differentiate() {
  trueDq.assign(spec.batch * spec.queries * spec.heads * spec.width, 0);
  trueDk.assign(spec.batch * spec.keys * spec.keyHeads * spec.width, 0);
  trueDv.assign(spec.batch * spec.keys * spec.keyHeads * spec.valueWidth, 0);
  std::vector<double> dqs = trueDq, dks = trueDk, dvs = trueDv;
  Lies dq = dense(spec.queries, spec.heads, spec.width);
  forEachQuery([&](int64_t b, int64_t h, int64_t i, int64_t row) {
    double lse = logSum.exact[row], delta = 0, magnitude = 0;
    if (lse == -kInfinity)
      return;
    for (int64_t c = 0; c < spec.valueWidth; ++c) {
      double term =
          cotangent.exact[y.at(b, i, h) + c] * result.exact[y.at(b, i, h) + c];
      delta += term;
      magnitude += std::abs(term);
    }
    cancelled = std::max(cancelled, magnitude * spec.scale());
    for (int64_t j = 0; j < spec.keys; ++j) {
      double slope, dot = 0;
      double weight = std::exp(score(b, h, i, j, slope) - lse);
      for (int64_t c = 0; c < spec.valueWidth; ++c) {
        double dy = cotangent.exact[y.at(b, i, h) + c];
        dot += dy * value.exact[v.at(b, j, keyHead(h)) + c];
        trueDv[dv.at(b, j, keyHead(h)) + c] += weight * dy;
        dvs[dv.at(b, j, keyHead(h)) + c] += std::abs(weight * dy);
      }
      double ds = weight * (dot - delta) * slope * spec.scale();
      int64_t queryRow = q.at(b, i, h), keyRow = k.at(b, j, keyHead(h));
      for (int64_t c = 0; c < spec.width; ++c) {
        double toQuery = ds * key.exact[keyRow + c];
        double toKey = ds * query.exact[queryRow + c];
        trueDq[dq.at(b, i, h) + c] += toQuery;
        trueDk[dk.at(b, j, keyHead(h)) + c] += toKey;
        dqs[dq.at(b, i, h) + c] += std::abs(toQuery);
        dks[dk.at(b, j, keyHead(h)) + c] += std::abs(toKey);
      }
    }
  });
  dqTerms = std::ranges::max(dqs);
  dkTerms = std::ranges::max(dks);
  dvTerms = std::ranges::max(dvs);
}

static void addOperand(CallT &call, OperandRole role, ElementType type,
                       Dims shape, bool written, Dims strides = {}) {
  auto operand = std::make_unique<CallOperandT>();
  operand->role = role;
  operand->type = type;
  operand->shape = shape;
  operand->strides =
      strides.empty() ? program::getDenseStrides(shape) : strides;
  operand->written = written;
  call.operands.push_back(std::move(operand));
}

std::unique_ptr<CallT> Problem::makeCall(bool backward) const {
  auto call = std::make_unique<CallT>();
  program::AttentionT options;
  options.backward = backward;
  options.causal = spec.causal;
  options.window = spec.window;
  options.scale = spec.scale();
  options.softcap = spec.softcap;
  call->options.Set(options);
  auto strides = [](const Lies &lies) {
    return Dims{lies.batch, lies.time, lies.head, 1};
  };
  Dims qs = {spec.batch, spec.queries, spec.heads, spec.width},
       ks = {spec.batch, spec.keys, spec.keyHeads, spec.width},
       vs = {spec.batch, spec.keys, spec.keyHeads, spec.valueWidth},
       ys = {spec.batch, spec.queries, spec.heads, spec.valueWidth};
  addOperand(*call, OperandRole::Query, spec.type, qs, false, strides(q));
  addOperand(*call, OperandRole::Key, spec.type, ks, false, strides(k));
  addOperand(*call, OperandRole::Value, spec.type, vs, false, strides(v));
  if (spec.mask != Mask::None)
    addOperand(*call, OperandRole::Mask, mask.type,
               {spec.batch, spec.heads, spec.queries, spec.keys}, false,
               {spec.queries * spec.keys, 0, spec.keys, 1});
  addOperand(*call, OperandRole::Result, spec.type, ys, !backward);
  addOperand(*call, OperandRole::LogSumExp, ElementType::F32,
             {spec.batch, spec.heads, spec.queries}, !backward);
  if (backward) {
    addOperand(*call, OperandRole::Cotangent, spec.type, ys, false);
    addOperand(*call, OperandRole::QueryGradient, spec.type, qs, true);
    addOperand(*call, OperandRole::KeyGradient, spec.type, ks, true);
    addOperand(*call, OperandRole::ValueGradient, spec.type, vs, true);
  }
  return call;
}

/// What the call writes, in scratch memory that holds NaN before.
std::vector<Values> Problem::run(const HeadKernels &kernels, bool backward,
                                 uint32_t threads) {
  flatbuffers::FlatBufferBuilder builder;
  auto object = makeCall(backward);
  builder.Finish(program::Call::Pack(builder, object.get()));
  const auto &call =
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer());
  Status status = program::verifyCall(call, /*isForGpu=*/false);
  EXPECT_TRUE(status.ok()) << status.message();
  auto made = runtime::makeAttention(call, kernels);
  EXPECT_TRUE(made) << made.status().message();
  auto pool = runtime::ThreadPool::create(threads, runtime::useOneThread);
  uint64_t perWorker = (*made)->workspace().perWorker;
  std::unique_ptr<uint8_t, decltype(&std::free)> memory(
      static_cast<uint8_t *>(std::aligned_alloc(64, perWorker * threads)),
      std::free);
  std::memset(memory.get(), 0xff, perWorker * threads);
  EXPECT_TRUE((*made)->bind({nullptr, memory.get(), perWorker}).ok());

  std::vector<const void *> args = {
      query.bytes.data() + q.begin * bytesOf(spec.type),
      key.bytes.data() + k.begin * bytesOf(spec.type),
      value.bytes.data() + v.begin * bytesOf(spec.type)};
  if (spec.mask != Mask::None)
    args.push_back(mask.bytes.data());
  std::vector<Values> written;
  written.reserve(3);
  auto write = [&](ElementType type, size_t count) {
    written.emplace_back(type, static_cast<int64_t>(count));
    args.push_back(written.back().bytes.data());
  };
  if (backward) {
    args.insert(args.end(), {result.bytes.data(), logSum.bytes.data(),
                             cotangent.bytes.data()});
    for (const auto *truth : {&trueDq, &trueDk, &trueDv})
      write(spec.type, truth->size());
  } else {
    write(spec.type, trueResult.size());
    write(ElementType::F32, trueLogSum.size());
  }
  for (int twice = 0; twice < 2; ++twice)
    EXPECT_TRUE(
        (*made)->run(**pool, const_cast<void *const *>(args.data())).ok());
  return written;
}

/// `rounded`: terms of sums as large as this were rounded to bf16. `cancelled`:
/// sums as large as this had their difference taken.
static void expectClose(const Values &actual, const std::vector<double> &truth,
                        const char *what, double rounded,
                        double cancelled = 0) {
  const DTypeInfo &info = getInfo(static_cast<DType>(actual.type));
  double largest = 0;
  for (double x : truth)
    largest = std::max(largest, std::isinf(x) ? 0 : std::abs(x));
  double unit = std::ldexp(1, -int(info.mantissaBits));
  for (size_t i = 0; i < truth.size(); ++i) {
    double x = actual.get(static_cast<int64_t>(i));
    if (x == truth[i])
      continue;
    double bound = 0.51 * unit * std::abs(truth[i]) +
                   2e-6 * std::max(largest, cancelled) +
                   std::ldexp(rounded, -9) + info.minSubnormal;
    ASSERT_LE(std::abs(x - truth[i]), bound)
        << what << " " << i << " is " << x << ", not " << truth[i];
  }
}

void Problem::checkForward(const HeadKernels &kernels) {
  std::vector<Values> one = run(kernels, false, 1);
  double rounds = &kernels == &runtime::attention::kHeadsV4Bf16;
  expectClose(one[0], trueResult, "result", rounds * resultTerms);
  expectClose(one[1], trueLogSum, "log-sum-exp", 0);
  for (uint32_t threads : {2, 3})
    for (size_t i = 0; const Values &values : run(kernels, false, threads))
      EXPECT_EQ(values.bytes, one[i++].bytes);
}

void Problem::checkBackward(const HeadKernels &kernels) {
  std::vector<Values> one = run(kernels, true, 1);
  double rounds = &kernels == &runtime::attention::kHeadsV4Bf16;
  expectClose(one[0], trueDq, "gradient of query", rounds * dqTerms, cancelled);
  expectClose(one[1], trueDk, "gradient of key", rounds * dkTerms, cancelled);
  expectClose(one[2], trueDv, "gradient of value", rounds * dvTerms);
  for (uint32_t threads : {2, 3})
    for (size_t i = 0; const Values &values : run(kernels, true, threads))
      EXPECT_EQ(values.bytes, one[i++].bytes);
}

static void check(const Spec &spec, uint32_t seed) {
  Problem problem(spec, seed);
  bool hasV4 = runtime::canRun("x86-64-v4");
  bool hasPairs = hasV4 && __builtin_cpu_supports("avx512bf16");
  using namespace runtime::attention;
  std::vector<std::pair<const char *, const HeadKernels *>> all;
  if (runtime::canRun("x86-64-v3"))
    all.emplace_back("x86-64-v3", &kHeadsV3);
  if (hasV4)
    all.emplace_back("x86-64-v4", &kHeadsV4);
  if (hasPairs && spec.type == ElementType::BF16)
    all.emplace_back("avx512bf16", &kHeadsV4Bf16);
  for (auto [name, kernels] : all) {
    SCOPED_TRACE(name);
    problem.checkForward(*kernels);
    problem.checkBackward(*kernels);
  }
}

static constexpr ElementType kTypes[] = {ElementType::F32, ElementType::F16,
                                         ElementType::BF16};

TEST(Attention, OddShapes) {
  for (ElementType type : kTypes)
    for (int64_t queries : {1, 7, 32, 33, 70})
      for (int64_t keys : {1, 9, 65, 130}) {
        SCOPED_TRACE(std::to_string(queries) + " x " + std::to_string(keys));
        check({.type = type,
               .batch = 2,
               .queries = queries,
               .keys = keys,
               .heads = 2,
               .keyHeads = 2,
               .width = 5,
               .valueWidth = 19},
              1);
      }
}

TEST(Attention, LongRowsInSeveralTasks) {
  for (ElementType type : kTypes)
    for (int64_t window : {0, 151}) {
      Spec spec{.type = type, .queries = 600, .keys = 600, .heads = 2};
      spec.width = spec.valueWidth = 64;
      spec.causal = spec.isPacked = true;
      spec.window = window;
      spec.mask = window ? Mask::Bool : Mask::None;
      check(spec, 2);
    }
}

TEST(Attention, RandomProblems) {
  std::mt19937 random(3);
  auto pick = [&](int64_t below) { return int64_t(random() % below); };
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Spec spec;
    spec.type = kTypes[pick(3)];
    spec.batch = 1 + pick(2);
    spec.keyHeads = 1 + pick(2);
    spec.heads = spec.keyHeads * (1 + pick(3));
    spec.queries = 1 + pick(80);
    spec.keys = pick(2) ? spec.queries : 1 + pick(150);
    spec.width = 1 + pick(40);
    spec.valueWidth = pick(2) ? spec.width : 1 + pick(40);
    spec.causal = pick(2);
    spec.window = pick(3) ? 0 : 1 + pick(60);
    constexpr double kCaps[] = {1.5, 50, 1000};
    spec.softcap = pick(3) ? 0 : kCaps[pick(3)];
    spec.mask = Mask(pick(4));
    // Beside the least number of f16, f32 has no digits left for scores.
    if (spec.mask == Mask::Least &&
        (spec.queries == 1 || spec.type == ElementType::F16))
      spec.mask = Mask::Float;
    spec.isPacked =
        spec.queries == spec.keys && spec.width == spec.valueWidth && pick(2);
    SCOPED_TRACE("problem " + std::to_string(seed));
    check(spec, seed);
    if (testing::Test::HasFailure())
      break;
  }
}

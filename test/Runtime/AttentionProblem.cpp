#include "AttentionProblem.h"
#include "../Reference/Philox.h"
#include "mpc/Program/Calls.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace mpc;
using namespace mpc::test;
using program::OperandRole;
using runtime::attention::HeadKernels;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

void Problem::fill(Values &values) {
  std::normal_distribution<double> normal(0, spec.size);
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

/// What dropout multiplies a weight by, as Program.fbs says.
double Problem::factor(int64_t b, int64_t h, int64_t i, int64_t j) const {
  if (!spec.dropout)
    return 1;
  int64_t row = (b * spec.heads + h) * spec.queries + i;
  auto group = static_cast<uint32_t>(row * ((spec.keys + 7) / 8) + j / 8);
  auto words = reference::philox4x32({group, kStep, 0, 2}, {kSeed, kStream});
  uint32_t word = words[j / 2 % 4];
  uint32_t half = (j % 2 ? word >> 16 : word & 0xffff) ^ 0x8000;
  double leftOut = std::round(spec.dropout * 65536);
  return half < leftOut ? 0 : 65536 / (65536 - leftOut);
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
        double term = factor(b, h, i, j) * s[j] / sum *
                      value.exact[v.at(b, j, keyHead(h)) + c];
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
        double drawn = factor(b, h, i, j);
        dot += drawn * dy * value.exact[v.at(b, j, keyHead(h)) + c];
        trueDv[dv.at(b, j, keyHead(h)) + c] += drawn * weight * dy;
        dvs[dv.at(b, j, keyHead(h)) + c] += std::abs(drawn * weight * dy);
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

std::vector<Problem::Written> Problem::listWritten(bool backward) const {
  if (!backward)
    return {{OperandRole::Result, spec.queries, spec.heads, spec.valueWidth}};
  return {
      {OperandRole::QueryGradient, spec.queries, spec.heads, spec.width},
      {OperandRole::KeyGradient, spec.keys, spec.keyHeads, spec.width},
      {OperandRole::ValueGradient, spec.keys, spec.keyHeads, spec.valueWidth}};
}

std::unique_ptr<CallT>
Problem::makeCall(bool backward, Lies (*lie)(int64_t, int64_t, int64_t)) const {
  auto call = std::make_unique<CallT>();
  program::AttentionT options;
  options.backward = backward;
  options.causal = spec.causal;
  options.window = spec.window;
  options.scale = spec.scale();
  options.softcap = spec.softcap;
  options.dropout = spec.dropout;
  options.stream = kStream;
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
  if (spec.dropout)
    for (OperandRole role : {OperandRole::RandomStep, OperandRole::RandomSeed})
      addOperand(*call, role, ElementType::I32, {}, false);
  Dims sums = {spec.batch, spec.heads, spec.queries};
  if (backward) {
    addOperand(*call, OperandRole::Result, spec.type, ys, false);
    addOperand(*call, OperandRole::LogSumExp, ElementType::F32, sums, false);
    addOperand(*call, OperandRole::Cotangent, spec.type, ys, false);
  }
  for (const Written &rows : listWritten(backward))
    addOperand(*call, rows.role, spec.type,
               {spec.batch, rows.times, rows.heads, rows.width}, true,
               strides(lie(rows.times, rows.heads, rows.width)));
  if (!backward)
    addOperand(*call, OperandRole::LogSumExp, ElementType::F32, sums, true);
  return call;
}

static constexpr uint8_t kUntouched = 0x5a;

/// The rows, dense. What lies between them has not been touched.
Values Problem::gather(const Values &from, const Written &rows,
                       const Lies &lies) const {
  Values made(spec.type, spec.batch * rows.times * rows.heads * rows.width);
  int64_t width = bytesOf(spec.type), row = rows.width * width;
  std::vector<uint8_t> between(from.bytes);
  auto to = made.bytes.begin();
  for (int64_t b = 0; b < spec.batch; ++b)
    for (int64_t t = 0; t < rows.times; ++t)
      for (int64_t h = 0; h < rows.heads; ++h) {
        auto at = between.begin() + lies.at(b, t, h) * width;
        to = std::copy(at, at + row, to);
        std::fill(at, at + row, kUntouched);
      }
  EXPECT_EQ(std::ranges::count(between, kUntouched),
            static_cast<std::ptrdiff_t>(between.size()));
  return made;
}

/// What the call writes, in scratch memory that holds NaN before.
std::vector<Values> Problem::run(const HeadKernels &kernels, bool backward,
                                 uint32_t threads, std::optional<size_t> only,
                                 Lies (*lie)(int64_t, int64_t, int64_t)) {
  flatbuffers::FlatBufferBuilder builder;
  auto object = makeCall(backward, lie);
  size_t results = backward ? 3 : 2;
  auto first = object->operands.end() - static_cast<std::ptrdiff_t>(results);
  for (size_t i = results; only && i-- > 0;)
    if (i != *only)
      object->operands.erase(first + static_cast<std::ptrdiff_t>(i));
  builder.Finish(program::Call::Pack(builder, object.get()));
  const auto &call =
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer());
  Status status = program::verifyCall(call, /*isForGpu=*/false);
  EXPECT_TRUE(status.ok()) << status.message();
  auto made = runtime::makeAttention(call, kernels);
  EXPECT_TRUE(made) << made.status().message();
  auto pool = runtime::ThreadPool::create(threads, runtime::useOneThread);
  runtime::HostWorkspace needs = (*made)->workspace();
  uint64_t bytes =
      needs.perWorker * runtime::countBuffers(needs.pieces, threads);
  std::unique_ptr<uint8_t, decltype(&std::free)> memory(
      static_cast<uint8_t *>(std::aligned_alloc(64, bytes)), std::free);
  std::memset(memory.get(), 0xff, bytes);
  EXPECT_TRUE((*made)->bind({nullptr, memory.get(), needs.perWorker}).ok());

  std::vector<const void *> args = {
      query.bytes.data() + q.begin * bytesOf(spec.type),
      key.bytes.data() + k.begin * bytesOf(spec.type),
      value.bytes.data() + v.begin * bytesOf(spec.type)};
  if (spec.mask != Mask::None)
    args.push_back(mask.bytes.data());
  const uint32_t step = kStep, seed = kSeed;
  if (spec.dropout)
    args.insert(args.end(), {&step, &seed});
  std::vector<Values> written;
  written.reserve(3);
  auto write = [&](ElementType type, int64_t count, int64_t begin) {
    Values &values = written.emplace_back(type, count);
    std::ranges::fill(values.bytes, kUntouched);
    if (!only || *only == written.size() - 1)
      args.push_back(values.bytes.data() + begin * bytesOf(type));
  };
  if (backward)
    args.insert(args.end(), {result.bytes.data(), logSum.bytes.data(),
                             cotangent.bytes.data()});
  std::vector<Written> all = listWritten(backward);
  for (const Written &rows : all) {
    Lies lies = lie(rows.times, rows.heads, rows.width);
    write(spec.type, lies.at(spec.batch, 0, 0), lies.begin);
  }
  if (!backward)
    write(ElementType::F32, static_cast<int64_t>(trueLogSum.size()), 0);
  for (int twice = 0; twice < 2; ++twice)
    EXPECT_TRUE(
        (*made)->run(**pool, const_cast<void *const *>(args.data())).ok());
  for (size_t i = 0; i < all.size(); ++i)
    written[i] = gather(written[i], all[i],
                        lie(all[i].times, all[i].heads, all[i].width));
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
                   std::ldexp(rounded, -8) + info.minSubnormal;
    ASSERT_LE(std::abs(x - truth[i]), bound)
        << what << " " << i << " is " << x << ", not " << truth[i];
  }
}

/// Whether weights and slopes become bf16.
static bool roundsWeights(const HeadKernels &kernels) {
  using namespace runtime::attention;
  return &kernels == &kHeadsV4Bf16 || &kernels == &kHeadsV4Amx;
}

/// On other numbers of threads, and where rows that are written lie apart.
void Problem::expectSameBits(const HeadKernels &kernels, bool backward,
                             const std::vector<Values> &expected) {
  for (uint32_t threads : {2, 3}) {
    auto lie = threads == 3 ? apart : dense;
    for (size_t i = 0;
         const Values &values : run(kernels, backward, threads, {}, lie))
      EXPECT_EQ(values.bytes, expected[i++].bytes);
  }
}

void Problem::checkForward(const HeadKernels &kernels) {
  std::vector<Values> one = run(kernels, false, 1);
  double rounds = roundsWeights(kernels);
  expectClose(one[0], trueResult, "result", rounds * resultTerms);
  // Their weights are a little less precise: 2^-18.
  expectClose(one[1], trueLogSum, "log-sum-exp", rounds * 0x1p-10);
  expectSameBits(kernels, false, one);
}

void Problem::checkBackward(const HeadKernels &kernels) {
  std::vector<Values> one = run(kernels, true, 1);
  double rounds = roundsWeights(kernels);
  expectClose(one[0], trueDq, "gradient of query", rounds * dqTerms, cancelled);
  expectClose(one[1], trueDk, "gradient of key", rounds * dkTerms, cancelled);
  expectClose(one[2], trueDv, "gradient of value", rounds * dvTerms);
  expectSameBits(kernels, true, one);
}

void Problem::checkParts(const HeadKernels &kernels) {
  std::vector<Values> all = run(kernels, false, 1);
  EXPECT_EQ(run(kernels, false, 1, 0)[0].bytes, all[0].bytes);
  all = run(kernels, true, 1);
  for (size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(run(kernels, true, 1, i)[i].bytes, all[i].bytes) << i;
}

#include "MatmulProblem.h"
#include "MatrixOffset.h"
#include "mpc/Program/Calls/Matmul.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mpc;
using namespace mpc::test;

template <typename T> static T applyEpilogue(Epilogue epilogue, T x) {
  switch (epilogue) {
  case Epilogue::None:
    return x;
  case Epilogue::Relu:
    return x <= 0 ? T(0) : x; // NaN stays
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

std::vector<double> test::computeExactly(const MatmulSpec &spec,
                                         const Values &lhs, const Values &rhs,
                                         const Values &bias) {
  return plainLoop<double>(spec, lhs, rhs, bias);
}

static const runtime::packed::Kernels *kernelsInUse = nullptr;

UseKernels::UseKernels(const runtime::packed::Kernels &kernels) {
  kernelsInUse = &kernels;
}
UseKernels::~UseKernels() { kernelsInUse = nullptr; }

static Result<std::unique_ptr<runtime::HostCall>>
makeCall(const program::Call &call, uint32_t threads) {
  if (kernelsInUse && call.options_as_Matmul() &&
      program::MatmulCall(call).lhs->type() != F64)
    return runtime::makePackedMatmul(call, threads, *kernelsInUse);
  return runtime::makeHostCall(call, threads);
}

/// Twice; every number of what nobody has written is a NaN, in memory and in
/// the result.
static Status runTwice(runtime::HostCall &call, runtime::ThreadPool &pool,
                       void *const *args, uint64_t kept) {
  std::unique_ptr<uint8_t, decltype(&std::free)> memory(
      static_cast<uint8_t *>(std::aligned_alloc(64, kept ? kept : 64)),
      std::free);
  Status status;
  if (kept) {
    std::memset(memory.get(), 0xff, kept);
    status = call.keep(pool, args[*call.keptOperand()], memory.get());
  }
  for (int twice = 0; twice < 2 && status.ok(); ++twice)
    status =
        kept ? call.runKept(pool, args, memory.get()) : call.run(pool, args);
  return status;
}

static std::vector<uint8_t> runCall(const CallT &call,
                                    std::vector<const void *> args,
                                    Values result, uint32_t threads,
                                    bool keeps) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(program::Call::Pack(builder, &call));
  const auto &packed =
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer());
  EXPECT_TRUE(program::verifyCall(packed, false).ok())
      << program::verifyCall(packed, false).message();
  auto made = makeCall(packed, threads);
  EXPECT_TRUE(made) << made.status().message();
  auto pool = runtime::ThreadPool::create(threads, runtime::useOneThread);
  uint64_t kept = keeps && (*made)->keptOperand() ? (*made)->prepareKept() : 0;
  runtime::HostWorkspace needs = (*made)->workspace();
  uint64_t bytes = needs.shared + needs.perWorker * runtime::countBuffers(
                                                        needs.pieces, threads);
  // What lies behind is nobody's.
  constexpr uint64_t behind = 1 << 20;
  std::vector<uint8_t> untouched(behind, 0xff);
  std::unique_ptr<uint8_t, decltype(&std::free)> memory(
      static_cast<uint8_t *>(
          std::aligned_alloc(64, (bytes + behind + 127) / 64 * 64)),
      std::free);
  std::memset(memory.get(), 0xff, bytes + behind);
  std::ranges::fill(result.bytes, 0xff);
  EXPECT_TRUE(
      (*made)
          ->bind({memory.get(), memory.get() + needs.shared, needs.perWorker})
          .ok());
  for (size_t i = 0; i < args.size(); ++i)
    if (i < call.operands.size() && call.operands[i]->written)
      args[i] = result.bytes.data();
  runtime::OneThread guard;
  Status status =
      runTwice(**made, **pool, const_cast<void *const *>(args.data()), kept);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(std::memcmp(memory.get() + bytes, untouched.data(), behind), 0)
      << "memory behind the workspace was written";
  return result.bytes;
}

std::vector<uint8_t> test::runCall(const CallT &call,
                                   std::vector<const void *> args,
                                   Values result, uint32_t threads) {
  return ::runCall(call, std::move(args), std::move(result), threads, false);
}

std::vector<uint8_t> test::runProduct(const MatmulSpec &spec, const Values &lhs,
                                      const Values &rhs, const Values &bias,
                                      uint32_t threads, bool keeps) {
  return ::runCall(
      *spec.call(),
      {lhs.bytes.data(), rhs.bytes.data(), nullptr, bias.bytes.data()},
      Values(spec.result, countOf(spec.out)), threads, keeps);
}

double test::maxError(const std::vector<double> &values,
                      const std::vector<double> &truth) {
  double worst = 0;
  for (size_t i = 0; i < truth.size(); ++i)
    worst = std::max(worst, std::abs(values[i] - truth[i]));
  return worst;
}

void test::checkProduct(const MatmulSpec &spec) {
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

  double largest = 0;
  for (double value : truth)
    largest = std::max(largest, std::abs(value));
  unsigned mantissa = getInfo(static_cast<DType>(spec.result)).mantissaBits;
  double floor = largest * std::ldexp(1.0, -static_cast<int>(mantissa));
  for (bool keeps : {false, true}) {
    ours.bytes = runProduct(spec, lhs, rhs, bias, 1, keeps);
    ours.decode();
    EXPECT_LE(maxError(ours.exact, truth),
              2 * maxError(plain.exact, truth) + floor)
        << "largest value " << largest << ", kept " << keeps;
    for (uint32_t threads : {2, 3, 7})
      EXPECT_EQ(ours.bytes, runProduct(spec, lhs, rhs, bias, threads, keeps))
          << "other bits on " << threads << " threads, kept " << keeps;
  }
}

std::string test::describe(const MatmulSpec &spec) {
  return formatTensor(spec.operand, spec.lhs) + " x " +
         formatTensor(spec.operand, spec.rhs) + " -> " +
         formatTensor(spec.result, spec.out) + " transposed " +
         std::to_string(spec.transposeLhs) + std::to_string(spec.transposeRhs) +
         " bias " + std::to_string(spec.bias) + " epilogue " +
         std::to_string(static_cast<int>(spec.epilogue));
}

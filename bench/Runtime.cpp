// The runtime against what it stands on: matrix products against oneDNN called
// directly (multi-threaded, cached, alternating in the same run), and the cost
// of a record beyond its work.
#include "../test/Runtime/HandMade.h"
#include "../test/Runtime/Kernels.h"
#include "mpc/Runtime/HostCall.h"
#include "mpc/Runtime/Session.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <dnnl.hpp>
#include <thread>

using namespace mpc;
using namespace mpc::test;

using Clock = std::chrono::steady_clock;

static double seconds(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

static double quantile(std::vector<double> values, double part) {
  auto at = values.begin() +
            static_cast<ptrdiff_t>(part * static_cast<double>(values.size()));
  std::ranges::nth_element(values, at);
  return *at;
}
static double median(const std::vector<double> &values) {
  return quantile(values, 0.5);
}

namespace {
/// oneDNN as an application would call it: all threads, one cached primitive.
struct DirectProduct {
  DirectProduct(int64_t m, int64_t k, int64_t n, dnnl::memory::data_type type,
                void *lhs, void *rhs, void *result)
      : engine(dnnl::engine::kind::cpu, 0), stream(engine) {
    using Tag = dnnl::memory::format_tag;
    dnnl::memory::desc a({m, k}, type, Tag::ab), b({k, n}, type, Tag::ab),
        c({m, n}, type, Tag::ab);
    product = dnnl::matmul({{a, b, c}, engine});
    arguments = {{DNNL_ARG_SRC, {a, engine, lhs}},
                 {DNNL_ARG_WEIGHTS, {b, engine, rhs}},
                 {DNNL_ARG_DST, {c, engine, result}}};
  }
  void run() { product.execute(stream, arguments); }

  dnnl::engine engine;
  dnnl::stream stream;
  dnnl::matmul product;
  std::unordered_map<int, dnnl::memory> arguments;
};

/// The same product through the runtime.
struct OurProduct {
  OurProduct(int64_t m, int64_t k, int64_t n, ElementType type,
             uint32_t threads)
      : pool(std::move(
            *runtime::ThreadPool::create(threads, runtime::useOneThread))) {
    MatmulSpec spec = {type, type, {m, k}, {k, n}, {m, n}};
    builder.Finish(program::Call::Pack(builder, spec.call().get()));
    matmul = std::move(*runtime::makeHostCall(
        *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer()),
        threads));
    runtime::HostWorkspace bytes = matmul->workspace();
    memory.resize(bytes.shared + bytes.perWorker * threads + 64);
    auto *start =
        memory.data() + 64 - reinterpret_cast<uintptr_t>(memory.data()) % 64;
    ok = matmul->bind({start, start + bytes.shared, bytes.perWorker}).ok();
  }

  flatbuffers::FlatBufferBuilder builder;
  std::unique_ptr<runtime::ThreadPool> pool;
  std::unique_ptr<runtime::HostCall> matmul;
  std::vector<uint8_t> memory;
  bool ok = false;
};
} // namespace

static void matmulAgainstDirect(benchmark::State &state, ElementType type) {
  int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  auto threads = static_cast<uint32_t>(state.range(3));
  size_t width = getInfo(static_cast<DType>(type)).bytes;
  // Small values of either type: the bits 0x3c3c are about 0.01.
  std::vector<uint16_t> lhs(m * k * width / 2, 0x3c3c),
      rhs(k * n * width / 2, 0x3c3c);
  std::vector<uint16_t> direct(m * n * width / 2), ours(direct);
  OurProduct our(m, k, n, type, threads);
  if (!our.ok)
    return state.SkipWithError("could not make the product");
  DirectProduct other(m, k, n,
                      type == ElementType::F32 ? dnnl::memory::data_type::f32
                                               : dnnl::memory::data_type::bf16,
                      lhs.data(), rhs.data(), direct.data());
  std::vector<double> directTimes, ourTimes;
  // Turns of 30 ms, of which the first third is for warmth, and a pause
  // between: the other side's workers spin for a while after their last
  // product.
  auto turn = [](std::vector<double> &times, const auto &product) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (auto begin = Clock::now(); seconds(begin) < 0.03;) {
      auto start = Clock::now();
      product();
      if (seconds(begin) > 0.01)
        times.push_back(seconds(start));
    }
  };
  Status status;
  for (auto _ : state) {
    turn(directTimes, [&] { other.run(); });
    runtime::OneThread guard;
    void *args[] = {lhs.data(), rhs.data(), ours.data()};
    turn(ourTimes, [&] { status = our.matmul->run(*our.pool, args); });
    state.SetIterationTime(ourTimes.back());
  }
  if (!status.ok())
    return state.SkipWithError(status.message().c_str());
  double flops = 2.0 * m * k * n * 1e-9;
  state.counters["ours_GFLOPS"] = flops / median(ourTimes);
  state.counters["direct_GFLOPS"] = flops / median(directTimes);
  state.counters["ratio"] = median(directTimes) / median(ourTimes);
  // Of the quickest tenth: what remains where neighbours disturb the machine.
  state.counters["quiet_ratio"] =
      quantile(directTimes, 0.1) / quantile(ourTimes, 0.1);
}
BENCHMARK_CAPTURE(matmulAgainstDirect, f32, ElementType::F32)
    ->Args({1024, 1024, 1024, 2})
    ->Args({64, 784, 512, 2})
    ->UseManualTime()
    ->Iterations(40);
BENCHMARK_CAPTURE(matmulAgainstDirect, bf16, ElementType::BF16)
    ->Args({1024, 1024, 1024, 2})
    ->Args({64, 784, 512, 2})
    ->UseManualTime()
    ->Iterations(40);

/// What a record costs when its work is free: launches of an empty kernel.
static void recordOverhead(benchmark::State &state) {
  constexpr int64_t records = 10000;
  HandMade made;
  Arg arena = made.arena(256);
  uint32_t empty = made.kernel("k_empty", {4, 4});
  made.code("x86-64-v3", readBytes(MPC_BENCH_KERNELS));
  EntryT &entry = made.entry("step");
  for (int64_t i = 0; i < records; ++i)
    HandMade::record(entry, RecordKind::Launch, empty, {arena, arena});
  auto program = runtime::Program::copy(*serialize(made.program),
                                        {.allowCode = true, .log = {}});
  auto session = runtime::Session::create(*program, {});
  if (!session || !(*session)->initialize(1).ok())
    return state.SkipWithError("could not make the session");
  for (auto _ : state)
    if (!(*session)->run(0, {}).ok())
      return state.SkipWithError("run failed");
  state.counters["per_record"] = benchmark::Counter(
      static_cast<double>(state.iterations() * records),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(recordOverhead);

/// First values of the parameters of GPT-2 124M, in tensors of 768 columns, on
/// all threads.
static void firstValues(benchmark::State &state) {
  constexpr int64_t parameters = 124 << 20, rows = 3072, columns = 768;
  HandMade made;
  for (int64_t i = 0; i < parameters / (rows * columns); ++i)
    made.state("w" + std::to_string(i), ElementType::F32, {rows, columns},
               Init(InitKind::Normal, 0, 0.02));
  made.entry("init");
  auto program = runtime::Program::copy(*serialize(made.program), {});
  if (!program)
    return state.SkipWithError(program.status().message().c_str());
  auto session = runtime::Session::create(*program, {});
  if (!session)
    return state.SkipWithError(session.status().message().c_str());
  for (auto _ : state)
    if (!(*session)->initialize(1).ok())
      return state.SkipWithError("initialize failed");
}
BENCHMARK(firstValues)->UseRealTime()->Unit(benchmark::kMillisecond);

static void parallelFor(benchmark::State &state) {
  auto pool = runtime::ThreadPool::create(static_cast<uint32_t>(state.range(0)),
                                          nullptr);
  auto nothing = [](void *, uint32_t, uint32_t) {};
  for (auto _ : state)
    (*pool)->run(8, nothing, nullptr);
}
BENCHMARK(parallelFor)->Arg(1)->Arg(2)->UseRealTime();

BENCHMARK_MAIN();

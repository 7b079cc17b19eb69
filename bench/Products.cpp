// The products of a transformer and of a classifier as the runtime cuts them
// into blocks, in f32 and bf16, beside those with half and twice as many blocks
// along either side, and with the cuts of the one side moved to the other: a
// rule is right where none of them is faster. The same products in f32, bf16
// and f16. And
// batches of small ones, beside oneDNN called for each matrix and for all. One
// thread computes all blocks; its processor's time counts, in turns, the best
// of each.
#include "../lib/Runtime/Host/Calls/Matmul/DnnlPrimitive.h"
#include "../lib/Runtime/Host/Calls/Matmul/MatmulShape.h"
#include "../test/Runtime/HandMade.h"
#include "mpc/Runtime/HostCall.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <ctime>
#include <dnnl.hpp>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::test;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Milliseconds of this thread.
static double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) +
         1e-6 * static_cast<double>(time.tv_nsec);
}

namespace {
/// Blocks of other sizes; the same if there are none.
struct Neighbour {
  const char *name;
  void (*move)(MatmulShape &shape);
};
} // namespace

static int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

static constexpr Neighbour kNeighbours[] = {
    {"rows_halved",
     [](MatmulShape &shape) {
       shape.blockRows =
           std::min(shape.blockRows, roundUp(ceilDiv(shape.blockRows, 2), 8));
     }},
    {"rows_doubled",
     [](MatmulShape &shape) {
       shape.blockRows = std::min(shape.rows, 2 * shape.blockRows);
     }},
    {"columns_halved",
     [](MatmulShape &shape) {
       shape.blockColumns = std::min(
           shape.blockColumns, roundUp(ceilDiv(shape.blockColumns, 2), 32));
     }},
    {"columns_doubled",
     [](MatmulShape &shape) {
       shape.blockColumns = std::min(shape.columns, 2 * shape.blockColumns);
     }},
    {"sides_exchanged", [](MatmulShape &shape) {
       int64_t down = ceilDiv(shape.rows, shape.blockRows),
               across = ceilDiv(shape.columns, shape.blockColumns);
       shape.blockRows =
           std::min(shape.rows, roundUp(ceilDiv(shape.rows, across), 8));
       shape.blockColumns =
           std::min(shape.columns, roundUp(ceilDiv(shape.columns, down), 32));
     }}};

namespace {
/// A product in blocks, of f32 or bf16.
class CutProduct {
public:
  CutProduct(const MatmulShape &shape, dnnl_data_type_t type)
      : shape(shape), elementBytes(type == dnnl_f32 ? 4 : 2) {
    dnnl_engine_t made = nullptr;
    dnnl_engine_create(&made, dnnl_cpu, 0);
    engine.reset(made);
    uint64_t bytes = 64;
    for (uint32_t corner : shape.corners()) {
      MatmulBlock block = shape.block(corner);
      auto &slot = primitiveFor(block);
      if (slot)
        continue;
      DnnlProduct product = {type,           type,           block.rows,
                             block.columns,  shape.inner,    shape.lhsRow,
                             shape.lhsInner, shape.rhsInner, shape.rhsColumn,
                             shape.columns,  false,          Epilogue::None};
      bool unsupported = false;
      auto primitive =
          DnnlPrimitive::create(engine.get(), product, unsupported);
      if (!primitive) {
        isReady = false;
        return;
      }
      slot = std::move(*primitive);
      bytes = std::max(bytes, (slot->scratchBytes() + 63) / 64 * 64);
    }
    scratch.resize(bytes + 64);
    uint8_t *start =
        scratch.data() + 64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64;
    for (auto &primitive : primitives)
      if (primitive)
        isReady &= primitive->bind(engine.get(), 1, start, bytes).ok();
  }

  /// Milliseconds.
  double run(const uint8_t *left, const uint8_t *right, uint8_t *out) {
    double begin = now();
    for (uint32_t i = 0; i < shape.countBlocks(); ++i) {
      MatmulBlock block = shape.block(i);
      dnnl_status_t status = primitiveFor(block)->run(
          0, left + block.offsets.lhs * elementBytes,
          right + block.offsets.rhs * elementBytes,
          out + block.offsets.result * elementBytes, nullptr);
      isReady &= status == dnnl_success;
    }
    return now() - begin;
  }

  bool isReady = true;

private:
  std::unique_ptr<DnnlPrimitive> &primitiveFor(const MatmulBlock &block) {
    return primitives[(block.rows != shape.blockRows) * 2u +
                      (block.columns != shape.blockColumns)];
  }

  MatmulShape shape;
  int64_t elementBytes;
  DnnlEngine engine;
  std::array<std::unique_ptr<DnnlPrimitive>, 4> primitives;
  std::vector<uint8_t> scratch;
};
} // namespace

/// Rows, contracted dim, columns; whether the left and the right matrix lie by
/// columns; matrices of a batch, or 0.
static MatmulSpec makeSpec(const benchmark::State &state, ElementType type) {
  int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  bool leftLies = state.range(3) != 0, rightLies = state.range(4) != 0;
  MatmulSpec spec{type,
                  type,
                  leftLies ? Dims{k, m} : Dims{m, k},
                  rightLies ? Dims{n, k} : Dims{k, n},
                  {m, n}};
  if (int64_t batch = state.range(5))
    for (Dims *dims : {&spec.lhs, &spec.rhs, &spec.out})
      dims->insert(dims->begin(), batch);
  spec.transposeLhs = leftLies;
  spec.transposeRhs = rightLies;
  return spec;
}

/// About 0.01 in f32 and bf16, `count` of them, `bytes` each.
static std::vector<uint8_t> makeElements(int64_t count, int64_t bytes) {
  std::vector<uint8_t> elements(count * bytes);
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = i % 2 ? 0x3c : 0x24;
  return elements;
}

static void cuts(benchmark::State &state, ElementType type) {
  int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  int64_t matrices = std::max<int64_t>(state.range(5), 1);
  MatmulSpec spec = makeSpec(state, type);
  dnnl_data_type_t element = type == ElementType::F32 ? dnnl_f32 : dnnl_bf16;
  int64_t bytes = type == ElementType::F32 ? 4 : 2;
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(program::Call::Pack(builder, spec.call().get()));
  program::MatmulCall call(
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer()));
  OneThread guard;
  MatmulShape chosen = analyzeMatmul(call);
  CutProduct ours(chosen, element);
  std::vector<std::unique_ptr<CutProduct>> others;
  bool areReady = ours.isReady;
  for (const Neighbour &neighbour : kNeighbours) {
    MatmulShape other = chosen;
    neighbour.move(other);
    others.push_back(std::make_unique<CutProduct>(other, element));
    areReady &= others.back()->isReady;
  }
  if (!areReady)
    return state.SkipWithError("could not make the product");
  std::vector<uint8_t> lhs = makeElements(matrices * m * k, bytes),
                       rhs = makeElements(matrices * k * n, bytes),
                       result = makeElements(matrices * m * n, bytes);
  double best = 1e30, bestOther[std::size(kNeighbours)];
  std::ranges::fill(bestOther, 1e30);
  for (auto _ : state) {
    double now = ours.run(lhs.data(), rhs.data(), result.data());
    best = std::min(best, now);
    for (size_t i = 0; i < others.size(); ++i)
      bestOther[i] = std::min(
          bestOther[i], others[i]->run(lhs.data(), rhs.data(), result.data()));
    state.SetIterationTime(now * 1e-3);
  }
  state.SetLabel(chosen.describe());
  state.counters["ms"] = best;
  state.counters["GFLOPS"] = 2e-6 * matrices * m * k * n / best;
  for (size_t i = 0; i < others.size(); ++i)
    state.counters[kNeighbours[i].name] = bestOther[i] / best;
}

namespace {
/// A product as a session runs it, on one thread.
class OneCall {
public:
  OneCall(const MatmulSpec &spec, runtime::ThreadPool &pool) : pool(pool) {
    builder.Finish(program::Call::Pack(builder, spec.call().get()));
    auto made = makeHostCall(
        *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer()), 1);
    isReady = static_cast<bool>(made);
    if (!isReady)
      return;
    call = std::move(*made);
    HostWorkspace needs = call->workspace();
    auto align = [](uint64_t bytes) { return (bytes + 63) / 64 * 64; };
    memory.resize(align(needs.shared) + needs.perWorker + 64);
    uint8_t *start = memory.data() +
                     align(reinterpret_cast<uintptr_t>(memory.data())) -
                     reinterpret_cast<uintptr_t>(memory.data());
    isReady =
        call->bind({start, start + align(needs.shared), needs.perWorker}).ok();
    // About 0.01 in any type.
    uint16_t bits = spec.operand == ElementType::F16 ? 0x211f : 0x3c24;
    for (const Dims *dims : {&spec.lhs, &spec.rhs, &spec.out}) {
      int64_t bytes = getInfo(static_cast<DType>(spec.operand)).bytes;
      for (int64_t dim : *dims)
        bytes *= dim;
      operands.emplace_back(bytes / 2, bits);
    }
  }
  /// Milliseconds.
  double run() {
    void *args[] = {operands[0].data(), operands[1].data(), operands[2].data()};
    double begin = now();
    isReady &= call->run(pool, args).ok();
    return now() - begin;
  }
  std::string describe() const { return call->describe(); }

  bool isReady;

private:
  runtime::ThreadPool &pool;
  flatbuffers::FlatBufferBuilder builder;
  std::unique_ptr<HostCall> call;
  std::vector<uint8_t> memory;
  std::vector<std::vector<uint16_t>> operands;
};
} // namespace

/// The same in f32, bf16 and f16.
static void types(benchmark::State &state) {
  OneThread guard;
  auto pool = runtime::ThreadPool::create(1, useOneThread);
  std::vector<std::unique_ptr<OneCall>> calls;
  bool areReady = true;
  for (ElementType type :
       {ElementType::F32, ElementType::BF16, ElementType::F16}) {
    calls.push_back(std::make_unique<OneCall>(makeSpec(state, type), **pool));
    areReady &= calls.back()->isReady;
  }
  if (!areReady)
    return state.SkipWithError("could not make the product");
  double best[] = {1e30, 1e30, 1e30};
  for (auto _ : state) {
    double sum = 0;
    for (size_t i = 0; i < calls.size(); ++i) {
      double time = calls[i]->run();
      best[i] = std::min(best[i], time);
      sum += time;
    }
    state.SetIterationTime(sum * 1e-3);
  }
  state.SetLabel(calls.back()->describe());
  state.counters["f32_ms"] = best[0];
  state.counters["bf16"] = best[1] / best[0];
  state.counters["f16"] = best[2] / best[0];
}

namespace {
/// Products of oneDNN, of as many matrices in a call as it is made for.
class DirectBatch {
public:
  DirectBatch(const benchmark::State &state, int64_t matrices)
      : matrices(matrices), engine(dnnl::engine::kind::cpu, 0), stream(engine) {
    int64_t m = state.range(0), k = state.range(1), n = state.range(2);
    auto describe = [&](int64_t rows, int64_t columns, bool byColumns) {
      dnnl::memory::dims strides = {rows * columns, byColumns ? 1 : columns,
                                    byColumns ? rows : 1};
      return dnnl::memory::desc({matrices, rows, columns},
                                dnnl::memory::data_type::f32, strides);
    };
    sizes = {m * k, k * n, m * n};
    descriptions = {describe(m, k, state.range(3) != 0),
                    describe(k, n, state.range(4) != 0), describe(m, n, false)};
    product = dnnl::matmul(
        {{descriptions[0], descriptions[1], descriptions[2]}, engine});
    for (int argument = 0; argument < 3; ++argument)
      arguments.emplace(kArguments[argument],
                        dnnl::memory(descriptions[argument], engine, nullptr));
  }
  /// Milliseconds of all matrices.
  double run(std::array<std::vector<float>, 3> &operands, int64_t batch) {
    double begin = now();
    for (int64_t i = 0; i < batch; i += matrices) {
      for (int argument = 0; argument < 3; ++argument)
        arguments.at(kArguments[argument])
            .set_data_handle(operands[argument].data() + i * sizes[argument]);
      product.execute(stream, arguments);
    }
    return now() - begin;
  }

private:
  static constexpr int kArguments[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS,
                                       DNNL_ARG_DST};
  int64_t matrices;
  dnnl::engine engine;
  dnnl::stream stream;
  std::array<int64_t, 3> sizes;
  std::array<dnnl::memory::desc, 3> descriptions;
  dnnl::matmul product;
  std::unordered_map<int, dnnl::memory> arguments;
};
} // namespace

static void batches(benchmark::State &state) {
  OneThread guard;
  int64_t m = state.range(0), k = state.range(1), n = state.range(2),
          batch = state.range(5);
  auto pool = runtime::ThreadPool::create(1, useOneThread);
  OneCall ours(makeSpec(state, ElementType::F32), **pool);
  if (!ours.isReady)
    return state.SkipWithError("could not make the product");
  DirectBatch each(state, 1), all(state, batch);
  std::array<std::vector<float>, 3> operands = {
      std::vector<float>(batch * m * k, 0.01f),
      std::vector<float>(batch * k * n, 0.01f),
      std::vector<float>(batch * m * n)};
  double best[] = {1e30, 1e30, 1e30};
  for (auto _ : state) {
    double times[] = {ours.run(), each.run(operands, batch),
                      all.run(operands, batch)};
    for (size_t i = 0; i < std::size(times); ++i)
      best[i] = std::min(best[i], times[i]);
    state.SetIterationTime(times[0] * 1e-3);
  }
  state.SetLabel(ours.describe());
  state.counters["us"] = 1e3 * best[0] / static_cast<double>(batch);
  state.counters["each"] = best[1] / best[0];
  state.counters["all"] = best[2] / best[0];
}

/// Results, and gradients of inputs and weights, of a layer x w of `tokens`
/// rows.
static void addLayer(benchmark::internal::Benchmark *benchmark, int64_t width,
                     int64_t outputs) {
  constexpr int64_t tokens = 1024;
  benchmark->Args({tokens, width, outputs, 0, 0, 0});
  benchmark->Args({tokens, outputs, width, 0, 1, 0});
  benchmark->Args({width, tokens, outputs, 1, 0, 0});
}

/// GPT-2 124M: qkv, proj, fc, fc2; and the head, whose weight lies by rows of
/// the vocabulary.
static void addProducts(benchmark::internal::Benchmark *benchmark) {
  addLayer(benchmark, 768, 2304);
  addLayer(benchmark, 768, 768);
  addLayer(benchmark, 768, 3072);
  addLayer(benchmark, 3072, 768);
  benchmark->Args({1024, 768, 50257, 0, 1, 0});
  benchmark->Args({1024, 50257, 768, 0, 0, 0});
  benchmark->Args({50257, 1024, 768, 1, 0, 0});
}
/// The classifier's of bench/mlp.py.
static void addClassifier(benchmark::internal::Benchmark *benchmark) {
  benchmark->Args({256, 784, 2048, 0, 0, 0});
  benchmark->Args({784, 256, 2048, 1, 0, 0});
  benchmark->Args({256, 2048, 2048, 0, 0, 0});
  benchmark->Args({256, 2048, 2048, 0, 1, 0});
  benchmark->Args({2048, 256, 2048, 1, 0, 0});
}
/// Products of attention that is not one call.
static void addBatches(benchmark::internal::Benchmark *benchmark) {
  benchmark->Args({2048, 512, 2048, 0, 0, 9});
  benchmark->Args({2048, 64, 2048, 0, 1, 24});
}
static void addCuts(benchmark::internal::Benchmark *benchmark) {
  addProducts(benchmark);
  addBatches(benchmark);
  addClassifier(benchmark);
  benchmark->Args({1024, 1600, 6400, 0, 0, 0}); // of GPT-2 1.5B
  benchmark->UseManualTime()->Iterations(5);
}
BENCHMARK_CAPTURE(cuts, f32, ElementType::F32)->Apply(addCuts);
BENCHMARK_CAPTURE(cuts, bf16, ElementType::BF16)->Apply(addCuts);

/// The last three are the library's.
static void addSmallMatrices(benchmark::internal::Benchmark *benchmark) {
  for (int64_t size : {8, 16, 32, 48, 64})
    benchmark->Args({size, size, size, 0, 0, 4096 / size});
  benchmark->Args({16, 32, 32, 0, 0, 256});
  benchmark->Args({32, 32, 32, 0, 1, 128});
  benchmark->Args({33, 17, 31, 1, 0, 128});
  benchmark->Args({1, 64, 256, 0, 1, 64});
  benchmark->Args({128, 64, 128, 0, 1, 96});
  benchmark->Args({256, 256, 64, 0, 0, 48});
}
BENCHMARK(batches)->Apply(addSmallMatrices)->UseManualTime()->Iterations(100);
BENCHMARK(types)
    ->Apply(addProducts)
    ->Apply(addBatches)
    ->UseManualTime()
    ->Iterations(5);

BENCHMARK_MAIN();

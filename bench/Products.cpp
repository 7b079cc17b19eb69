// The products of a transformer by how they are cut into blocks: as the runtime
// cuts them, by what oneDNN copies for each block, and by the size of a block
// alone, as it did before. In turns; the best of each counts.
#include "../lib/Runtime/Host/Calls/Matmul/DnnlPrimitive.h"
#include "../lib/Runtime/Host/Calls/Matmul/MatmulShape.h"
#include "../test/Runtime/HandMade.h"
#include "mpc/Runtime/HostCall.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::test;

static constexpr uint32_t kThreads = 2;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// In two, until no block has more than 2^17 elements.
static void cutBySize(MatmulShape &shape) {
  int64_t down = 1, across = 1;
  while (true) {
    int64_t rows = ceilDiv(shape.rows, down),
            columns = ceilDiv(shape.columns, across);
    double flops = 2.0 * static_cast<double>(rows * columns) *
                   static_cast<double>(shape.inner);
    bool isWanted = rows * columns > (1 << 17) || down * across < 4;
    if (!isWanted || flops < 48e6 || (rows < 64 && columns < 64))
      break;
    (rows * 4 > columns && rows >= 64 ? down : across) *= 2;
  }
  shape.blockRows = ceilDiv(ceilDiv(shape.rows, down), 8) * 8;
  shape.blockColumns = ceilDiv(ceilDiv(shape.columns, across), 64) * 64;
}

namespace {
/// A product in blocks of f32, each by one thread.
class CutProduct {
public:
  CutProduct(const MatmulShape &shape, ThreadPool &pool)
      : shape(shape), pool(pool) {
    dnnl_engine_t made = nullptr;
    dnnl_engine_create(&made, dnnl_cpu, 0);
    engine.reset(made);
    uint64_t bytes = 64;
    for (uint32_t corner : shape.corners()) {
      MatmulBlock block = shape.block(corner);
      auto &slot = primitiveFor(block);
      if (slot)
        continue;
      DnnlProduct product = {dnnl_f32,       dnnl_f32,       block.rows,
                             block.columns,  shape.inner,    shape.lhsRow,
                             shape.lhsInner, shape.rhsInner, shape.rhsColumn,
                             shape.columns,  false,          Epilogue::None};
      bool unsupported = false;
      slot =
          std::move(*DnnlPrimitive::create(engine.get(), product, unsupported));
      bytes = std::max(bytes, (slot->scratchBytes() + 63) / 64 * 64);
    }
    scratch.resize(kThreads * bytes + 64);
    uint8_t *start =
        scratch.data() + 64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64;
    for (auto &primitive : primitives)
      if (primitive)
        isReady &= primitive->bind(engine.get(), kThreads, start, bytes).ok();
  }

  /// Milliseconds.
  double run(const float *left, const float *right, float *out) {
    lhs = left, rhs = right, result = out;
    auto task = [](void *context, uint32_t chunk, uint32_t worker) {
      auto &own = *static_cast<CutProduct *>(context);
      MatmulBlock block = own.shape.block(chunk);
      own.primitiveFor(block)->run(worker, own.lhs + block.offsets.lhs,
                                   own.rhs + block.offsets.rhs,
                                   own.result + block.offsets.result, nullptr);
    };
    auto begin = std::chrono::steady_clock::now();
    pool.run(shape.countBlocks(), task, this);
    std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - begin;
    return spent.count();
  }

  bool isReady = true;

private:
  std::unique_ptr<DnnlPrimitive> &primitiveFor(const MatmulBlock &block) {
    return primitives[(block.rows != shape.blockRows) * 2u +
                      (block.columns != shape.blockColumns)];
  }

  MatmulShape shape;
  ThreadPool &pool;
  DnnlEngine engine;
  std::array<std::unique_ptr<DnnlPrimitive>, 4> primitives;
  std::vector<uint8_t> scratch;
  const float *lhs = nullptr, *rhs = nullptr;
  float *result = nullptr;
};
} // namespace

/// Rows, contracted dim, columns; whether the left and the right matrix lie by
/// columns.
static void cuts(benchmark::State &state) {
  int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  bool leftLies = state.range(3) != 0, rightLies = state.range(4) != 0;
  MatmulSpec spec{ElementType::F32,
                  ElementType::F32,
                  leftLies ? Dims{k, m} : Dims{m, k},
                  rightLies ? Dims{n, k} : Dims{k, n},
                  {m, n}};
  spec.transposeLhs = leftLies;
  spec.transposeRhs = rightLies;
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(program::Call::Pack(builder, spec.call().get()));
  program::MatmulCall call(
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer()));
  auto pool = ThreadPool::create(kThreads, useOneThread);
  OneThread guard;
  MatmulShape chosen = analyzeMatmul(call), bySize = chosen;
  cutBySize(bySize);
  CutProduct ours(chosen, **pool), before(bySize, **pool);
  if (!ours.isReady || !before.isReady)
    return state.SkipWithError("could not make the product");
  std::vector<float> lhs(m * k, 0.01f), rhs(k * n, 0.01f), result(m * n);
  double best = 1e30, bestBefore = 1e30;
  for (auto _ : state) {
    bestBefore =
        std::min(bestBefore, before.run(lhs.data(), rhs.data(), result.data()));
    double now = ours.run(lhs.data(), rhs.data(), result.data());
    best = std::min(best, now);
    state.SetIterationTime(now * 1e-3);
  }
  state.SetLabel(chosen.describe());
  state.counters["ms"] = best;
  state.counters["ms_by_size"] = bestBefore;
  state.counters["GFLOPS"] = 2e-6 * m * k * n / best;
  state.counters["ratio"] = best / bestBefore;
}

/// Results, and gradients of inputs and weights, of a layer x w of `tokens`
/// rows.
static void addLayer(benchmark::internal::Benchmark *benchmark, int64_t width,
                     int64_t outputs) {
  constexpr int64_t tokens = 1024;
  benchmark->Args({tokens, width, outputs, 0, 0});
  benchmark->Args({tokens, outputs, width, 0, 1});
  benchmark->Args({width, tokens, outputs, 1, 0});
}

/// GPT-2 124M: qkv, proj, fc, fc2; and the head, whose weight lies by rows of
/// the vocabulary.
static void addProducts(benchmark::internal::Benchmark *benchmark) {
  addLayer(benchmark, 768, 2304);
  addLayer(benchmark, 768, 768);
  addLayer(benchmark, 768, 3072);
  addLayer(benchmark, 3072, 768);
  benchmark->Args({1024, 768, 50257, 0, 1});
  benchmark->Args({1024, 50257, 768, 0, 0});
  benchmark->Args({50257, 1024, 768, 1, 0});
}
BENCHMARK(cuts)->Apply(addProducts)->UseManualTime()->Iterations(5);

BENCHMARK_MAIN();

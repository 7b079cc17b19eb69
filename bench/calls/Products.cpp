// The products of a transformer and of a classifier as the runtime cuts them
// into blocks, in f32 and bf16, beside those with half and twice as many blocks
// along either side, and with the cuts of the one side moved to the other: a
// rule is right where none of them is faster. Small ones in all cuts of up to
// four, by the clock on two threads. The same products in f32, bf16 and f16.
// One thread computes all blocks; its processor's time counts, in turns, the
// best of each. And the sum of a step, by the clock.
#include "../../lib/Runtime/Host/Calls/Matmul/DnnlPrimitive.h"
#include "../../lib/Runtime/Host/Calls/Matmul/MatmulShape.h"
#include "ProductCalls.h"

#include <algorithm>
#include <benchmark/benchmark.h>

using namespace mpc;
using namespace mpc::bench;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

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
  CutProduct(const MatmulShape &shape, dnnl_data_type_t type,
             uint32_t workers = 1)
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
    scratch.resize(workers * bytes + 64);
    uint8_t *start =
        scratch.data() + 64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64;
    for (auto &primitive : primitives)
      if (primitive)
        isReady = isReady &&
                  primitive->bind(engine.get(), workers, start, bytes).ok();
  }

  /// Milliseconds.
  double run(const uint8_t *left, const uint8_t *right, uint8_t *out) {
    double begin = now();
    for (uint32_t i = 0; i < shape.countBlocks(); ++i)
      runBlock(i, 0, left, right, out);
    return now() - begin;
  }
  /// By the clock, its blocks on all threads of `pool`.
  double run(runtime::ThreadPool &pool, const uint8_t *left,
             const uint8_t *right, uint8_t *out) {
    auto task = [&](uint32_t block, uint32_t worker) {
      runBlock(block, worker, left, right, out);
    };
    using Task = decltype(task);
    double begin = nowByTheClock();
    pool.run(
        shape.countBlocks(),
        [](void *context, uint32_t block, uint32_t worker) {
          (*static_cast<Task *>(context))(block, worker);
        },
        &task);
    return nowByTheClock() - begin;
  }

  std::atomic<bool> isReady = true;

private:
  void runBlock(uint32_t number, uint32_t worker, const uint8_t *left,
                const uint8_t *right, uint8_t *out) {
    MatmulBlock block = shape.block(number);
    dnnl_status_t status = primitiveFor(block)->run(
        worker, left + block.offsets.lhs * elementBytes,
        right + block.offsets.rhs * elementBytes,
        out + block.offsets.result * elementBytes, nullptr);
    if (status != dnnl_success)
      isReady = false;
  }
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

/// The cut that the runtime chooses.
static MatmulShape chooseCut(const MatmulSpec &spec) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(program::Call::Pack(builder, spec.call().get()));
  return analyzeMatmul(program::MatmulCall(
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer())));
}

static void cuts(benchmark::State &state, ElementType type) {
  int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  int64_t matrices = std::max<int64_t>(state.range(5), 1);
  dnnl_data_type_t element = type == ElementType::F32 ? dnnl_f32 : dnnl_bf16;
  int64_t bytes = type == ElementType::F32 ? 4 : 2;
  OneThread guard;
  MatmulShape chosen = chooseCut(makeSpec(state, type));
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
  std::vector<uint8_t> lhs = makeElements(matrices * m * k * bytes),
                       rhs = makeElements(matrices * k * n * bytes),
                       result = makeElements(matrices * m * n * bytes);
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

/// Products of a few million operations in cuts of both sides, by the clock, on
/// two threads that have nothing else to do: what a call of its own costs a
/// block. Microseconds, the least of each; of the chosen cut first.
static void small(benchmark::State &state, ElementType type) {
  constexpr uint32_t threads = 2;
  constexpr int64_t kCuts[][2] = {{1, 1}, {1, 2}, {2, 1},
                                  {1, 4}, {4, 1}, {2, 2}};
  int64_t m = state.range(0), k = state.range(1), n = state.range(2);
  dnnl_data_type_t element = type == ElementType::F32 ? dnnl_f32 : dnnl_bf16;
  int64_t bytes = type == ElementType::F32 ? 4 : 2;
  OneThread guard;
  auto pool = runtime::ThreadPool::create(threads, useOneThread);
  MatmulShape chosen = chooseCut(makeSpec(state, type));
  std::vector<std::unique_ptr<CutProduct>> products;
  products.push_back(std::make_unique<CutProduct>(chosen, element, threads));
  for (auto [down, across] : kCuts) {
    MatmulShape cut = chosen;
    cut.blockRows = down == 1 ? m : roundUp(ceilDiv(m, down), 8);
    cut.blockColumns = across == 1 ? n : roundUp(ceilDiv(n, across), 32);
    products.push_back(std::make_unique<CutProduct>(cut, element, threads));
  }
  for (const auto &product : products)
    if (!product->isReady)
      return state.SkipWithError("could not make the product");
  std::vector<uint8_t> lhs = makeElements(m * k * bytes),
                       rhs = makeElements(k * n * bytes),
                       result = makeElements(m * n * bytes);
  std::vector<double> best(products.size(), 1e30);
  for (auto _ : state) {
    for (size_t i = 0; i < products.size(); ++i) {
      double time =
          products[i]->run(**pool, lhs.data(), rhs.data(), result.data());
      best[i] = std::min(best[i], time);
    }
    state.SetIterationTime(best[0] * 1e-3);
  }
  state.SetLabel(chosen.describe());
  state.counters["chosen"] = 1e3 * best[0];
  for (size_t i = 1; i < best.size(); ++i)
    state.counters[std::to_string(kCuts[i - 1][0]) + "x" +
                   std::to_string(kCuts[i - 1][1])] = 1e3 * best[i];
}

/// The same by kernels of ours, in f16, as they are cut.
static void smallPacked(benchmark::State &state) {
  OneThread guard;
  auto pool = runtime::ThreadPool::create(2, useOneThread);
  OneCall call(makeSpec(state, ElementType::F16), **pool, /*isPacked=*/true,
               /*workers=*/2);
  double best = 1e30;
  for (auto _ : state) {
    best = std::min(best, call.run(nowByTheClock));
    state.SetIterationTime(best * 1e-3);
  }
  if (!call.isReady)
    return state.SkipWithError("could not make the product");
  state.SetLabel(call.describe());
  state.counters["chosen"] = 1e3 * best;
}

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

/// Results, and gradients of inputs and weights, of a layer x w of GPT-2's 1024
/// tokens.
static std::array<Sizes, 3> makeLayer(int64_t width, int64_t outputs) {
  constexpr int64_t tokens = 1024;
  return {Sizes{tokens, width, outputs, false, false},
          {tokens, outputs, width, false, true},
          {width, tokens, outputs, true, false}};
}

/// Of a layer of GPT-2 124M: qkv, proj, fc, fc2.
static std::vector<Sizes> makeLayers() {
  std::vector<Sizes> products;
  for (auto [width, outputs] :
       {std::pair(768, 2304), {768, 768}, {768, 3072}, {3072, 768}})
    std::ranges::copy(makeLayer(width, outputs), std::back_inserter(products));
  return products;
}

/// And of the head, whose weight lies by rows of the vocabulary.
static constexpr Sizes kHead[] = {{1024, 768, 50257, false, true},
                                  {1024, 50257, 768, false, false},
                                  {50257, 1024, 768, true, false}};

/// The products of a step, by the clock, on two threads: as they are cut, each
/// seven times. Gradients of weights, of which the left matrix lies by columns,
/// are f32.
static void step(benchmark::State &state, ElementType type) {
  constexpr uint32_t threads = 2;
  constexpr int runs = 7, layers = 12;
  OneThread guard;
  auto pool = runtime::ThreadPool::create(threads, useOneThread);
  double least = 0, median = 0;
  auto measure = [&](const Sizes &sizes, int count) {
    MatmulSpec spec = makeSpec(sizes, type);
    if (sizes.leftLies)
      spec.result = ElementType::F32;
    std::vector<double> times = timesByTheClock(spec, **pool, threads, runs);
    if (times.empty())
      return state.SkipWithError("could not make the product");
    least += count * times[0];
    median += count * times[runs / 2];
  };
  for (auto _ : state) {
    least = median = 0;
    for (const Sizes &sizes : makeLayers())
      measure(sizes, layers);
    for (const Sizes &sizes : kHead)
      measure(sizes, 1);
    state.SetIterationTime(median * 1e-3);
  }
  state.counters["least_ms"] = least;
  state.counters["median_ms"] = median;
}

static void addProducts(benchmark::internal::Benchmark *benchmark) {
  auto add = [&](const Sizes &sizes) {
    benchmark->Args({sizes.rows, sizes.inner, sizes.columns, sizes.leftLies,
                     sizes.rightLies, 0});
  };
  std::ranges::for_each(makeLayers(), add);
  std::ranges::for_each(kHead, add);
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

/// Layers of few rows, and the gradients of their inputs and weights.
static void addSmall(benchmark::internal::Benchmark *benchmark) {
  for (int64_t rows : {8, 16, 32, 64, 128})
    for (auto [inner, columns] : {std::pair<int64_t, int64_t>(128, 512),
                                  {256, 256},
                                  {256, 1024},
                                  {1024, 256},
                                  {784, 512},
                                  {512, 2048}}) {
      benchmark->Args({rows, inner, columns, 0, 0, 0});
      benchmark->Args({rows, columns, inner, 0, 1, 0});
      benchmark->Args({inner, rows, columns, 1, 0, 0});
    }
  benchmark->UseManualTime()->Iterations(60);
}
BENCHMARK_CAPTURE(small, f32, ElementType::F32)->Apply(addSmall);
BENCHMARK_CAPTURE(small, bf16, ElementType::BF16)->Apply(addSmall);
BENCHMARK(smallPacked)->Apply(addSmall);

BENCHMARK_CAPTURE(step, f32, ElementType::F32)->UseManualTime()->Iterations(1);
BENCHMARK_CAPTURE(step, bf16, ElementType::BF16)
    ->UseManualTime()
    ->Iterations(1);
BENCHMARK(types)
    ->Apply(addProducts)
    ->Apply(addBatches)
    ->UseManualTime()
    ->Iterations(5);

BENCHMARK_MAIN();

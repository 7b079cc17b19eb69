// Batches of small matrices as a session multiplies them, beside our kernels
// and oneDNN called for each matrix and for all. One thread; its processor's
// time counts, in turns, the best of each.
#include "ProductCalls.h"

#include <benchmark/benchmark.h>
#include <dnnl.hpp>

using namespace mpc;
using namespace mpc::bench;

namespace {
/// Products of oneDNN, of as many matrices in a call as it is made for.
class DirectBatch {
public:
  DirectBatch(const benchmark::State &state, ElementType type, int64_t matrices)
      : matrices(matrices), engine(dnnl::engine::kind::cpu, 0), stream(engine) {
    bool isWide = type == ElementType::F32;
    auto element =
        isWide ? dnnl::memory::data_type::f32 : dnnl::memory::data_type::bf16;
    int64_t m = state.range(0), k = state.range(1), n = state.range(2);
    auto describe = [&](int64_t rows, int64_t columns, bool byColumns) {
      dnnl::memory::dims strides = {rows * columns, byColumns ? 1 : columns,
                                    byColumns ? rows : 1};
      return dnnl::memory::desc({matrices, rows, columns}, element, strides);
    };
    sizes = {m * k, k * n, m * n};
    for (int64_t &size : sizes)
      size *= isWide ? 4 : 2;
    descriptions = {describe(m, k, state.range(3) != 0),
                    describe(k, n, state.range(4) != 0), describe(m, n, false)};
    product = dnnl::matmul(
        {{descriptions[0], descriptions[1], descriptions[2]}, engine});
    for (int argument = 0; argument < 3; ++argument)
      arguments.emplace(kArguments[argument],
                        dnnl::memory(descriptions[argument], engine, nullptr));
  }
  /// Milliseconds of all matrices.
  double run(std::array<std::vector<uint8_t>, 3> &operands, int64_t batch) {
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
  std::array<int64_t, 3> sizes; ///< in bytes
  std::array<dnnl::memory::desc, 3> descriptions;
  dnnl::matmul product;
  std::unordered_map<int, dnnl::memory> arguments;
};
} // namespace

static void batches(benchmark::State &state, ElementType type) {
  OneThread guard;
  int64_t m = state.range(0), k = state.range(1), n = state.range(2),
          batch = state.range(5), bytes = type == ElementType::F32 ? 4 : 2;
  auto pool = runtime::ThreadPool::create(1, useOneThread);
  OneCall ours(makeSpec(state, type), **pool),
      packed(makeSpec(state, type), **pool, /*isPacked=*/true);
  if (!ours.isReady || !packed.isReady)
    return state.SkipWithError("could not make the product");
  DirectBatch each(state, type, 1), all(state, type, batch);
  std::array<std::vector<uint8_t>, 3> operands = {
      makeElements(batch * m * k * bytes), makeElements(batch * k * n * bytes),
      makeElements(batch * m * n * bytes)};
  double best[] = {1e30, 1e30, 1e30, 1e30};
  for (auto _ : state) {
    double times[] = {ours.run(), packed.run(), each.run(operands, batch),
                      all.run(operands, batch)};
    for (size_t i = 0; i < std::size(times); ++i)
      best[i] = std::min(best[i], times[i]);
    state.SetIterationTime(times[0] * 1e-3);
  }
  state.SetLabel(ours.describe());
  state.counters["us"] = 1e3 * best[0] / static_cast<double>(batch);
  state.counters["packed"] = best[1] / best[0];
  state.counters["each"] = best[2] / best[0];
  state.counters["all"] = best[3] / best[0];
}

/// The last three are the library's.
static void addSmallMatrices(benchmark::internal::Benchmark *benchmark) {
  for (int64_t size : {8, 16, 32, 48, 64})
    benchmark->Args({size, size, size, 0, 0, 4096 / size});
  benchmark->Args({16, 32, 32, 0, 0, 256});
  benchmark->Args({32, 32, 32, 0, 1, 128});
  benchmark->Args({33, 17, 31, 1, 0, 128});
  benchmark->Args({1, 64, 256, 0, 1, 64});
  benchmark->Args({128, 64, 128, 0, 0, 96});
  benchmark->Args({128, 64, 128, 0, 1, 96});
  benchmark->Args({128, 128, 64, 0, 0, 96});
  benchmark->Args({128, 128, 64, 1, 0, 96});
  benchmark->Args({256, 64, 256, 0, 1, 48});
  benchmark->Args({256, 256, 64, 0, 0, 48});
  benchmark->UseManualTime()->Iterations(100);
}
BENCHMARK_CAPTURE(batches, f32, ElementType::F32)->Apply(addSmallMatrices);
BENCHMARK_CAPTURE(batches, bf16, ElementType::BF16)->Apply(addSmallMatrices);

// ResNet-50's convolutions of 3 x 3 and 7 x 7, 8 images with channels last, and
// their gradients, in f32 and bf16: as a session calls them, beside oneDNN
// called directly, for all images at once. The direct call gets the weight in
// the order that it likes best, and leaves a gradient in it; what the way there
// and back costs is a number of its own, since a step cannot do without: the
// model's weight lies as PyTorch's. In turns, the best of each, by the clock.
//
//   OMP_WAIT_POLICY=passive build/bench/ConvolutionsBench
//
// or the library's threads wait on the processors that ours run on. The number
// of threads is the last of a row's numbers.
#include "../../test/Runtime/ConvolutionProblem.h"
#include "BoundCall.h"

#include <array>
#include <benchmark/benchmark.h>
#include <chrono>
#include <dnnl.hpp>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::test;
using Which = ConvolutionTensor;

// Of the OpenMP library that oneDNN brings; its header is a compiler's.
extern "C" void omp_set_num_threads(int count);

/// Milliseconds.
static double now() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Channels, channels of the result, rows and columns of the input, of the
/// kernel, stride; how often ResNet-50 has it; threads.
static ConvolutionSpec makeSpec(const benchmark::State &state,
                                ElementType type) {
  ConvolutionSpec spec;
  spec.batch = 8;
  spec.channels = state.range(0);
  spec.results = state.range(1);
  int64_t size = state.range(2), kernel = state.range(3),
          stride = state.range(4), zeros = kernel / 2;
  spec.space = {size, size};
  spec.kernel = {kernel, kernel};
  spec.strides = {stride, stride};
  spec.low = {zeros, zeros};
  // No row of zeros that no window comes to.
  int64_t high = ((size - 1) / stride) * stride + kernel - size - zeros;
  spec.high = {high, high};
  spec.turnsWeight = true;
  spec.type = type;
  return spec;
}

static int64_t countThreads(const benchmark::State &state) {
  return state.range(6);
}

namespace {
/// As a session runs it.
class OneCall {
public:
  OneCall(const ConvolutionSpec &spec, Which written, ThreadPool &pool,
          uint32_t threads)
      : call(pool, threads) {
    program::CallT described = makeCall(spec, written);
    builder.Finish(program::Call::Pack(builder, &described));
    auto made = makeHostCall(
        *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer()),
        threads);
    isReady = call.bind(std::move(made));
    int64_t bytes = getInfo(static_cast<DType>(spec.type)).bytes;
    for (const auto &operand : described.operands)
      call.addOperand(countOf(operand->shape) * bytes,
                      0x3c24); // about 0.01 in f32 and bf16
  }
  double run() {
    double begin = now();
    isReady &= call.run();
    return now() - begin;
  }
  std::string describe() const { return call.describe(); }

  bool isReady;

private:
  flatbuffers::FlatBufferBuilder builder; ///< of the call, which reads it
  mpc::bench::BoundCall call;
};

/// oneDNN's own, of all images.
class Direct {
public:
  Direct(const ConvolutionSpec &spec, Which written)
      : written(written), engine(dnnl::engine::kind::cpu, 0), stream(engine) {
    using dnnl::memory;
    auto type =
        spec.type == F32 ? memory::data_type::f32 : memory::data_type::bf16;
    Dims out = spec.resultSpace();
    memory::dims inputDims = {spec.batch, spec.channels, spec.space[0],
                              spec.space[1]},
                 weightDims = {spec.results, spec.channels, spec.kernel[0],
                               spec.kernel[1]},
                 resultDims = {spec.batch, spec.results, out[0], out[1]};
    memory::desc input(inputDims, type, memory::format_tag::nhwc),
        any(weightDims, type, memory::format_tag::any),
        plain(weightDims, type, memory::format_tag::oihw),
        result(resultDims, type, memory::format_tag::nhwc);
    memory::dims strides = spec.strides, dilations = {0, 0}, low = spec.low,
                 high = spec.high;
    auto algorithm = dnnl::algorithm::convolution_direct;
    dnnl::convolution_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, algorithm, input, any, result,
         strides, dilations, low, high},
        engine);
    memory::desc liked = forward.weights_desc();
    if (written == Which::Result)
      primitive = dnnl::convolution_forward(forward);
    if (written == Which::Input) {
      dnnl::convolution_backward_data::primitive_desc made(
          {algorithm, input, any, result, strides, dilations, low, high},
          engine, forward);
      liked = made.weights_desc();
      primitive = dnnl::convolution_backward_data(made);
    }
    if (written == Which::Weight) {
      dnnl::convolution_backward_weights::primitive_desc made(
          {algorithm, input, any, result, strides, dilations, low, high},
          engine, forward);
      liked = made.diff_weights_desc();
      primitive = dnnl::convolution_backward_weights(made);
    }
    fill(tensors[0], input);
    fill(tensors[1], liked);
    fill(tensors[2], result);
    fill(plainWeight, plain);
    bool isGradient = written == Which::Weight;
    way = dnnl::reorder(isGradient ? tensors[1] : plainWeight,
                        isGradient ? plainWeight : tensors[1]);
    static constexpr int arguments[][3] = {
        {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
        {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST},
        {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}};
    for (size_t i = 0; i < 3; ++i)
      given.emplace(arguments[static_cast<size_t>(written)][i], tensors[i]);
  }
  double run() {
    double begin = now();
    primitive.execute(stream, given);
    stream.wait();
    return now() - begin;
  }
  double reorder() {
    double begin = now();
    bool isGradient = written == Which::Weight;
    way.execute(stream, isGradient ? tensors[1] : plainWeight,
                isGradient ? plainWeight : tensors[1]);
    stream.wait();
    return now() - begin;
  }

private:
  void fill(dnnl::memory &tensor, const dnnl::memory::desc &described) {
    tensor = dnnl::memory(described, engine);
    auto *begin = static_cast<uint16_t *>(tensor.get_data_handle());
    std::fill(begin, begin + described.get_size() / 2, uint16_t(0x3c24));
  }

  Which written;
  dnnl::engine engine;
  dnnl::stream stream;
  std::array<dnnl::memory, 3> tensors;
  dnnl::memory plainWeight;
  dnnl::primitive primitive;
  dnnl::reorder way;
  std::unordered_map<int, dnnl::memory> given;
};
} // namespace

static void convolutions(benchmark::State &state, ElementType type,
                         Which written) {
  auto threads = static_cast<uint32_t>(countThreads(state));
  ConvolutionSpec spec = makeSpec(state, type);
  // The library's threads are this thread's alone: workers of the pool that
  // call it have one.
  auto pool = ThreadPool::create(threads, useOneThread);
  if (!pool)
    return state.SkipWithError("could not make threads");
  OneCall ours(spec, written, **pool, threads);
  if (!ours.isReady)
    return state.SkipWithError("could not make the call");
  // A primitive is made for the threads that there are then.
  omp_set_num_threads(static_cast<int>(threads));
  Direct direct(spec, written);
  double best[] = {1e30, 1e30, 1e30};
  for (auto _ : state) {
    omp_set_num_threads(1);
    double one = ours.run();
    omp_set_num_threads(static_cast<int>(threads));
    double times[] = {one, direct.run(), direct.reorder()};
    for (size_t i = 0; i < std::size(times); ++i)
      best[i] = std::min(best[i], times[i]);
    state.SetIterationTime(times[0] * 1e-3);
  }
  if (!ours.isReady)
    return state.SkipWithError("a call failed");
  state.SetLabel(ours.describe());
  state.counters["times"] = static_cast<double>(state.range(5));
  state.counters["ms"] = best[0];
  state.counters["direct_ms"] = best[1];
  state.counters["reorder_ms"] = best[2];
}

static void addNet(benchmark::internal::Benchmark *benchmark, bool hasFirst) {
  for (int64_t threads : {1, 2}) {
    if (hasFirst)
      benchmark->Args({3, 64, 224, 7, 2, 1, threads});
    benchmark->Args({64, 64, 56, 3, 1, 3, threads});
    benchmark->Args({128, 128, 56, 3, 2, 1, threads});
    benchmark->Args({128, 128, 28, 3, 1, 3, threads});
    benchmark->Args({256, 256, 28, 3, 2, 1, threads});
    benchmark->Args({256, 256, 14, 3, 1, 5, threads});
    benchmark->Args({512, 512, 14, 3, 2, 1, threads});
    benchmark->Args({512, 512, 7, 3, 1, 2, threads});
  }
  benchmark->UseManualTime()->Iterations(7);
}
static void addAll(benchmark::internal::Benchmark *benchmark) {
  addNet(benchmark, true);
}
/// Nobody reads a gradient of the images.
static void addInner(benchmark::internal::Benchmark *benchmark) {
  addNet(benchmark, false);
}
BENCHMARK_CAPTURE(convolutions, f32_forward, F32, Which::Result)->Apply(addAll);
BENCHMARK_CAPTURE(convolutions, f32_input, F32, Which::Input)->Apply(addInner);
BENCHMARK_CAPTURE(convolutions, f32_weight, F32, Which::Weight)->Apply(addAll);
BENCHMARK_CAPTURE(convolutions, bf16_forward, BF16, Which::Result)
    ->Apply(addAll);
BENCHMARK_CAPTURE(convolutions, bf16_input, BF16, Which::Input)
    ->Apply(addInner);
BENCHMARK_CAPTURE(convolutions, bf16_weight, BF16, Which::Weight)
    ->Apply(addAll);

BENCHMARK_MAIN();

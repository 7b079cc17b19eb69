// A product as a session runs it, for benchmarks of products.
#ifndef MPC_BENCH_CALLS_PRODUCTCALLS_H
#define MPC_BENCH_CALLS_PRODUCTCALLS_H

#include "../../lib/Runtime/Host/Calls/Matmul/PackedMatmul.h"
#include "../../test/Runtime/HandMade.h"
#include "BoundCall.h"

#include <algorithm>
#include <ctime>

namespace mpc::bench {
using namespace mpc::runtime;
using namespace mpc::test;

inline double read(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return 1e3 * static_cast<double>(time.tv_sec) +
         1e-6 * static_cast<double>(time.tv_nsec);
}
/// Milliseconds of this thread.
inline double now() { return read(CLOCK_THREAD_CPUTIME_ID); }
inline double nowByTheClock() { return read(CLOCK_MONOTONIC); }

/// A product of `matrices`, or of one if that is 0, of which the left or the
/// right one may lie by columns.
struct Sizes {
  int64_t rows, inner, columns;
  bool leftLies, rightLies;
  int64_t matrices = 0;
};

inline MatmulSpec makeSpec(const Sizes &sizes, ElementType type) {
  auto [m, k, n, leftLies, rightLies, batch] = sizes;
  MatmulSpec spec{type,
                  type,
                  leftLies ? Dims{k, m} : Dims{m, k},
                  rightLies ? Dims{n, k} : Dims{k, n},
                  {m, n}};
  if (batch)
    for (Dims *dims : {&spec.lhs, &spec.rhs, &spec.out})
      dims->insert(dims->begin(), batch);
  spec.transposeLhs = leftLies;
  spec.transposeRhs = rightLies;
  return spec;
}

/// Of a benchmark that has these as its arguments, in this order.
template <typename State>
MatmulSpec makeSpec(const State &state, ElementType type) {
  return makeSpec({state.range(0), state.range(1), state.range(2),
                   state.range(3) != 0, state.range(4) != 0, state.range(5)},
                  type);
}

/// About 0.01 in f32 and bf16.
inline std::vector<uint8_t> makeElements(int64_t bytes) {
  std::vector<uint8_t> elements(bytes);
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = i % 2 ? 0x3c : 0x24;
  return elements;
}

/// A product as a session runs it, on one thread.
class OneCall {
public:
  /// As it is chosen, or by kernels of ours.
  OneCall(const MatmulSpec &spec, runtime::ThreadPool &pool,
          bool isPacked = false, uint32_t workers = 1)
      : call(pool, workers) {
    builder.Finish(program::Call::Pack(builder, spec.call().get()));
    auto *described =
        flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer());
    auto made = isPacked ? makePackedMatmul(*described, workers,
                                            *findPackedKernels().back().kernels)
                         : makeHostCall(*described, workers);
    isReady = call.bind(std::move(made));
    // About 0.01 in any type.
    uint16_t bits = spec.operand == ElementType::F16 ? 0x211f : 0x3c24;
    for (const Dims *dims : {&spec.lhs, &spec.rhs, &spec.out}) {
      auto type = dims == &spec.out ? spec.result : spec.operand;
      int64_t bytes = getInfo(static_cast<DType>(type)).bytes;
      for (int64_t dim : *dims)
        bytes *= dim;
      call.addOperand(bytes, bits);
    }
  }
  /// Milliseconds of this thread, or of the clock.
  double run(double (*clock)() = now) {
    double begin = clock();
    isReady &= call.run();
    return clock() - begin;
  }
  std::string describe() const { return call.describe(); }

  bool isReady;

private:
  flatbuffers::FlatBufferBuilder builder; ///< of the call, which reads it
  BoundCall call;
};

/// Milliseconds by the clock of a product as it is cut, on `workers` threads of
/// `pool`: of `runs` after a first one, in order. None if it cannot be made.
inline std::vector<double> timesByTheClock(const MatmulSpec &spec,
                                           runtime::ThreadPool &pool,
                                           uint32_t workers, int runs) {
  OneCall call(spec, pool, /*isPacked=*/false, workers);
  std::vector<double> times;
  for (int i = -1; i < runs && call.isReady; ++i)
    if (double time = call.run(nowByTheClock); i >= 0)
      times.push_back(time);
  if (!call.isReady)
    times.clear();
  std::ranges::sort(times);
  return times;
}

} // namespace mpc::bench

#endif // MPC_BENCH_CALLS_PRODUCTCALLS_H

// The minimum cut alone, on problems of the shapes that models have. Sites are
// ops; a value is made by one and read by others. Time per site should not
// grow.
//
//   build/bench/CastCutBench
//
//   chain     every value is read by the next op, one op in 8 is fixed wide and
//             one narrow: deep networks
//   residual  besides, every value is read 4 ops later: transformer blocks
//   branches  every value is read by up to 3 ops among the next 64
//   ladder    nothing is fixed but the two ends, so that the flow has to go all
//             the way: the worst that a network without products could do
#include "mpc/Dialect/Graph/Precision/CastCut.h"

#include <benchmark/benchmark.h>
#include <random>

using namespace mpc::graph;
using Fixed = CastCutProblem::Fixed;

namespace {

enum Shape { Chain, Residual, Branches, Ladder };

CastCutProblem makeProblem(Shape shape, unsigned sites) {
  std::mt19937 random(1);
  auto upTo = [&](unsigned high) {
    return std::uniform_int_distribution<unsigned>(0, high)(random);
  };
  CastCutProblem problem;
  for (unsigned i = 0; i < sites; ++i) {
    int64_t elements = int64_t(1024) * (1 + upTo(15));
    Fixed fixed = Fixed::No;
    if (shape == Ladder)
      fixed = i == 0 ? Fixed::Wide : i + 1 == sites ? Fixed::Narrow : Fixed::No;
    else if (unsigned word = upTo(7); word < 2)
      fixed = word == 0 ? Fixed::Wide : Fixed::Narrow;
    bool free = shape == Ladder;
    problem.addSite({free ? 0 : 4 * elements, free ? 0 : 2 * elements, fixed});
  }
  for (unsigned maker = 0; maker + 1 < sites; ++maker) {
    CastCutProblem::Cast value{maker, int64_t(6144) * (1 + upTo(15)), {}};
    value.users.push_back(maker + 1);
    if (shape == Residual || shape == Ladder)
      value.users.push_back(std::min(maker + 4, sites - 1));
    if (shape == Branches)
      for (unsigned extra = upTo(2); extra > 0; --extra)
        value.users.push_back(std::min(maker + 1 + upTo(63), sites - 1));
    problem.values.push_back(value);
  }
  return problem;
}

void measure(benchmark::State &state, Shape shape) {
  CastCutProblem problem = makeProblem(shape, state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(solve(problem));
  state.counters["per site"] =
      benchmark::Counter(static_cast<double>(state.range(0)),
                         benchmark::Counter::kIsIterationInvariantRate |
                             benchmark::Counter::kInvert);
}

} // namespace

#define MPC_SIZES                                                              \
  Arg(12500)->Arg(20000)->Arg(25000)->Arg(50000)->Arg(100000)->Unit(           \
      benchmark::kMillisecond)
BENCHMARK_CAPTURE(measure, chain, Chain)->MPC_SIZES;
BENCHMARK_CAPTURE(measure, residual, Residual)->MPC_SIZES;
BENCHMARK_CAPTURE(measure, branches, Branches)->MPC_SIZES;
BENCHMARK_CAPTURE(measure, ladder, Ladder)->MPC_SIZES;

BENCHMARK_MAIN();

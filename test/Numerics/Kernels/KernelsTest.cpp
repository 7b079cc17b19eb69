// Generated kernels against the reference interpreter: every elementwise op,
// cast, reduction, movement and composite, in all formats and odd sizes; and
// equal bits however the kernels are run. One source for the kernels of the CPU
// and of GPUs: what is tested, TestedModules.h tells.
//
// How far off they may be says Reference/ErrorRule.h.
#include "Cases.h"
#include "Reference/ErrorRule.h"
#include "Reference/Inputs.h"
#include "Reference/Interpreter.h"
#include "Reference/RandomGraph.h"
#include "TestedModules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>

using namespace mpc;
using namespace mpc::test;
using reference::Errors;
using reference::Tensor;

namespace {
/// What a function gave, and how far off each result is.
struct Sample {
  std::vector<Tensor> arguments, results;
  std::vector<Errors> errors;
};

std::optional<Sample> runOnce(GroupedModule &module, const std::string &name,
                              const reference::InputOptions &inputs) {
  auto function = module.getOriginal(name);
  Sample sample;
  sample.arguments = reference::makeInputs(function, inputs);
  auto exact =
      reference::evaluate(function, sample.arguments, reference::Mode::Exact);
  auto plain =
      reference::evaluate(function, sample.arguments, reference::Mode::Rounded);
  EXPECT_TRUE(succeeded(exact) && succeeded(plain)) << name;
  sample.results = module.run(name, sample.arguments, {});
  EXPECT_EQ(module.getFailure(), "") << name;
  if (failed(exact) || failed(plain) || !module.getFailure().empty())
    return std::nullopt;
  double largest = reference::getLargest(*exact);
  for (size_t i = 0; i < sample.results.size(); ++i)
    sample.errors.push_back(reference::getErrors(sample.results[i], (*plain)[i],
                                                 (*exact)[i], largest));
  return sample;
}

/// Where few numbers break the rule it is asked of the largest errors over more
/// inputs.
void checkErrors(GroupedModule &module, const std::string &name,
                 reference::InputOptions inputs, std::vector<Errors> errors) {
  constexpr int kSamples = 16;
  std::vector<size_t> doubtful;
  for (auto [i, error] : llvm::enumerate(errors))
    if (!error.areBounded() && error.areFew())
      doubtful.push_back(i);
  for (int i = 1; !doubtful.empty() && i < kSamples; ++i) {
    ++inputs.seed;
    auto more = runOnce(module, name, inputs);
    if (!more)
      return;
    for (size_t number : doubtful) {
      errors[number].join(more->errors[number]);
    }
  }
  for (auto [i, error] : llvm::enumerate(errors))
    EXPECT_TRUE(error.areBounded())
        << name << " result " << i << ": error " << error.actual
        << ", op by op " << error.plain << ", floor " << error.floor;
}

/// Its results; empty after a failure.
std::vector<Tensor> checkFunction(GroupedModule &module,
                                  const std::string &name,
                                  const reference::InputOptions &inputs) {
  auto sample = runOnce(module, name, inputs);
  if (!sample)
    return {};
  checkErrors(module, name, inputs, sample->errors);
  for (RunOptions variant : getVariants()) {
    auto again = module.run(name, sample->arguments, variant);
    EXPECT_EQ(module.getFailure(), "") << name;
    EXPECT_TRUE(haveEqualBits(sample->results, again))
        << name << " with " << variant.itemsPerCall << " items per call, seed "
        << variant.seed << (variant.inPlace ? ", in place" : "");
  }
  return sample->results;
}

void checkAll(const std::string &text, reference::InputOptions inputs = {}) {
  std::map<std::string, std::vector<Tensor>> results; // of the first target
  for (const std::string &target : getTestedTargets()) {
    auto module = compileForTest(text, target);
    ASSERT_TRUE(module->isValid()) << target << "\n" << text;
    for (const std::string &name : module->getNames()) {
      std::vector<Tensor> own = checkFunction(*module, name, inputs);
      auto [first, isFirst] = results.try_emplace(name, own);
      EXPECT_TRUE(isFirst || haveEqualBits(first->second, own))
          << name << " has other bits on " << target;
    }
  }
}

/// Of random graphs; others to look for errors: MPC_TEST_SEEDS=5:500.
std::vector<uint64_t> getSeeds(std::vector<uint64_t> usual) {
  const char *given = std::getenv("MPC_TEST_SEEDS");
  uint64_t first = 0, last = 0;
  if (!given || std::sscanf(given, "%" SCNu64 ":%" SCNu64, &first, &last) != 2)
    return usual;
  std::vector<uint64_t> seeds;
  for (uint64_t seed = first; seed <= last; ++seed)
    seeds.push_back(seed);
  return seeds;
}
} // namespace

TEST(Kernels, Unary) { checkAll(makeUnaryCases()); }
TEST(Kernels, UnaryOfPositives) {
  reference::InputOptions positive;
  positive.low = 0.01;
  positive.high = 4;
  checkAll(makePositiveCases(), positive);
}
TEST(Kernels, UnaryOfLargeNumbers) {
  reference::InputOptions large;
  large.low = -40;
  large.high = 40;
  checkAll(makeUnaryCases(), large);
}
TEST(Kernels, Binary) { checkAll(makeBinaryCases()); }
TEST(Kernels, Casts) {
  reference::InputOptions wide;
  wide.low = -300;
  wide.high = 300;
  checkAll(makeCastCases(), wide);
}
TEST(Kernels, Scalars) { checkAll(makeScalarCases()); }
TEST(Kernels, Readers) { checkAll(makeReaderCases()); }
TEST(Kernels, Reductions) { checkAll(makeReductionCases()); }
TEST(Kernels, ReductionsWithIndex) { checkAll(makeWithIndexCases()); }
TEST(Kernels, Indexing) { checkAll(makeIndexingCases()); }
TEST(Kernels, Places) {
  // Long products stay in the range of f32.
  reference::InputOptions nearOne;
  nearOne.low = 0.6;
  nearOne.high = 1.5;
  checkAll(makePlaceCases(), nearOne);
}
TEST(Kernels, Movements) { checkAll(makeMovementCases()); }
TEST(Kernels, Windows) { checkAll(makeWindowCases()); }
TEST(Kernels, Space) { checkAll(makeSpaceCases()); }
TEST(Kernels, Composites) { checkAll(makeCompositeCases()); }
TEST(Kernels, Losses) { checkAll(makeLossCases()); }
TEST(Kernels, Parts) {
  // Of one sign, so that no sum shows how its numbers happen to cancel.
  reference::InputOptions positive;
  positive.low = 0.1;
  positive.high = 1;
  checkAll(makePartCases(), positive);
}
TEST(Kernels, Updates) {
  reference::InputOptions positive;
  positive.low = 0.01;
  positive.high = 1;
  checkAll(makeUpdateCases(), positive);
}
TEST(Kernels, Roundings) { checkAll(makeRoundingCases()); }
TEST(Kernels, Wide) {
  // Sums of many numbers of both signs would show how they happen to cancel.
  reference::InputOptions positive;
  positive.low = 0.01;
  positive.high = 1;
  checkAll(makeWideCases(), positive);
}
TEST(Kernels, Approximations) {
  // Means are no small numbers, and exponentials have digits.
  reference::InputOptions positive;
  positive.low = 0.2;
  positive.high = 3;
  checkAll(makeApproximationCases(), positive);
}
TEST(Kernels, Strict) { checkAll(makeStrictCases()); }
TEST(Kernels, RandomGroups) {
  for (uint64_t seed : getSeeds({1, 2, 3, 4}))
    checkAll(reference::makeRandomGraphs(seed, 24));
}
// In the last three one reader of a value of 16 bits saw another number.
TEST(Kernels, RandomPatterns) {
  for (uint64_t seed : getSeeds({1, 2, 3, 4, 10, 16, 23}))
    checkAll(reference::makeRandomGraphs(seed, 24, {.hasPatterns = true}));
}
// More than one kernel may have sweeps for.
TEST(Kernels, LongChains) {
  checkAll(reference::makeRandomGraphs(
      /*seed=*/1, 2, {.ops = 0, .shortestChain = 70, .longestChain = 70}));
}

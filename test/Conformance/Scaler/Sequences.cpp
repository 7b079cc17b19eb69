#include "Sequences.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mpc;
using namespace mpc::conformance;

namespace {

/// Walks the tree of all sequences, whose node is the state after a prefix.
class Walk {
public:
  Walk(const System &system, size_t index, const StepPrograms &programs,
       const Executor &execute)
      : system(system), index(index), programs(programs), execute(execute) {}

  /// False after the first difference, which it reported.
  bool run(const ScalerStep &ours, const Scaler &theirs,
           const std::string &prefix, int left) {
    for (bool overflows : {false, true}) {
      if (left == 0)
        return true;
      std::string sequence = prefix + (overflows ? '1' : '0');
      float gradient =
          overflows ? std::numeric_limits<float>::infinity() : 1.0f;
      const ScalerStep &next = step(ours, gradient);
      std::unique_ptr<Scaler> expected = theirs.clone();
      expected->update(next.foundInf);
      // A scale that is infinite, without a guard, overflows every gradient.
      EXPECT_EQ(next.foundInf, overflows || std::isinf(ours.scale()))
          << system.options << " after " << sequence;
      EXPECT_EQ(next.scale(), expected->scale())
          << system.options << " after " << sequence;
      if (system.raises)
        EXPECT_EQ(next.atFloor, expected->hasRaised())
            << system.options << " after " << sequence;
      if (testing::Test::HasFailure() ||
          !run(next, *expected, sequence, left - 1))
        return false;
    }
    return true;
  }

private:
  /// The step is a function of the state and the gradient, so each pair is
  /// executed once, however many sequences lead there.
  const ScalerStep &step(const ScalerStep &before, float gradient) {
    std::vector<double> key{gradient};
    for (const auto &[name, value] : before.state)
      key.push_back(value.value(0));
    auto [entry, isNew] = known.try_emplace(key);
    if (isNew)
      entry->second = programs.next(index, before, gradient, execute);
    return entry->second;
  }

  std::map<std::vector<double>, ScalerStep> known;
  const System &system;
  size_t index;
  const StepPrograms &programs;
  const Executor &execute;
};

} // namespace

void mpc::conformance::compareAllSequences(const std::vector<System> &systems,
                                           const StepPrograms &programs,
                                           const Executor &execute,
                                           int length) {
  for (size_t i = 0; i < systems.size(); ++i) {
    ScalerStep first = programs.first(i);
    ASSERT_EQ(first.scale(), systems[i].scaler->scale()) << systems[i].options;
    Walk walk(systems[i], i, programs, execute);
    if (!walk.run(first, *systems[i].scaler, "", length))
      return;
  }
}

std::vector<std::string>
mpc::conformance::settingsOf(const std::vector<System> &systems) {
  std::vector<std::string> settings;
  for (const System &system : systems)
    settings.push_back(system.options);
  return settings;
}

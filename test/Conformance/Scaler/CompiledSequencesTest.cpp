// Every sequence of at most twelve steps through kernels compiled for the CPU.
#include "Numerics/Kernels/TestedModules.h"
#include "Sequences.h"
#include <gtest/gtest.h>

using namespace mpc::conformance;

TEST(ScalerSequences, compiledKernels) {
  std::vector<System> all = systems();
  StepPrograms programs(settingsOf(all));
  ASSERT_TRUE(programs.isValid());
  std::string target = mpc::test::getTestedTargets().back();
  auto module = mpc::test::compileForTest(programs.text(), target);
  ASSERT_TRUE(module->isValid());
  Executor execute = [&](const std::string &name, const auto &arguments) {
    return module->run(name, arguments, {});
  };
  compareAllSequences(all, programs, execute, 12);
}

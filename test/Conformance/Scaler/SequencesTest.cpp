// Every sequence of at most twelve finite and overflowing steps, every system.
#include "Sequences.h"
#include <gtest/gtest.h>

using namespace mpc::conformance;

TEST(ScalerSequences, referenceInterpreter) {
  std::vector<System> all = systems();
  StepPrograms programs(settingsOf(all));
  ASSERT_TRUE(programs.isValid());
  compareAllSequences(all, programs, programs.reference(), 12);
}

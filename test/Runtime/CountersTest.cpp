// Steps are counted up to 2^31 - 1, and not beyond.
#include "OpenSession.h"

#include <cstring>

using namespace mpc;
using namespace mpc::test;

namespace {

constexpr int32_t kLast = 2147483647;

/// "step" takes the next value of its counter from outside.
struct CountersTest : testing::Test {
  HandMade made;
  std::unique_ptr<Session> session;

  CountersTest() {
    constexpr ElementType i32 = ElementType::I32;
    Init zero(InitKind::Zeros, 0, 0);
    Arg counter = made.state("step", i32, {}, zero, Role::StepCounter);
    made.state("biases.step", i32, {}, zero, Role::StepCounter);
    made.state("other", i32, {}, zero, Role::Moment);
    EntryT &step = made.entry("step");
    Arg next = HandMade::input(step, "next", i32, {});
    HandMade::record(step, RecordKind::Copy, 0, {next, counter}, 4);
    HandMade::input(made.entry("accumulate"), "next", i32, {});
    made.entry("forward");
    session = open(made);
    EXPECT_TRUE(session->initialize(1).ok());
  }
  Status step(int32_t next, uint32_t entry = 0) {
    runtime::Input input = {&next, sizeof next};
    return session->run(entry, {&input, 1});
  }
  Status set(const char *name, int32_t value) {
    return session->setState(name, {DType::I32, {}, &value, sizeof value});
  }
  int32_t counted() {
    return getState<int32_t>(*session, "step", {}, DType::I32)[0];
  }
};

} // namespace

TEST_F(CountersTest, AStepBeyondTheLastIsRefused) {
  ASSERT_TRUE(set("step", kLast - 1).ok());
  ASSERT_TRUE(step(kLast).ok());
  Status refused = step(-kLast - 1);
  EXPECT_EQ(refused.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(refused.message(),
            "state 'step' is 2147483647, the last step that it can count; to "
            "go on, begin anew with the parameters alone");
  EXPECT_EQ(counted(), kLast);
  // Nor is the first part of such a step run, but what counts none is.
  EXPECT_EQ(step(0, /*entry=*/1).message(), refused.message());
  EXPECT_TRUE(session->run(2, {}).ok());
  EXPECT_TRUE(session->checkComplete().ok());
  // Any counter may be the first to be there, and all may begin again.
  ASSERT_TRUE(set("step", 0).ok());
  ASSERT_TRUE(step(1).ok());
  ASSERT_TRUE(set("biases.step", kLast).ok());
  EXPECT_TRUE(step(2).message().starts_with("state 'biases.step' is 2147"));
  ASSERT_TRUE(session->initialize(1).ok());
  EXPECT_TRUE(step(1).ok());
}

TEST_F(CountersTest, SkippedStepsTakeNoRoom) {
  ASSERT_TRUE(set("step", kLast - 1).ok());
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(step(kLast - 1).ok());
  EXPECT_TRUE(step(kLast).ok());
  EXPECT_FALSE(step(kLast).ok());
}

/// "init", which would be run first, takes the outputs of the run before.
TEST_F(CountersTest, ARefusedStepTakesNoOutputs) {
  constexpr ElementType i32 = ElementType::I32;
  Arg w = made.state("w", i32, {});
  Arg copy = made.state("w.copy", i32, {}, Init(InitKind::Derived, 0, 0),
                        Role::WeightCopy);
  HandMade::record(made.entry("init"), RecordKind::Copy, 0, {w, copy}, 4);
  EntryT &step = *made.program.entries[0];
  Arg seen = made.arena(4);
  HandMade::record(step, RecordKind::Copy, 0, {Arg(Space::Input, 0, 0), seen},
                   4);
  HandMade::output(step, "seen", i32, {}, seen);
  session = open(made);
  ASSERT_TRUE(session->initialize(1).ok());
  ASSERT_TRUE(this->step(7).ok());
  ASSERT_TRUE(set("w", 3).ok());
  ASSERT_TRUE(set("biases.step", kLast).ok());
  EXPECT_FALSE(this->step(8).ok());
  auto output = session->output(0, 0);
  ASSERT_TRUE(output) << output.status().message();
  int32_t value = 0;
  std::memcpy(&value, output->data(), sizeof value);
  EXPECT_EQ(value, 7);
}

/// The file of a stranger may begin at any count.
TEST_F(CountersTest, TheFirstValueCounts) {
  made.program.states[1]->init =
      std::make_unique<Init>(InitKind::Fill, kLast, 0);
  session = open(made);
  ASSERT_TRUE(session->initialize(1).ok());
  EXPECT_TRUE(step(1).message().starts_with("state 'biases.step' is 2147"));
}

TEST_F(CountersTest, CountsBeginAtZero) {
  EXPECT_EQ(set("step", -1).message(),
            "state 'step': expected a count of 0 to 2147483647, but got -1");
  EXPECT_EQ(counted(), 0);
  EXPECT_TRUE(set("other", -1).ok());
}

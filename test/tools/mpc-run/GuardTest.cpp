// However mpc-run ends, it says why, with the exit code that
// docs/CommandLine.md lists.
#include "Failure.h"

#include <gtest/gtest.h>

using namespace mpc::run;

namespace {

struct End {
  Exit code;
  std::string errors;
};

End endOf(const std::function<Exit()> &body) {
  testing::internal::CaptureStderr();
  Exit code = guard(body);
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(Guard, PassesOnTheExitCode) {
  End good = endOf([] { return Exit::Ok; });
  EXPECT_EQ(good.code, Exit::Ok);
  EXPECT_EQ(good.errors, "");
  EXPECT_EQ(endOf([] { return Exit::Interrupted; }).code, Exit::Interrupted);
}

TEST(Guard, TellsFailures) {
  End usage = endOf([]() -> Exit { throw usageError("no such option"); });
  EXPECT_EQ(usage.code, Exit::Usage);
  EXPECT_EQ(usage.errors, "mpc-run: error: no such option\n");
  EXPECT_EQ(endOf([]() -> Exit { throw badInput("no"); }).code, Exit::BadInput);
}

/// Whose a failure of the training library is, scripts read from the code.
TEST(Guard, TellsWhatTheLibrarySays) {
  using mpc::train::Fault;
  const std::pair<Fault, Exit> cases[] = {
      {Fault::Options, Exit::Usage},           {Fault::Input, Exit::BadInput},
      {Fault::System, Exit::Failed},           {Fault::Busy, Exit::Busy},
      {Fault::Interrupted, Exit::Interrupted},
  };
  for (const auto &[fault, code] : cases) {
    End end = endOf([&, fault = fault]() -> Exit {
      return require(mpc::train::Expected<Exit>({fault, "no luck"}));
    });
    EXPECT_EQ(end.code, code);
    EXPECT_EQ(end.errors, "mpc-run: error: no luck\n");
  }
}

/// What std::bad_alloc says of itself helps nobody.
TEST(Guard, TellsThatThereIsNoMemory) {
  End end = endOf([]() -> Exit { throw std::bad_alloc(); });
  EXPECT_EQ(end.code, Exit::Failed);
  EXPECT_EQ(end.errors, "mpc-run: error: out of memory\n");
}

/// A defect of the tool or of a library, which threw what nobody expected.
TEST(Guard, TellsWhateverIsThrown) {
  End end = endOf([]() -> Exit { throw std::length_error("vector::reserve"); });
  EXPECT_EQ(end.code, Exit::Failed);
  EXPECT_EQ(end.errors, "mpc-run: error: vector::reserve\n");
}

} // namespace

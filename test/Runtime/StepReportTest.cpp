// What a step tells, and what may be set between steps.
#include "LineProgram.h"
#include "OpenSession.h"

#include <cmath>

using namespace mpc;
using namespace mpc::test;

/// A step whose outputs are states, one of each field and of many types.
static HandMade makeReportingProgram(double loss) {
  HandMade made;
  EntryT &step = made.entry("step");
  auto report = [&](const char *name, ElementType type, double value,
                    Dims shape = {}) {
    Arg at = made.state(std::string("s.") + name, type, shape,
                        Init(InitKind::Fill, value, 0), Role::Counter);
    HandMade::output(step, name, type, shape, at);
  };
  report("loss", ElementType::F64, loss);
  report("scale", ElementType::F32, 65536);
  report("grad_norm", ElementType::F16, 0.5);
  report("found_inf", ElementType::I1, 1);
  report("lr", ElementType::BF16, 0.25);
  report("step", ElementType::I32, 41);
  report("consecutive_skips", ElementType::I64, 3);
  report("scale_at_floor", ElementType::F32, 1, {2}); // the model's own
  made.code("x86-64-v3", readKernels());
  return made;
}

TEST(StepReport, ReportsTheStep) {
  HandMade made = makeReportingProgram(2.5);
  auto session = open(made);
  ASSERT_TRUE(session->initialize(1).ok());
  EXPECT_EQ(session->stepReport(0).status().code(), StatusCode::NotFound);
  ASSERT_TRUE(session->run(0, {}).ok());
  auto found = session->stepReport(0);
  ASSERT_TRUE(found) << found.status().message();
  using enum runtime::ReportField;
  const runtime::StepReport &report = *found;
  EXPECT_EQ(report[Loss], 2.5);
  EXPECT_EQ(report[Scale], 65536);
  EXPECT_EQ(report[GradNorm], 0.5);
  EXPECT_EQ(report[FoundInf], 1);
  EXPECT_EQ(report[LearningRate], 0.25);
  EXPECT_EQ(report[Step], 41);
  EXPECT_EQ(report[ConsecutiveSkips], 3);
  EXPECT_EQ(report[ScaleAtFloor], std::nullopt);
  EXPECT_EQ(report[NonFiniteGrad], std::nullopt);
  EXPECT_EQ(report.hasNonFiniteLoss(), false);
  EXPECT_EQ(session->stepReport(1).status().code(), StatusCode::NotFound);

  HandMade none;
  none.entry("forward");
  auto other = open(none);
  EXPECT_EQ(other->stepReport(0).status().message(),
            "expected a program with an entry 'step', but it has none: there "
            "is no step to report on");
}

/// A program needs no scaler to say that its loss was inf or NaN.
TEST(StepReport, TellsOfALossThatIsNotFinite) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (double loss : {inf, -inf, std::nan("")}) {
    HandMade made = makeReportingProgram(loss);
    auto session = open(made);
    ASSERT_TRUE(session->initialize(1).ok());
    ASSERT_TRUE(session->run(0, {}).ok());
    auto report = session->stepReport(0);
    ASSERT_TRUE(report) << report.status().message();
    EXPECT_EQ(report->hasNonFiniteLoss(), true) << loss;
  }
  EXPECT_EQ(runtime::StepReport().hasNonFiniteLoss(), std::nullopt);
}

/// A scale that nothing could lead back from is refused; what else the scaler
/// keeps is left alone.
TEST(Session, LossScaleIsSetBetweenSteps) {
  HandMade made = makeLineProgram();
  made.state("scaler.scale", ElementType::F32, {},
             Init(InitKind::Fill, 65536, 0), Role::LossScale);
  made.state("scaler.growth_tracker", ElementType::I32, {},
             Init(InitKind::Fill, 3, 0), Role::Scaler);
  auto session = open(made);
  ASSERT_TRUE(session->initialize(1).ok());
  Dims scalar = {};
  auto set = [&](float value) {
    return session->setState("scaler.scale", {DType::F32, scalar, &value, 4});
  };
  auto get = [&] {
    return getState<float>(*session, "scaler.scale", {}, DType::F32)[0];
  };
  const float inf = std::numeric_limits<float>::infinity();
  for (float bad : {0.0f, 1e-40f, -2.0f, inf, std::nanf("")})
    EXPECT_EQ(set(bad).code(), StatusCode::InvalidArgument);
  EXPECT_EQ(set(0).message(),
            "state 'scaler.scale': expected a finite loss scale greater than 0 "
            "whose reciprocal is finite in f32, but got 0");
  EXPECT_EQ(get(), 65536);
  EXPECT_TRUE(set(1024).ok());
  EXPECT_EQ(get(), 1024);
  EXPECT_EQ(
      getState<int32_t>(*session, "scaler.growth_tracker", {}, DType::I32)[0],
      3);
}

/// What a checkpoint holds is enough to go on.
TEST(Session, AccumulatorsNeedNoValue) {
  HandMade made = makeLineProgram();
  made.state("w.grad", ElementType::F32, {1, 1}, Init(InitKind::Zeros, 0, 0),
             Role::Accumulator);
  auto session = open(made);
  float value = 5;
  Dims matrix = {1, 1}, row = {1}, scalar = {};
  ASSERT_TRUE(session->setState("w", {DType::F32, matrix, &value, 4}).ok());
  ASSERT_TRUE(session->setState("b", {DType::F32, row, &value, 4}).ok());
  ASSERT_TRUE(
      session->setState("optimizer.lr", {DType::F32, scalar, &value, 4}).ok());
  ASSERT_TRUE(session->refresh().ok());
  EXPECT_EQ(getState<float>(*session, "w.grad", {1, 1}, DType::F32)[0], 0);
}

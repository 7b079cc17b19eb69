// Training through the library: what is told, saved and resumed.
#include "ToyRun.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

using namespace mpc;
using namespace mpc::test;

namespace {

using TrainLibrary = ToyRun;

TEST_F(TrainLibrary, TellsWhatItDoesInOrder) {
  train::TrainOptions options = this->options();
  options.saving.file = path("w");
  Recorder recorder;
  auto run = train::train(options, recorder);
  ASSERT_TRUE(run) << run.message();
  EXPECT_EQ(run->end, train::TrainResult::Done);
  EXPECT_EQ(recorder.calls, (std::vector<std::string>{"guarded", "begin",
                                                      "trained", "summary"}));
  EXPECT_EQ(recorder.plan.firstStep, 0u);
  EXPECT_EQ(recorder.plan.lastStep, 4 * kSteps);
  EXPECT_EQ(recorder.plan.stepsPerEpoch, kSteps);
  EXPECT_EQ(recorder.plan.samplesPerStep, uint64_t(kBatch));
  ASSERT_EQ(recorder.steps.size(), 4 * kSteps);
  for (uint64_t i = 0; i < recorder.steps.size(); ++i) {
    EXPECT_EQ(recorder.steps[i].step, i + 1);
    EXPECT_EQ(recorder.steps[i].epoch, i / kSteps + 1);
  }
  EXPECT_EQ(recorder.notes, std::vector<std::string>{"saved " + path("w")});
  EXPECT_TRUE(recorder.warnings.empty());

  // Means over the last epoch of what was told of steps that were taken.
  double sum = 0;
  uint64_t taken = 0, skipped = 0;
  for (const train::StepMetrics &step : recorder.steps) {
    skipped += step.wasSkipped();
    if (step.epoch < 4 || step.wasSkipped())
      continue;
    sum += step.loss.value();
    ++taken;
  }
  const train::Summary &summary = run->summary;
  ASSERT_GT(taken, 0u);
  EXPECT_DOUBLE_EQ(summary.loss.value(), sum / double(taken));
  EXPECT_LT(summary.loss.value(), recorder.steps.front().loss.value());
  EXPECT_EQ(summary.skipped, skipped);
  EXPECT_EQ(summary.steps, 4 * kSteps);
  EXPECT_EQ(summary.stepsHere, 4 * kSteps);
  EXPECT_GT(summary.usedBytes, 0u);
}

/// In as many parts as one likes, training gives the same bits.
TEST_F(TrainLibrary, ResumesToTheBit) {
  train::TrainOptions whole = options();
  whole.saving.file = path("whole");
  ASSERT_TRUE(train::train(whole));
  train::TrainOptions part = options();
  part.epochs.reset();
  part.steps = 7;
  part.device.threads = 1;
  part.saving.file = path("part");
  ASSERT_TRUE(train::train(part));
  EXPECT_NE(get("whole"), get("part"));
  part.steps = 4 * kSteps;
  part.seed.reset(); // that of the file
  part.resume = path("part");
  part.device.threads = 2;
  Recorder recorder;
  auto run = train::train(part, recorder);
  ASSERT_TRUE(run) << run.message();
  EXPECT_EQ(recorder.plan.firstStep, 7u);
  EXPECT_EQ(run->summary.stepsHere, 4 * kSteps - 7);
  EXPECT_EQ(get("whole"), get("part"));
}

/// The flag ends training after the step under way; nothing is lost.
TEST_F(TrainLibrary, EndsWhenItsFlagIsSetAndGoesOnLater) {
  train::TrainOptions whole = options();
  whole.saving.file = path("whole");
  ASSERT_TRUE(train::train(whole));

  std::atomic<bool> stop = false;
  train::TrainOptions part = options();
  part.saving.file = path("part");
  part.stop = &stop;
  Recorder recorder;
  recorder.duringStep = [&](const train::StepMetrics &step) {
    stop = stop || step.step == 6;
  };
  auto run = train::train(part, recorder);
  ASSERT_TRUE(run) << run.message();
  EXPECT_EQ(run->end, train::TrainResult::Interrupted);
  // A step is told while the next one is under way.
  EXPECT_GE(run->summary.steps, 6u);
  EXPECT_LE(run->summary.steps, 7u);
  EXPECT_EQ(recorder.steps.size(), run->summary.steps);
  ASSERT_FALSE(recorder.notes.empty());
  EXPECT_EQ(recorder.notes.front(), "interrupted at step " +
                                        std::to_string(run->summary.steps) +
                                        " of " + std::to_string(4 * kSteps));

  stop = false;
  part.resume = path("part");
  part.seed.reset();
  run = train::train(part);
  ASSERT_TRUE(run) << run.message();
  EXPECT_EQ(run->end, train::TrainResult::Done);
  EXPECT_EQ(get("whole"), get("part"));
}

/// A scale that no skip brings down in time.
TEST_F(TrainLibrary, StopsWhenItDoesNotGetOn) {
  train::TrainOptions options = this->options();
  options.scale = 1e30;
  options.maxSkips = 3;
  options.saving.file = path("w");
  auto run = train::train(options);
  ASSERT_TRUE(run) << run.message();
  EXPECT_EQ(run->end, train::TrainResult::Stopped);
  EXPECT_NE(run->reason.find("3 steps in a row were skipped"),
            std::string::npos)
      << run->reason;
  EXPECT_TRUE(std::filesystem::exists(path("w")));
}

TEST_F(TrainLibrary, WritesMetricsOfStepsAndEvaluations) {
  train::TrainOptions options = this->options();
  options.epochs = 2;
  options.metrics = path("m.jsonl");
  options.summary = path("s.json");
  options.evalFiles = data();
  options.data.ignore = "label";
  options.accuracy = {{"logits", "label"}};
  Recorder recorder;
  auto run = train::train(options, recorder);
  ASSERT_TRUE(run) << run.message();
  ASSERT_EQ(recorder.evaluations.size(), 2u);
  EXPECT_EQ(recorder.evaluations[0].epoch, 1u);
  EXPECT_EQ(recorder.evaluations[1].step, 2 * kSteps);
  EXPECT_EQ(recorder.evaluations[1].samples, uint64_t(kSamples));
  EXPECT_EQ(run->summary.evalLoss, recorder.evaluations[1].loss);
  EXPECT_EQ(run->summary.evalAccuracy, recorder.evaluations[1].accuracy);
  std::string lines = get("m.jsonl");
  EXPECT_EQ(std::ranges::count(lines, '\n'), ptrdiff_t(2 * kSteps + 2));
  EXPECT_NE(get("s.json").find("\"steps\": 10"), std::string::npos);
  EXPECT_FALSE(recorder.steps.front().scalars.empty());
}

/// Runs that share nothing may go on side by side.
TEST_F(TrainLibrary, RunsInThreadsOfTheApplication) {
  auto run = [&](const char *file) {
    train::TrainOptions options = this->options();
    options.device.threads = 1;
    options.saving.file = path(file);
    options.metrics = options.saving.file + ".jsonl";
    return static_cast<bool>(train::train(options));
  };
  ASSERT_TRUE(run("alone"));
  bool areDone[2] = {};
  std::thread first([&] { areDone[0] = run("first"); });
  std::thread second([&] { areDone[1] = run("second"); });
  first.join();
  second.join();
  EXPECT_TRUE(areDone[0] && areDone[1]);
  EXPECT_EQ(get("first"), get("alone"));
  EXPECT_EQ(get("second"), get("alone"));
}

/// An application has its own terminal and its own signals.
TEST_F(TrainLibrary, PrintsNothingAndLeavesSignalsAlone) {
  constexpr int signals[] = {SIGINT,  SIGTERM, SIGHUP,
                             SIGPIPE, SIGXFSZ, SIGCHLD};
  auto handlers = [&] {
    std::vector<void (*)(int)> list;
    for (int signal : signals) {
      struct sigaction action = {};
      EXPECT_EQ(sigaction(signal, nullptr, &action), 0);
      list.push_back(action.sa_handler);
    }
    return list;
  };
  auto before = handlers(), during = before;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Recorder recorder;
  recorder.duringStep = [&](const train::StepMetrics &) {
    during = handlers();
  };
  train::TrainOptions options = this->options();
  options.saving.file = path("w");
  bool isDone = static_cast<bool>(train::train(options, recorder));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(isDone);
  EXPECT_EQ(during, before);
  EXPECT_EQ(handlers(), before);
}

} // namespace

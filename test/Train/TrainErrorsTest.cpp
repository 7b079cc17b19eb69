// What goes wrong comes back as a value, and says whose it is to cure.
#include "ToyRun.h"

#include "mpc/Train/Profile.h"

#include <stdexcept>

using namespace mpc;
using namespace mpc::test;
using train::Fault;

namespace {

using TrainErrors = ToyRun;

#define EXPECT_FAULT(result, who, words)                                       \
  do {                                                                         \
    const auto &got = (result);                                                \
    ASSERT_FALSE(got);                                                         \
    EXPECT_EQ(got.status().fault(), who) << got.message();                     \
    EXPECT_NE(got.message().find(words), std::string::npos) << got.message();  \
  } while (false)

TEST_F(TrainErrors, AFileThatIsMissingIsTheInputs) {
  train::TrainOptions options = this->options();
  options.data.files[0].second = path("no.raw");
  EXPECT_FAULT(train::train(options), Fault::Input, path("no.raw"));
  options = this->options();
  options.data.files.pop_back();
  EXPECT_FAULT(train::train(options), Fault::Input, "'label'");
  options = this->options();
  options.program.path = path("no.mpcx");
  EXPECT_FAULT(train::train(options), Fault::Input, path("no.mpcx"));
  options = this->options();
  options.resume = path("no.safetensors");
  options.seed.reset();
  EXPECT_FAULT(train::train(options), Fault::Input, path("no.safetensors"));
}

TEST_F(TrainErrors, DataThatDoesNotFitIsTheInputs) {
  train::TrainOptions options = this->options();
  put("x.raw", get("x.raw").substr(1));
  EXPECT_FAULT(train::train(options), Fault::Input, path("x.raw"));
  constexpr size_t few = kBatch - 1;
  put("x.raw", asText(pixels).substr(0, few * kPixels * sizeof(float)));
  put("label.raw", asText(labels).substr(0, few * sizeof(int32_t)));
  EXPECT_FAULT(train::train(options), Fault::Input,
               "at least one batch of 4 samples, but got 3 samples");
}

/// Native code runs with all that the application may do: it has to say so.
TEST_F(TrainErrors, CodeThatIsNotAllowedIsNotLoaded) {
  train::TrainOptions options = this->options();
  options.program.allowCode = false;
  EXPECT_FAULT(train::train(options), Fault::Input,
               "2 compiled kernels, which 'allowCode = false' keeps out");
}

TEST_F(TrainErrors, OptionsThatContradictAreTheCallers) {
  using Change = std::function<void(train::TrainOptions &)>;
  const std::pair<const char *, Change> cases[] = {
      {"'--steps' and '--epochs'", [](auto &o) { o.steps = 1; }},
      {"'--resume' goes on with the seed", [](auto &o) { o.resume = "w"; }},
      {"'--weights' and '--resume'",
       [](auto &o) {
         o.weights = o.resume = "w";
         o.seed.reset();
       }},
      {"'--save-every' needs '--save'",
       [](auto &o) { o.saving.every = train::SaveInterval{1, {}}; }},
      {"'--save-best' needs '--save'",
       [](auto &o) { o.saving.best = train::BestRule{"eval_loss"}; }},
      {"'--keep' needs '--save-every'", [](auto &o) { o.saving.keep = 1; }},
      {"'--accuracy' needs '--eval-input'",
       [](auto &o) { o.accuracy = {{"logits", "label"}}; }},
      {"'--eval-every' needs '--eval-input'", [](auto &o) { o.evalEvery = 1; }},
      {"'--eval-steps' needs '--eval-input'", [](auto &o) { o.evalSteps = 1; }},
      {"'--eval-steps': expected 1 or more, but got 0",
       [](auto &o) {
         o.evalFiles = {{"x", "x.npy"}};
         o.evalSteps = 0;
       }},
      {"'--eval-every' and '--eval-steps' exclude each other",
       [](auto &o) {
         o.evalFiles = {{"x", "x.npy"}};
         o.evalEvery = o.evalSteps = 1;
       }},
      {"'--lr': expected a finite number", [](auto &o) { o.lr = NAN; }},
      {"'--scale': expected a finite number", [](auto &o) { o.scale = 0; }},
      {"'--save-every': expected more than nothing",
       [](auto &o) {
         o.saving.file = "w";
         o.saving.every = train::SaveInterval{0, {}};
       }},
      {"'--device' means nothing for a program of target 'cpu'",
       [](auto &o) { o.device.device = 0; }},
  };
  for (const auto &[words, change] : cases) {
    train::TrainOptions options = this->options();
    change(options);
    EXPECT_FAULT(train::train(options), Fault::Options, words);
  }
}

/// What could be known at once costs no training.
TEST_F(TrainErrors, AFileThatCannotBeWrittenIsToldBeforeTraining) {
  train::TrainOptions options = this->options();
  options.saving.file = path("no/w");
  Recorder recorder;
  EXPECT_FAULT(train::train(options, recorder), Fault::System, path("no/w"));
  EXPECT_TRUE(recorder.calls.empty());
  options.saving.file = path("x.raw");
  EXPECT_FAULT(train::train(options), Fault::Options, "a file of its own");
}

/// A save on the way that fails is a warning; the one at the end is a failure.
TEST_F(TrainErrors, ASaveThatFailsIsTold) {
  std::filesystem::create_directory(path("place"));
  train::TrainOptions options = this->options();
  options.saving.file = path("place/w");
  options.saving.every = train::SaveInterval{kSteps, {}};
  Recorder recorder;
  recorder.duringStep = [&](const train::StepMetrics &step) {
    if (step.step == kSteps + 1)
      std::filesystem::remove_all(path("place"));
  };
  auto run = train::train(options, recorder);
  EXPECT_FAULT(run, Fault::System, path("place/w"));
  ASSERT_EQ(recorder.warnings.size(), 3u); // after 2, 3 and 4 epochs
  EXPECT_EQ(recorder.warnings[0].find("not saved at step 10: "), 0u)
      << recorder.warnings[0];
  EXPECT_EQ(recorder.steps.size(), 4 * kSteps); // training went on
  ASSERT_FALSE(recorder.notes.empty());
  EXPECT_EQ(recorder.notes.back(), "the state of step 20 is lost; '" +
                                       path("place/w") +
                                       "' holds that of step 5");
}

/// Another run, of this process or another, does not write the same files.
TEST_F(TrainErrors, TwoRunsDoNotWriteOneFile) {
  train::TrainOptions options = this->options();
  options.saving.file = path("w");
  bool wasTried = false;
  Recorder recorder;
  recorder.duringStep = [&](const train::StepMetrics &step) {
    if (step.step != 1)
      return;
    wasTried = true;
    EXPECT_FAULT(train::train(options), Fault::Busy, path("w"));
  };
  auto run = train::train(options, recorder);
  ASSERT_TRUE(run) << run.message();
  EXPECT_TRUE(wasTried);
  EXPECT_TRUE(train::train(options)); // the lock went with the run
}

/// An exception of the application's own does not pass the library: training
/// ends, and what was trained is saved.
TEST_F(TrainErrors, WhatAnObserverThrowsComesBack) {
  train::TrainOptions options = this->options();
  options.saving.file = path("w");
  Recorder recorder;
  recorder.duringStep = [](const train::StepMetrics &step) {
    if (step.step == 3)
      throw std::runtime_error("the plot has no window");
  };
  EXPECT_FAULT(train::train(options, recorder), Fault::System,
               "the plot has no window");
  EXPECT_LT(recorder.steps.size(), 4 * kSteps);
  EXPECT_TRUE(std::filesystem::exists(path("w")));
  // The first failure counts, and no later one keeps the state from its file.
  std::filesystem::remove(path("w"));
  struct Hostile : Recorder {
    void onTrained() override { throw std::runtime_error("trained"); }
    void onSummary(const train::Summary &) override {
      throw std::runtime_error("summary");
    }
    void onWarning(const std::string &) override {
      throw std::runtime_error("warning");
    }
  } hostile;
  hostile.duringStep = recorder.duringStep;
  EXPECT_FAULT(train::train(options, hostile), Fault::System,
               "the plot has no window");
  EXPECT_TRUE(std::filesystem::exists(path("w")));
  recorder.duringStep = [](const train::StepMetrics &) { throw 7; };
  EXPECT_FAULT(train::train(options, recorder), Fault::System, "exception");
}

TEST_F(TrainErrors, AProfileNeedsTheSource) {
  train::ProfileOptions options;
  options.program = {MPC_TEST_TOY_PROGRAM, /*allowCode=*/true};
  options.data.files = data();
  Recorder recorder;
  EXPECT_FAULT(train::profile(options, recorder), Fault::Options, "'-o FILE'");
  options.output = path("profile.json");
  EXPECT_FAULT(train::profile(options, recorder), Fault::Input,
               "expected a program with its source");
  EXPECT_FALSE(std::filesystem::exists(options.output));
}

} // namespace

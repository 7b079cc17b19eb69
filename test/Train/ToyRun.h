// Runs of the toy program (test/tools/make-toy-program) through the library,
// each test in a folder of its own with data for it.
#ifndef MPC_TEST_TRAIN_TOYRUN_H
#define MPC_TEST_TRAIN_TOYRUN_H

#include "../Data/TemporaryFolder.h"

#include "mpc/Train/Train.h"

#include <cmath>
#include <functional>

namespace mpc::test {

/// Writes down what it is told.
struct Recorder : train::Observer {
  void onGuarded() override { calls.push_back("guarded"); }
  void onBegin(const train::RunPlan &run) override {
    calls.push_back("begin");
    plan = run;
  }
  void onStep(const train::StepMetrics &step) override {
    steps.push_back(step);
    if (duringStep)
      duringStep(step);
  }
  void onEvaluation(const train::EvaluationMetrics &found) override {
    evaluations.push_back(found);
  }
  void onTrained() override { calls.push_back("trained"); }
  void onSummary(const train::Summary &) override {
    calls.push_back("summary");
  }
  void onNote(const std::string &text) override { notes.push_back(text); }
  void onWarning(const std::string &text) override { warnings.push_back(text); }

  std::vector<std::string> calls, notes, warnings;
  train::RunPlan plan;
  std::vector<train::StepMetrics> steps;
  std::vector<train::EvaluationMetrics> evaluations;
  std::function<void(const train::StepMetrics &)> duringStep;
};

class ToyRun : public TemporaryFolder {
protected:
  static constexpr int kSamples = 22, kPixels = 3, kClasses = 2, kBatch = 4;
  /// Whole steps of an epoch.
  static constexpr uint64_t kSteps = kSamples / kBatch;

  ToyRun() {
    for (int i = 0; i < kSamples; ++i) {
      labels.push_back((5 * i * i + i / 3) % 2);
      for (int k = 0; k < kPixels; ++k)
        pixels.push_back(0.3f * std::sin(float(7 * i + k)) +
                         float(labels.back() == k));
    }
    put("x.raw", asText(pixels));
    put("label.raw", asText(labels));
  }

  template <typename T> static std::string asText(const std::vector<T> &list) {
    return {reinterpret_cast<const char *>(list.data()),
            list.size() * sizeof(T)};
  }

  train::NamePairs data() const {
    return {{"x", path("x.raw")}, {"label", path("label.raw")}};
  }
  /// Four epochs, nothing written.
  train::TrainOptions options() const {
    train::TrainOptions options;
    options.program = {MPC_TEST_TOY_PROGRAM, /*allowCode=*/true};
    options.data.files = data();
    options.epochs = 4;
    options.seed = 3;
    return options;
  }

  std::vector<float> pixels;
  std::vector<int32_t> labels;
};

} // namespace mpc::test

#endif // MPC_TEST_TRAIN_TOYRUN_H

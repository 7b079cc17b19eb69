// What evaluate and predict say of the toy program, computed again from its
// definition: linear least squares.
#include "ToyRun.h"

#include "mpc-c/Runtime.hpp"
#include "mpc/Train/Evaluate.h"

#include <cstring>

using namespace mpc;
using namespace mpc::test;

namespace {

class EvaluateLibrary : public ToyRun {
protected:
  EvaluateLibrary() {
    train::TrainOptions training = options();
    training.saving.file = path("w");
    EXPECT_TRUE(train::train(training));
  }

  train::EvaluateOptions evaluation() const {
    train::EvaluateOptions options;
    options.program = {MPC_TEST_TOY_PROGRAM, /*allowCode=*/true};
    options.data.files = data();
    options.data.ignore = "label"; // 22 samples do not fill batches of 4
    options.weights = path("w");
    options.outputs = {{"logits", ""}};
    return options;
  }

  /// The logits of all samples, from the weights that were saved.
  std::vector<float> expectedLogits() const {
    auto program = rt::Program::load(MPC_TEST_TOY_PROGRAM, {true});
    auto session = rt::Session::create(program.value());
    EXPECT_TRUE(session->load(path("w")));
    std::vector<float> w = session->state<float>("w").value();
    std::vector<float> logits;
    for (int i = 0; i < kSamples; ++i)
      for (int c = 0; c < kClasses; ++c) {
        double sum = 0;
        for (int k = 0; k < kPixels; ++k)
          sum += double(pixels[size_t(i * kPixels + k)]) *
                 double(w[size_t(k * kClasses + c)]);
        logits.push_back(float(sum));
      }
    return logits;
  }

  static void expectNear(const train::OutputTensor &tensor,
                         const std::vector<float> &expected) {
    EXPECT_EQ(tensor.name, "logits");
    EXPECT_EQ(tensor.type, "f32");
    EXPECT_EQ(tensor.shape, (std::vector<int64_t>{kSamples, kClasses}));
    ASSERT_EQ(tensor.bytes.size(), expected.size() * sizeof(float));
    std::vector<float> values(expected.size());
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(values[i], expected[i], 1e-5) << i;
  }
};

TEST_F(EvaluateLibrary, FindsLossAndAccuracyOfAllSamples) {
  std::vector<float> logits = expectedLogits();
  double loss = 0, right = 0;
  for (size_t i = 0; i < size_t(kSamples); ++i) {
    const float *row = &logits[i * kClasses];
    for (int c = 0; c < kClasses; ++c)
      loss += 0.5 * std::pow(double(row[c]) - (labels[i] == c), 2) / kSamples;
    right += (row[1] > row[0]) == (labels[i] == 1);
  }
  train::EvaluateOptions options = evaluation();
  options.accuracy = {{"logits", "label"}};
  options.metrics = path("m.jsonl");
  Recorder recorder;
  auto found = train::evaluate(options, recorder);
  ASSERT_TRUE(found) << found.message();
  EXPECT_EQ(found->samples, uint64_t(kSamples));
  EXPECT_NEAR(found->loss.value(), loss, 1e-6);
  EXPECT_DOUBLE_EQ(found->accuracy.value(), right / kSamples);
  ASSERT_EQ(found->outputs.size(), 1u);
  expectNear(found->outputs.front(), logits);
  ASSERT_EQ(recorder.evaluations.size(), 1u);
  EXPECT_EQ(recorder.evaluations.front().loss, found->loss);
  EXPECT_EQ(recorder.calls, std::vector<std::string>{"guarded"});
  EXPECT_NE(get("m.jsonl").find("\"eval_loss\":"), std::string::npos);
}

TEST_F(EvaluateLibrary, PredictsInMemoryAndInFiles) {
  train::EvaluateOptions options = evaluation();
  options.data.ignore = "";
  options.outputs.push_back({"logits", path("y.raw")});
  auto found = train::predict(options);
  ASSERT_TRUE(found) << found.message();
  EXPECT_FALSE(found->loss);
  ASSERT_EQ(found->outputs.size(), 2u);
  expectNear(found->outputs[0], expectedLogits());
  auto *bytes = reinterpret_cast<const char *>(found->outputs[1].bytes.data());
  EXPECT_EQ(get("y.raw"), std::string(bytes, found->outputs[1].bytes.size()));
}

TEST_F(EvaluateLibrary, ErrorsAreValues) {
  train::EvaluateOptions options = evaluation();
  options.weights = "";
  Recorder recorder;
  auto found = train::evaluate(options, recorder);
  EXPECT_EQ(found.status().fault(), train::Fault::Options);
  EXPECT_NE(found.message().find("'--weights FILE'"), std::string::npos);
  options = evaluation();
  options.outputs = {{"logit", ""}};
  found = train::evaluate(options, recorder);
  EXPECT_EQ(found.status().fault(), train::Fault::Input);
  EXPECT_NE(found.message().find("it has 'loss', 'logits'"), std::string::npos)
      << found.message();
  EXPECT_TRUE(recorder.evaluations.empty());
  options = evaluation();
  options.metrics = path("m.jsonl");
  EXPECT_EQ(train::predict(options).status().fault(), train::Fault::Options);
}

} // namespace

// No option is without effect: one that is for another, which was not chosen,
// is refused and to blame. The list is from docs/Compiling.md and
// docs/LossScaling.md, which say what each is for.
#include "mlir/IR/MLIRContext.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/IR/SettingOverrides.h"
#include "mpc/Dialect/Graph/IR/TrainingSettings.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::graph;

namespace {

struct Row {
  std::string name, value;
  SettingTexts with;    ///< What it is for.
  SettingTexts without; ///< What is near, but not that.
};

const SettingTexts kDynamic = {{"loss-scale", "dynamic"}};
const SettingTexts kStatic = {{"loss-scale", "1024"}};
const SettingTexts kHysteresis = {{"loss-scale", "dynamic"},
                                  {"scale-hysteresis", "2"}};
const SettingTexts kCosine = {{"schedule", "cosine"}, {"total-steps", "100"}};
const SettingTexts kSteps = {{"schedule", "step"}, {"decay-period", "10"}};
const SettingTexts kWhole = {{"autocast", "whole"}, {"precision", "fp16"}};
const SettingTexts kTorch = {{"autocast", "torch"}, {"precision", "fp16"}};

const Row kRows[] = {
    {"scale-init", "1024", kStatic, {{"loss-scale", "none"}}},
    {"scale-scope", "per_loss", kStatic, {{"loss-scale", "none"}}},
    {"scale-growth", "4", kDynamic, kStatic},
    {"scale-backoff", "0.25", kDynamic, kStatic},
    {"scale-interval", "100", kDynamic, kStatic},
    {"scale-hysteresis", "2", kDynamic, kStatic},
    {"scale-refill", "clean", kHysteresis, kDynamic},
    {"scale-delay", "5", kDynamic, kStatic},
    {"scale-floor", "2", kDynamic, kStatic},
    {"scale-ceiling", "131072", kDynamic, kStatic},
    {"scale-growth-guard", "true", kDynamic, kStatic},
    {"scale-divide-by-next", "true", kDynamic, kStatic},
    {"scale-on-floor", "warn", kDynamic, kStatic},
    {"total-steps", "50", {{"schedule", "linear"}}, kSteps},
    {"final-factor", "0.1", kCosine, kSteps},
    {"decay-period", "7", {{"schedule", "step"}}, kCosine},
    {"decay-gamma", "0.5", kSteps, kCosine},
    {"lists", "cpu", kTorch, kWhole},
    {"output", "f32", kWhole, kTorch},
    {"keep-normalization", "true", kWhole, kTorch},
};

class SettingNeeds : public testing::Test {
protected:
  SettingNeeds() { context.loadDialect<GraphDialect>(); }

  /// Who is to blame for `texts`; nobody: they are taken.
  std::vector<StringRef> blamed(SettingTexts texts) {
    texts.insert({{"optimizer", "sgd"}, {"lr", "0.1"}});
    OverrideFailure failure;
    if (succeeded(
            overrideTraining(OverriddenModel(), texts, &context, failure)))
      return {};
    message = failure.message;
    return failure.blamed;
  }

  MLIRContext context;
  std::string message;
};

} // namespace

TEST_F(SettingNeeds, WithoutWhatTheyAreForTheyAreRefused) {
  for (const Row &row : kRows) {
    SettingTexts alone = {{row.name, row.value}}, beside = row.without;
    beside.insert({row.name, row.value});
    for (const SettingTexts &texts : {alone, beside}) {
      EXPECT_EQ(blamed(texts), std::vector<StringRef>{row.name}) << row.name;
      EXPECT_NE(message.find("has no effect"), std::string::npos) << message;
    }
  }
}

TEST_F(SettingNeeds, WithItTheyAreTaken) {
  for (const Row &row : kRows) {
    SettingTexts texts = row.with;
    texts.insert({row.name, row.value});
    EXPECT_TRUE(blamed(texts).empty()) << row.name << ": " << message;
  }
}

TEST_F(SettingNeeds, NoSettingOfTheLossScaleIsLeftOut) {
  for (const Setting &setting : trainingSettings()) {
    bool isListed = llvm::any_of(
        kRows, [&](const Row &row) { return row.name == setting.name; });
    EXPECT_TRUE(isListed || setting.kind != SettingKind::Scale ||
                setting.name == "loss-scale")
        << setting.name.str();
  }
}

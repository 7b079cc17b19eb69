// No option is without effect: one that is for another, which was not chosen,
// or for a part that is not built, is refused and to blame. The lists are from
// docs/Compiling.md, docs/Training.md and docs/LossScaling.md, which say what
// each is for; every setting is in them.
#include "mlir/IR/MLIRContext.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Training/ApplySettings.h"
#include "mpc/Dialect/Graph/Training/SettingOverrides.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::graph;

namespace {

//===-- What is for another setting --------------------------------------===//

struct Row {
  std::string name, value;
  SettingTexts with;    ///< What it is for.
  SettingTexts without; ///< What is near, but not that.
};

const SettingTexts kDynamic = {{"loss-scale", "dynamic"}};
const SettingTexts kStatic = {{"loss-scale", "1024"}};
const SettingTexts kFirst = {{"loss-scale", "static"}};
const SettingTexts kHysteresis = {{"loss-scale", "dynamic"},
                                  {"scale-hysteresis", "2"}};
const SettingTexts kCosine = {{"schedule", "cosine"}, {"total-steps", "100"}};
const SettingTexts kSteps = {{"schedule", "step"}, {"decay-period", "10"}};
const SettingTexts kWhole = {{"autocast", "whole"}, {"precision", "fp16"}};
const SettingTexts kTorch = {{"autocast", "torch"}, {"precision", "fp16"}};
const SettingTexts kNarrow = {{"precision", "bf16"}}, kWide = {};
const SettingTexts kNorm = {{"clip-norm", "1"}}, kValue = {{"clip-value", "1"}};

const Row kRows[] = {
    {"autocast", "torch", kNarrow, kWide},
    {"lists", "cpu", kTorch, kWhole},
    {"output", "f32", kWhole, kTorch},
    {"keep-normalization", "true", kWhole, kTorch},
    {"scale-init", "1024", kFirst, {{"loss-scale", "none"}}},
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
    {"clip-norm-type", "inf", kValue, {}},
    {"clip-formula", "optax", kNorm, kValue},
    {"clip-scope", "group", kNorm, kValue},
    {"weight-copies", "persistent", kNarrow, kWide},
    {"skipped-statistics", "update", kStatic, {{"loss-scale", "none"}}},
    {"reduce-each", "micro-batch", {{"accumulate", "2"}}, {}},
    {"link-latency", "20", {{"link-bandwidth", "450"}}, {}},
};

//===-- What is for a part -----------------------------------------------===//

/// What is built where something is missing.
struct Lack {
  std::string name;
  BuiltParts parts;
};

std::vector<Lack> allLacks() {
  BuiltParts forward, probe, oneRank, oneLoss, oneGroup, grouped, stateless;
  forward.step = forward.update = false;
  probe.update = probe.allReduce = probe.noOptimizer = false;
  oneRank.allReduce = false;
  oneLoss.manyLosses = false;
  oneGroup.manyGroups = false;
  grouped.ungrouped = false;
  stateless.statistics = false;
  return {{"forward", forward},    {"probe", probe},
          {"one-rank", oneRank},   {"one-loss", oneLoss},
          {"one-group", oneGroup}, {"grouped", grouped},
          {"stateless", stateless}};
}

/// A setting, a value that it can have, and beside what it is of no use.
struct Use {
  std::string name, value;
  std::vector<std::string> refused;
  SettingTexts beside = {}; ///< Optimizers that take it.
};

const std::vector<std::string> kOfStep = {"forward"},
                               kOfUpdate = {"forward", "probe"},
                               kOfDefaultGroup = {"forward", "probe",
                                                  "grouped"};
const SettingTexts kAdam = {{"optimizer", "adam"}},
                   kRmsprop = {{"optimizer", "rmsprop"}},
                   kAdagrad = {{"optimizer", "adagrad"}};

const Use kUses[] = {
    {"profile", "torch-cuda", {}},
    {"precision", "bf16", {}},
    {"autocast", "", {}},
    {"lists", "", {}},
    {"output", "", {}},
    {"keep-normalization", "", {}},
    {"rounding", "strict", {}},
    {"loss-scale", "dynamic", kOfStep},
    {"scale-init", "", kOfStep},
    {"scale-scope", "", {"forward", "one-loss"}},
    {"scale-growth", "", kOfUpdate},
    {"scale-backoff", "", kOfUpdate},
    {"scale-interval", "", kOfUpdate},
    {"scale-hysteresis", "", kOfUpdate},
    {"scale-refill", "", kOfUpdate},
    {"scale-delay", "", kOfUpdate},
    {"scale-floor", "", kOfUpdate},
    {"scale-ceiling", "", kOfUpdate},
    {"scale-growth-guard", "", kOfUpdate},
    {"scale-divide-by-next", "", kOfUpdate},
    {"scale-on-floor", "", kOfUpdate},
    {"optimizer", "sgd", kOfDefaultGroup},
    {"lr", "0.5", kOfDefaultGroup},
    {"weight-decay", "0.5", kOfDefaultGroup},
    {"momentum", "0.5", kOfDefaultGroup},
    {"dampening", "0.5", kOfDefaultGroup, {{"momentum", "0.5"}}},
    {"nesterov", "true", kOfDefaultGroup, {{"momentum", "0.5"}}},
    {"beta1", "0.5", kOfDefaultGroup, kAdam},
    {"beta2", "0.5", kOfDefaultGroup, kAdam},
    {"epsilon", "0.5", kOfDefaultGroup, kAdam},
    {"alpha", "0.5", kOfDefaultGroup, kRmsprop},
    {"centered", "true", kOfDefaultGroup, kRmsprop},
    {"lr-decay", "0.5", kOfDefaultGroup, kAdagrad},
    {"initial-accumulator", "0.5", kOfDefaultGroup, kAdagrad},
    {"master", "bf16", {}},
    {"clip-norm", "1", kOfUpdate},
    {"clip-norm-type", "", kOfUpdate},
    {"clip-value", "1", kOfUpdate},
    {"clip-formula", "", kOfUpdate},
    {"clip-scope", "", {"forward", "probe", "one-group"}},
    {"clip-nonfinite", "error", kOfUpdate},
    {"schedule", "inverse_sqrt", kOfUpdate, {{"warmup-steps", "5"}}},
    {"warmup-steps", "5", kOfUpdate},
    {"total-steps", "", kOfUpdate},
    {"final-factor", "", kOfUpdate},
    {"decay-period", "", kOfUpdate},
    {"decay-gamma", "", kOfUpdate},
    {"weight-copies", "", {}},
    {"skipped-statistics", "", {"forward", "probe", "stateless"}},
    {"output-gradients", ".*", kOfUpdate},
    {"drop-outputs", ".*", kOfUpdate},
    {"accumulate", "2", kOfStep},
    {"bucket-bytes", "1000", {"forward", "probe", "one-rank"}},
    {"first-bucket-bytes", "1000", {"forward", "probe", "one-rank"}},
    {"reduce-type", "bf16", {"forward", "probe", "one-rank"}},
    {"reduce-each", "", {"forward", "probe", "one-rank"}},
    {"link-latency", "", {"forward", "probe", "one-rank"}},
    {"link-bandwidth", "450", {"forward", "probe", "one-rank"}},
};

class SettingNeeds : public testing::Test {
protected:
  SettingNeeds() {
    context.loadDialect<GraphDialect>();
    training = say({});
  }

  /// Who is to blame for `texts`; nobody: they are taken.
  std::vector<StringRef> blamed(SettingTexts texts, BuiltParts parts = {}) {
    OverriddenModel model;
    model.training = training;
    model.parameters = {"w"};
    model.outputs = {"y"};
    model.parts = parts;
    OverrideFailure failure;
    if (succeeded(overrideTraining(model, texts, &context, failure)))
      return {};
    message = failure.message;
    return failure.blamed;
  }

  /// What a model says with these, and an optimizer.
  TrainingAttr say(const SettingTexts &texts) {
    SettingTexts all = texts;
    all.insert({{"optimizer", "sgd"}, {"lr", "0.1"}});
    TrainingSettings settings;
    auto emitError = [&] {
      return mlir::emitError(mlir::UnknownLoc::get(&context));
    };
    EXPECT_TRUE(succeeded(applyTexts(settings, all, emitError)));
    return *buildTraining(settings, &context, emitError);
  }

  MLIRContext context;
  TrainingAttr training; ///< What the model says itself.
  std::string message;
};

const Row *findRow(StringRef name) {
  const Row *row = llvm::find_if(
      kRows, [&](const Row &candidate) { return candidate.name == name; });
  return row == std::end(kRows) ? nullptr : row;
}

using Names = std::vector<StringRef>;

} // namespace

TEST_F(SettingNeeds, WithoutWhatTheyAreForTheyAreRefused) {
  for (const Row &row : kRows) {
    SettingTexts alone = {{row.name, row.value}}, beside = row.without;
    beside.insert({row.name, row.value});
    for (const SettingTexts &texts : {alone, beside}) {
      EXPECT_EQ(blamed(texts), Names{row.name}) << row.name;
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

TEST_F(SettingNeeds, NoSettingIsLeftOut) {
  for (const Setting &setting : trainingSettings())
    EXPECT_EQ(
        llvm::count_if(
            kUses, [&](const Use &use) { return use.name == setting.name; }),
        1)
        << setting.name.str();
}

/// Each setting, in a model that says it and what it is for, and each part that
/// may be missing.
TEST_F(SettingNeeds, OfWhatIsNotBuiltTheyAreRefused) {
  for (const Use &use : kUses) {
    const Row *row = findRow(use.name);
    SettingTexts texts = {{use.name, row ? row->value : use.value}};
    SettingTexts said = row ? row->with : use.beside;
    said.insert(texts.begin(), texts.end());
    training = say(said);
    EXPECT_TRUE(blamed(texts).empty()) << use.name << ": " << message;
    for (const Lack &lack : allLacks())
      EXPECT_EQ(blamed(texts, lack.parts),
                llvm::is_contained(use.refused, lack.name) ? Names{use.name}
                                                           : Names())
          << use.name << " of " << lack.name << ": " << message;
  }
}

/// What type parameters have, the optimizer says, also to a forward.
TEST_F(SettingNeeds, AMasterIsUsedByWhateverReadsParameters) {
  BuiltParts forward, grouped;
  forward.step = forward.update = false;
  grouped.ungrouped = false;
  for (BuiltParts parts : {forward, grouped}) {
    EXPECT_EQ(blamed({{"lr", "0.5"}}, parts), Names{"lr"});
    EXPECT_TRUE(blamed({{"lr", "0.5"}, {"master", "bf16"}}, parts).empty());
  }
  training = nullptr;
  EXPECT_EQ(blamed({{"master", "bf16"}}), Names{"master"});
}

TEST_F(SettingNeeds, CopiesAreOfMastersOfF32) {
  BuiltParts narrow;
  narrow.wideGroups = false;
  training = say({{"precision", "bf16"}});
  const SettingTexts copies = {{"weight-copies", "on-the-fly"}};
  EXPECT_TRUE(blamed(copies, narrow).empty()) << message;
  training = say({{"precision", "bf16"}, {"master", "bf16"}});
  EXPECT_TRUE(blamed(copies).empty()) << message;
  EXPECT_EQ(blamed(copies, narrow), Names{"weight-copies"});
}

/// The step that a probe is taken of has an optimizer, whoever names it.
TEST_F(SettingNeeds, AProbeOfAModelWithoutOptimizerTakesOne) {
  BuiltParts probe;
  probe.update = false;
  const SettingTexts optimizer = {{"optimizer", "adam"}, {"lr", "0.5"}};
  EXPECT_TRUE(blamed(optimizer, probe).empty()) << message;
  probe.noOptimizer = false;
  EXPECT_EQ(blamed(optimizer, probe), (Names{"optimizer", "lr"}));
}

TEST_F(SettingNeeds, OneValueIsNotSaidTwice) {
  const Names both = {"loss-scale", "scale-init"};
  EXPECT_EQ(blamed({{"loss-scale", "1024"}, {"scale-init", "512"}}), both);
  EXPECT_EQ(blamed({{"loss-scale", "1024"}, {"scale-init", "1024"}}), both);
  for (const char *word : {"static", "dynamic", "megatron"})
    EXPECT_TRUE(blamed({{"loss-scale", word}, {"scale-init", "512"}}).empty());
  training = say({{"loss-scale", "1024"}});
  EXPECT_TRUE(blamed({{"scale-init", "512"}}).empty()) << message;
}

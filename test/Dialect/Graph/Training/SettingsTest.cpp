// The settings of training: every hyperparameter of a record can be given, what
// is not given is the record's own, and every field of the table can be said by
// its option and in the text of its attribute.
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/Training/ApplySettings.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::graph;

namespace {

class Settings : public testing::Test {
protected:
  Settings() { context.loadDialect<GraphDialect>(); }

  OptimizerAttr parse(StringRef text) {
    return dyn_cast_or_null<OptimizerAttr>(
        mlir::parseAttribute("#graph.optimizer<" + text.str() + ">", &context));
  }

  MLIRContext context;
};

std::string optionOf(StringRef hyperparameter) {
  std::string option = hyperparameter.str();
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

} // namespace

/// An option, a field of the attribute, and a range that has the default.
TEST_F(Settings, EveryHyperparameterCanBeGiven) {
  for (const OptimizerRecord &record : allOptimizers())
    for (StringRef name : record.hyperparameters) {
      std::string what = (record.name + " " + name).str();
      const Setting *row =
          llvm::find_if(trainingSettings(), [&](const Setting &setting) {
            return setting.name == optionOf(name);
          });
      ASSERT_NE(row, trainingSettings().end()) << what;
      EXPECT_EQ(row->field.part, Part::Hyperparameters) << what;
      EXPECT_EQ(row->field.parameter, name) << what;
      bool isFlag = graph::isFlag(*row);
      std::string value =
          isFlag ? "false" : formatReal(record.getRealDefault(&context, name));
      EXPECT_TRUE(parse("name = \"" + record.name.str() + "\", lr = 0.1, " +
                        name.str() + " = " + value))
          << what;
    }
}

/// Defaults of torch.optim (PyTorch 2.15.0), and of Apex for LAMB.
TEST_F(Settings, WhatIsNotGivenIsTheOptimizersOwn) {
  EXPECT_EQ(parse("name = \"adamw\", lr = 0.1").getReal("epsilon"), 1e-8);
  EXPECT_EQ(parse("name = \"adagrad\", lr = 0.1").getReal("epsilon"), 1e-10);
  EXPECT_EQ(parse("name = \"lamb\", lr = 0.1").getReal("epsilon"), 1e-6);
  EXPECT_EQ(parse("name = \"adam\", lr = 0.1").getReal("beta2"), 0.999);
  EXPECT_EQ(parse("name = \"rmsprop\", lr = 0.1").getReal("alpha"), 0.99);
  EXPECT_FALSE(parse("name = \"sgd\", lr = 0.1").getFlag("nesterov"));
  EXPECT_EQ(parse("name = \"adam\", lr = 0.1, beta2 = 0.5").getReal("beta2"),
            0.5);
}

/// Also if it is the default: it says that somebody gave it.
TEST_F(Settings, WhatIsGivenStays) {
  constexpr StringRef text =
      "#graph.optimizer<name = \"sgd\", lr = 0.1, momentum = 0.0, nesterov = "
      "false, weight_decay = 0.0>";
  Attribute attribute = mlir::parseAttribute(text, &context);
  ASSERT_TRUE(attribute);
  std::string printed;
  llvm::raw_string_ostream(printed) << attribute;
  EXPECT_EQ(printed, text);
}

//===-- Every field -------------------------------------------------------===//

namespace {

/// What an attribute that is written needs besides the field `setting`.
SettingTexts textsBeside(const Setting &setting) {
  SettingTexts texts = {
      {"loss-scale", "dynamic"}, {"optimizer", "sgd"}, {"lr", "0.1"},
      {"clip-norm", "1"},        {"schedule", "step"}, {"decay-period", "7"}};
  for (const OptimizerRecord &record : allOptimizers())
    if (record.takes(setting.field.parameter)) {
      texts["optimizer"] = record.name.str();
      if (record.takes("momentum"))
        texts["momentum"] = "0.5"; // Nesterov's and dampened need one.
      break;
    }
  return texts;
}

/// Texts of which at least one is a value and not the default.
std::vector<std::string> candidatesOf(const Setting &setting) {
  std::vector<std::string> texts = {"true", "false",  "0.25", "0.75",
                                    "3",    "262144", "inf",  "head[.].*"};
  for (StringRef word : wordsOf(setting))
    texts.push_back(word.str());
  return texts;
}

} // namespace

TEST_F(Settings, EveryFieldIsInTheTextOfItsAttribute) {
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return success(); });
  auto emitError = [&] {
    return mlir::emitError(mlir::UnknownLoc::get(&context));
  };
  auto build = [&](const SettingTexts &texts) {
    TrainingSettings settings;
    if (failed(applyTexts(settings, texts, emitError)))
      return TrainingAttr();
    return buildTraining(settings, &context, emitError)
        .value_or(TrainingAttr());
  };
  for (const Setting &setting : trainingSettings()) {
    if (!setting.hasField())
      continue;
    SettingTexts beside = textsBeside(setting);
    TrainingAttr before = build(beside);
    ASSERT_TRUE(before) << setting.name.str();
    auto was = toText(readSettings(before), setting);
    unsigned changes = 0;
    for (const std::string &text : candidatesOf(setting)) {
      SettingTexts texts = beside;
      texts[setting.name.str()] = text;
      TrainingAttr built = build(texts);
      auto is = toText(readSettings(built), setting);
      if (!built || is == was)
        continue;
      ++changes;
      std::string printed;
      llvm::raw_string_ostream(printed) << built;
      auto read = dyn_cast_or_null<TrainingAttr>(
          mlir::parseAttribute(printed, &context));
      EXPECT_EQ(read, built) << printed;
      EXPECT_EQ(toText(readSettings(read), setting), is) << printed;
    }
    EXPECT_GT(changes, 0u) << setting.name.str();
  }
}

/// 2^-14 is not 0.0001: a number is what it was, whoever shows it.
TEST_F(Settings, TextsReadBackAsTheSameValue) {
  auto emitError = [&] {
    return mlir::emitError(mlir::UnknownLoc::get(&context));
  };
  const TrainingSettings defaults;
  for (const Setting &setting : trainingSettings()) {
    auto text = toText(defaults, setting);
    if (!text || setting.preset == Preset::Optimizer)
      continue;
    TrainingSettings settings;
    ASSERT_TRUE(succeeded(setText(settings, setting, *text, emitError)));
    EXPECT_TRUE(isDefault(settings, setting)) << setting.name.str();
    EXPECT_TRUE(succeeded(verifyRange(settings, setting, emitError)));
  }
}

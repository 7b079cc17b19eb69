// The settings of optimizers: every hyperparameter of a record can be given,
// and what is not given is the record's own.
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/IR/TrainingSettings.h"
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
      bool isFlag = std::holds_alternative<FlagHyperparameter>(row->field);
      EXPECT_TRUE(isFlag ||
                  std::holds_alternative<RealHyperparameter>(row->field))
          << what;
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

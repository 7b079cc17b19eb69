// mpc-run eval and mpc-run predict: their command lines, and what they print.
#include "Commands.h"
#include "Failure.h"
#include "Interrupt.h"
#include "Print.h"
#include "SharedOptions.h"

#include "mpc/Data/Tensor.h"
#include "mpc/Train/Evaluate.h"
#include "mpc/Train/Format.h"

#include <cstdio>

using namespace mpc;
using namespace mpc::run;

namespace {

/// What both take.
struct ForwardCommand {
  train::EvaluateOptions options;

protected:
  /// Begins the group `title`.
  void declareWeights(Options &table, const std::string &title);
};

struct EvalCommand : ForwardCommand {
  static Options command();
  void declare(Options &table);
};

struct PredictCommand : ForwardCommand {
  static Options command();
  void declare(Options &table);
};

/// Prints what was found, before files are written: it is there whatever can be
/// written.
struct EvalPrinter : train::Observer {
  void onGuarded() override { watchInterrupts(); }
  void onEvaluation(const train::EvaluationMetrics &found) override {
    print("samples %llu", static_cast<unsigned long long>(found.samples));
    if (found.loss)
      print("  loss %s", train::formatLoss(*found.loss, 6));
    if (found.accuracy)
      print("  accuracy %s", train::formatPercent(*found.accuracy));
    print("\n");
  }
};

} // namespace

void ForwardCommand::declareWeights(Options &table, const std::string &title) {
  table.beginGroup(title);
  table.addText("--weights", "FILE", "parameters, if the program has any",
                options.weights);
  table.addPairs(
      "--output", "NAME=FILE",
      "write output NAME of all samples: .npy, or bare values in .raw or "
      ".bin",
      '=', options.outputs);
}

//===-- eval --------------------------------------------------------------===//

Options EvalCommand::command() {
  return {"mpc-run", "eval", "run a trained model on data from files",
          "MODEL.mpcx"};
}

void EvalCommand::declare(Options &table) {
  table.setDetails("Runs the model once over the data, with weights from a "
                   "safetensors file. The loss is the mean over all samples, "
                   "each with the same weight.");
  declareFiles(options.data, table);
  declareIgnored(options.data, table);
  declareWeights(table, "Evaluation");
  table.addPairs("--accuracy", "LOGITS:LABEL",
                 "print how often input LABEL is the largest of output "
                 "LOGITS, along its last dim; LABEL,class_dim=1 says another",
                 ':', options.accuracy);
  table.addText("--metrics", "FILE", "write the result as a JSON line",
                options.metrics);
  declareDevice(options.device, table);
}

cli::CommandInfo mpc::run::describeEval() { return describe<EvalCommand>(); }

Exit mpc::run::runEval(const Arguments &arguments) {
  EvalCommand command;
  std::optional<std::string> model = readInto(command, arguments);
  if (!model)
    return Exit::Ok;
  command.options.program = programFile(*model);
  EvalPrinter printer;
  require(train::evaluate(command.options, printer));
  return Exit::Ok;
}

//===-- predict -----------------------------------------------------------===//

Options PredictCommand::command() {
  return {"mpc-run", "predict", "write what a trained model says of new data",
          "MODEL.mpcx"};
}

void PredictCommand::declare(Options &table) {
  table.setDetails(
      "Runs the model once over the data and writes outputs of all samples, in "
      "their order. Labels and whatever else only the loss is for are not "
      "asked for.");
  declareFiles(options.data, table);
  declareWeights(table, "Prediction");
  declareDevice(options.device, table);
}

cli::CommandInfo mpc::run::describePredict() {
  return describe<PredictCommand>();
}

Exit mpc::run::runPredict(const Arguments &arguments) {
  PredictCommand command;
  std::optional<std::string> model = readInto(command, arguments);
  if (!model)
    return Exit::Ok;
  command.options.program = programFile(*model);
  train::Evaluation result = require(train::predict(command.options));
  print("samples %llu\n", static_cast<unsigned long long>(result.samples));
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    const train::OutputTensor &tensor = result.outputs[i];
    print("output %s %s in %s\n", tensor.name,
          data::describe(tensor.shape, tensor.type),
          command.options.outputs[i].second);
  }
  return Exit::Ok;
}

#include "Commands.h"
#include "Failure.h"
#include "Forward.h"
#include "Interrupt.h"
#include "Metrics/Metrics.h"
#include "Progress.h"
#include "Save/FileLocks.h"

#include "mpc/Program/Names.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::run;

namespace {

struct EvalOptions : ForwardOptions {
  NamePairs accuracy;
  std::string metrics;

  static Options command();
  void declare(Options &options);
  NamePairs files() const {
    NamePairs list = writtenFiles();
    list.push_back({"--metrics", metrics});
    return list;
  }
};

Options EvalOptions::command() {
  return {"mpc-run", "eval", "run a trained model on data from files",
          "MODEL.mpcx"};
}

void EvalOptions::declare(Options &options) {
  options.setDetails("Runs the model once over the data, with weights from a "
                     "safetensors file. The loss is the mean over all samples, "
                     "each with the same weight.");
  input.declareFiles(options);
  input.declareIgnored(options);
  declareWeights(options, "Evaluation");
  options.addPairs(
      "--accuracy", "LOGITS:LABEL",
      "print how often input LABEL is the largest of output LOGITS", ':',
      accuracy);
  options.addText("--metrics", "FILE", "write the result as a JSON line",
                  metrics);
  device.declare(options);
}

/// Who has no labels does not want a loss.
void checkLabelsAreThere(const EntryFacts &entry, const NamePairs &files) {
  for (const InputFacts &input : entry.inputs) {
    bool isGiven =
        std::any_of(files.begin(), files.end(),
                    [&](const auto &pair) { return pair.first == input.name; });
    if (input.lossOnly && !isGiven)
      throw badInput("no file for input '" + input.name +
                     "', which the loss needs; give --input " + input.name +
                     "=FILE, or use mpc-run predict, which writes outputs "
                     "and asks for no labels");
  }
}

void print(const Evaluation &result) {
  std::printf("samples %llu", static_cast<unsigned long long>(result.samples));
  if (result.loss)
    std::printf("  loss %s", formatLoss(*result.loss, 6).c_str());
  if (result.accuracy)
    std::printf("  accuracy %s", formatPercent(*result.accuracy).c_str());
  std::printf("\n");
}

} // namespace

cli::CommandInfo mpc::run::describeEval() { return describe<EvalOptions>(); }

Exit mpc::run::runEval(const Arguments &arguments) {
  EvalOptions options;
  std::optional<std::string> model = readInto(options, arguments);
  if (!model)
    return Exit::Ok;
  options.checkFiles("eval", *model, options.files());
  // Asked early, taken where it is written: a signal leaves no lock.
  static_cast<void>(FileLocks({}, {options.metrics}));
  Program program(*model);
  options.checkWeights("eval", program);
  checkLabelsAreThere(program.entry(program::kForwardEntry),
                      options.input.files);
  data::Dataset dataset = loadDataset(program.entry(program::kForwardEntry),
                                      options.input.files, options.input);
  Evaluator evaluator(program, dataset, options.input, options.accuracy,
                      options.outputNames());
  Session session = options.open(program);
  OutputFiles files;
  files.open(options.files());
  Evaluation result = evaluator.run(session);

  print(result); // first: it is there whatever can be written
  options.write(session, result, files);
  if (!options.metrics.empty()) {
    watchInterrupts(); // it is a moment
    FileLocks alone({options.metrics}, {});
    std::string line = formatLine(
        EvaluationMetrics{0, 0, result.loss, result.accuracy, result.samples});
    std::span<const std::byte> parts[] = {std::as_bytes(std::span(line))};
    requireWritten(writeFile(files.take(options.metrics), parts));
  }
  return Exit::Ok;
}

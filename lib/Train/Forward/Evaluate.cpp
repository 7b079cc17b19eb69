#include "mpc/Train/Evaluate.h"

#include "../Failure.h"
#include "../Metrics/MetricsFile.h"
#include "../Save/FileLocks.h"
#include "Forward.h"

#include "mpc/Program/Names.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::train;

/// Who has no labels does not want a loss.
static void checkLabelsAreThere(const rt::Entry &entry,
                                const NamePairs &files) {
  for (const mpc_tensor_info &input : entry.inputs) {
    bool isGiven = std::ranges::any_of(
        files, [&](const auto &pair) { return pair.first == input.name; });
    if (input.loss_only && !isGiven)
      throw badInput("no file for input '" + std::string(input.name) +
                     "', which the loss needs; give --input " + input.name +
                     "=FILE, or use mpc-run predict, which writes outputs "
                     "and asks for no labels");
  }
}

static void writeMetrics(const EvaluateOptions &options,
                         const EvaluationMetrics &found, Observer &observer,
                         OutputFiles &files) {
  if (options.metrics.empty())
    return;
  observer.onGuarded(); // it is a moment
  FileLocks alone({options.metrics}, {});
  std::string line = formatLine(found);
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(line))};
  requireWritten(data::writeFile(files.take(options.metrics), parts));
}

Expected<Evaluation> mpc::train::evaluate(const EvaluateOptions &options,
                                          Observer &observer) {
  return guard([&] {
    NamePairs written = writtenFiles(options);
    written.push_back({"--metrics", options.metrics});
    checkFiles("eval", options, written);
    // Asked early, taken where it is written: a signal leaves no lock.
    static_cast<void>(FileLocks({}, {options.metrics}));
    checkReplacesMetrics(options.metrics);
    rt::Program program = loadProgram(options.program);
    checkWeights("eval", options, program);
    rt::Entry entry = requireEntry(program, program::kForwardEntry);
    checkLabelsAreThere(entry, options.data.files);
    data::Dataset dataset =
        loadDataset(entry, options.data.files, options.data);
    Evaluator evaluator(program, dataset, options.data, options.accuracy,
                        outputNames(options));
    rt::Session session = openWithWeights(options, program);
    OutputFiles files;
    files.open(written);
    EvaluatorResult result = evaluator.run(session);
    EvaluationMetrics found{0, 0, result.loss, result.accuracy, result.samples};
    observer.onEvaluation(found); // it is there whatever can be written
    writeOutputs(options, session, result, files);
    writeMetrics(options, found, observer, files);
    return makeEvaluation(options, std::move(result));
  });
}

#include "Checkpoint.h"
#include "Commands.h"
#include "Evaluation.h"
#include "Interrupt.h"
#include "Metrics.h"
#include "Progress.h"
#include "Summary.h"
#include "TrainOptions.h"

#include "mpc/Data/Shuffle.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mpc;
using namespace mpc::run;
using Clock = std::chrono::steady_clock;

namespace {

/// The values that a step of a program may report; all are optional.
struct StepReader {
  explicit StepReader(const EntryFacts &entry)
      : entry(entry), loss(entry.findOutput("loss")),
        scale(entry.findOutput("scale")),
        foundInf(entry.findOutput("found_inf")),
        gradNorm(entry.findOutput("grad_norm")) {}

  /// Of the step that was `age` steps ago.
  void read(const Session &session, uint32_t age, StepMetrics &metrics) const {
    auto number = [&](std::optional<uint32_t> index) {
      std::optional<double> value;
      if (index)
        value = session.scalarResult(entry, *index, age);
      return value;
    };
    metrics.loss = number(loss);
    metrics.scale = number(scale);
    metrics.gradNorm = number(gradNorm);
    if (std::optional<double> found = number(foundInf))
      metrics.foundInf = *found != 0;
  }

  const EntryFacts &entry;
  std::optional<uint32_t> loss, scale, foundInf, gradNorm;
};

class Training {
public:
  Training(const TrainOptions &options, const std::string &path);
  Exit run();

private:
  void prepareState();
  void checkResumed(const Position &resumed) const;
  void orderEpoch();
  void step();
  void noteLast(uint32_t age);
  void note(const StepMetrics &metrics);
  std::optional<uint64_t> readSkipped() const;
  /// A full disk ends training, but not before the weights were saved.
  template <typename Write> void tryMetrics(Write write);
  void evaluate(uint64_t epoch);
  void finish();

  const TrainOptions &options;
  Program program;
  const EntryFacts &entry;
  data::Dataset dataset;
  std::optional<data::Dataset> testSet;
  Session session;
  std::optional<Evaluator> evaluator;
  StepReader reader;
  std::optional<MetricsFile> metrics;
  std::optional<Progress> progress;
  data::Batch batch;
  Position position;
  std::vector<uint64_t> order;
  /// The last step, of which the results have not been read yet: they are read
  /// one step late, so that a device has the next one to do meanwhile.
  std::optional<StepMetrics> last;
  std::optional<uint64_t> skipped; ///< Steps so far.
  uint64_t orderedEpoch = UINT64_MAX, lastStep = 0;
  std::optional<Failure> trouble;
  TrainSummary summary;
};

Training::Training(const TrainOptions &options, const std::string &path)
    : options(options), program(path), entry(program.entry("step")),
      dataset(loadDataset(entry, options.input.files, options.input)),
      session(program, options.device), reader(entry),
      batch(dataset.makeBatch()) {
  if (options.input.files.empty())
    throw badInput("'" + path +
                   "': expected a program with inputs, but it has none: there "
                   "is no data to train on");
  if (dataset.numFullBatches() == 0)
    throw badInput("expected at least one batch of " +
                   std::to_string(dataset.batchSize()) + " samples, but got " +
                   std::to_string(dataset.numSamples()) + " samples");
  if (!options.evalFiles.empty()) {
    testSet.emplace(loadDataset(program.entry("forward"), options.evalFiles,
                                options.input));
    evaluator.emplace(program, *testSet, options.input, options.accuracy);
  }
}

void Training::checkResumed(const Position &resumed) const {
  if (resumed.batchesPerEpoch != dataset.numFullBatches())
    throw badInput("'" + options.resume + "': expected data of " +
                   std::to_string(resumed.batchesPerEpoch) +
                   " batches per epoch, as when it was saved, but got " +
                   std::to_string(dataset.numFullBatches()));
}

void Training::prepareState() {
  position = {options.seed.value_or(0), 0, dataset.numFullBatches(),
              !options.noShuffle};
  session.init(position.seed);
  if (!options.weights.empty())
    loadWeights(options.weights, program, session,
                {options.input.convert, options.input.allowNonFinite});
  if (!options.resume.empty()) {
    position = resumeCheckpoint(options.resume, program, session);
    checkResumed(position);
  }
  skipped = readSkipped();
  if (!options.lr)
    return;
  const StateFacts *lr = program.findState("optimizer.lr");
  if (!lr)
    throw badInput("'" + program.path() +
                   "': '--lr' needs a state 'optimizer.lr', but the program "
                   "has none");
  session.setScalarState(*lr, *options.lr);
  session.refresh();
}

/// Puts the samples of the current epoch into their order.
void Training::orderEpoch() {
  uint64_t epoch = position.batches / position.batchesPerEpoch;
  if (epoch == orderedEpoch)
    return;
  orderedEpoch = epoch;
  if (position.isShuffled) {
    order = data::shuffledOrder(dataset.numSamples(), position.seed, epoch);
    return;
  }
  order.resize(dataset.numSamples());
  std::iota(order.begin(), order.end(), uint64_t(0));
}

/// The counter of the program; waits for a device.
std::optional<uint64_t> Training::readSkipped() const {
  const StateFacts *counter = program.findState("skipped");
  if (!counter)
    return std::nullopt;
  return static_cast<uint64_t>(session.scalarState(*counter));
}

void Training::step() {
  auto begin = Clock::now();
  orderEpoch();
  uint64_t number = position.batches % position.batchesPerEpoch;
  uint64_t size = dataset.batchSize();
  dataset.fill(batch, std::span(order).subspan(number * size, size));
  auto start = Clock::now();
  session.run(entry, batch);
  auto end = Clock::now();
  StepMetrics result;
  result.epoch = position.batches / position.batchesPerEpoch + 1;
  result.step = ++position.batches;
  std::chrono::duration<double> inRuntime = end - start, whole = end - begin;
  result.milliseconds = inRuntime.count() * 1e3;
  result.samplesPerSecond = static_cast<double>(size) / whole.count();
  noteLast(/*age=*/1);
  last = result;
}

/// Reads what the step that is still to be noted has left, `age` steps ago.
void Training::noteLast(uint32_t age) {
  if (!last)
    return;
  reader.read(session, age, *last);
  if (skipped && last->foundInf) {
    *skipped += *last->foundInf;
    last->skipped = skipped;
  }
  note(*last);
  last.reset();
}

template <typename Write> void Training::tryMetrics(Write write) {
  if (!metrics || trouble)
    return;
  try {
    write();
  } catch (const Failure &failure) {
    trouble = failure;
  }
}

void Training::note(const StepMetrics &step) {
  bool isStrange =
      step.loss && !std::isfinite(*step.loss) && !step.foundInf.value_or(false);
  if (isStrange && !std::exchange(summary.sawNonFiniteLoss, true))
    progress->print("warning: the loss of step " + std::to_string(step.step) +
                    " is not finite; a label out of range, or values that "
                    "overflow");
  summary.add(step);
  tryMetrics([&] { metrics->write(step); });
  progress->show(step);
}

void Training::evaluate(uint64_t epoch) {
  Evaluation result = evaluator->run(session);
  summary.evalLoss = result.loss;
  summary.evalAccuracy = result.accuracy;
  char text[128];
  std::snprintf(text, sizeof(text), "epoch %llu: test loss %.4f",
                static_cast<unsigned long long>(epoch),
                result.loss.value_or(NAN));
  std::string line = text;
  if (result.accuracy) {
    std::snprintf(text, sizeof(text), ", accuracy %.2f %%",
                  *result.accuracy * 100);
    line += text;
  }
  progress->print(line);
  tryMetrics([&] {
    metrics->writeEvaluation(position.batches, epoch, result.loss,
                             result.accuracy, result.samples);
  });
}

Exit Training::run() {
  prepareState();
  lastStep = options.steps.value_or(UINT64_MAX);
  if (!options.steps &&
      __builtin_mul_overflow(options.epochs.value_or(1),
                             position.batchesPerEpoch, &lastStep))
    lastStep = UINT64_MAX;
  if (!options.metrics.empty())
    metrics.emplace(options.metrics, !options.resume.empty());
  progress.emplace(ProgressPlan{position.batches, lastStep,
                                position.batchesPerEpoch, dataset.batchSize(),
                                options.logEvery.value_or(0)});
  watchInterrupts();
  summary.begin(position.batchesPerEpoch, dataset.batchSize());
  while (position.batches < lastStep && !wasInterrupted() && !trouble) {
    WaitCounts before = session.waitCounts();
    step();
    summary.addWaits(before, session.waitCounts());
    bool isEpochEnd = position.batches % position.batchesPerEpoch == 0;
    uint64_t epoch = (position.batches - 1) / position.batchesPerEpoch + 1;
    bool isTurn = isEpochEnd && epoch % options.evalEvery.value_or(1) == 0;
    if (evaluator && (isTurn || position.batches == lastStep)) {
      noteLast(/*age=*/0);
      evaluate(epoch);
    }
    if (isEpochEnd)
      tryMetrics([&] { metrics->flush(); });
  }
  finish();
  if (trouble)
    throw *trouble;
  return wasInterrupted() && position.batches < lastStep ? Exit::Interrupted
                                                         : Exit::Ok;
}

void Training::finish() {
  noteLast(/*age=*/0);
  session.synchronize();
  summary.end();
  summary.skipped = readSkipped();
  progress->finish();
  tryMetrics([&] { metrics->flush(); });
  if (!options.save.empty())
    saveCheckpoint(options.save, program, session, position);
  if (!options.device.plans.empty())
    session.savePlans(options.device.plans);
  if (const StateFacts *scale = program.findState("scaler.scale"))
    summary.scale = session.scalarState(*scale);
  summary.steps = position.batches;
  summary.memory = session.memory();
  if (!options.summary.empty())
    summary.write(options.summary);
  if (position.batches < lastStep)
    progress->print("interrupted at step " + std::to_string(position.batches) +
                    " of " + std::to_string(lastStep));
  progress->print(summary.describe());
  if (!options.save.empty())
    progress->print("saved " + options.save);
}

} // namespace

Exit mpc::run::runTrain(const Arguments &arguments) {
  TrainOptions options;
  std::optional<std::string> model = options.parse(arguments);
  if (!model)
    return Exit::Ok;
  options.checkFiles(*model);
  return Training(options, *model).run();
}

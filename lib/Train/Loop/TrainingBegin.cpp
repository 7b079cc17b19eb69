// What a run does before its first step.
#include "Training.h"

#include "../Save/Checkpoint.h"
#include "Settings.h"

#include "mpc/Program/Names.h"
#include "mpc/Train/Format.h"

using namespace mpc;
using namespace mpc::train;

static std::string nameOfFolder(const std::string &path) {
  return path.substr(path.rfind('/') + 1);
}

/// What goes wrong from here on all others are told, who wait for this rank.
template <typename Body> auto Training::orGiveUp(Body body) {
  try {
    return body();
  } catch (...) {
    giveUp(currentFailure().what());
    throw;
  }
}

/// When all else is read.
RankMembership Training::join() {
  checkCollectives(program, options.ranks.collectives);
  group = RankGroup::join(
      launch, program, options.ranks,
      [this](uint64_t ticket, const ranks::CollectiveTimes &when) {
        bucketTimes.noteDone(ticket, when);
      });
  if (!group) {
    RankMembership alone;
    alone.localRank = launch.localRank;
    return alone;
  }
  reduces.emplace(group->collectives(), bucketTimes);
  return makeMembership(launch, *group, program, *reduces);
}

Training::Training(const TrainOptions &options, const ranks::Launch &launch,
                   bool tellsTimes, Observer &observer)
    : options(options), launch(launch), tellsTimes(tellsTimes),
      observer(observer), program(loadProgram(options.program)),
      entry(requireEntry(program, program::kStepEntry)),
      accumulate(findEntry(program, program::kAccumulateEntry)),
      dataset(loadDataset(entry, options.data.files, options.data)),
      batches(dataset, countMicroBatches(program), {launch.rank, launch.size}),
      session(orGiveUp(
          [&] { return openSession(program, options.device, join()); })),
      outputs(orGiveUp(
          [&] { return StepOutputs(program, entry, options.outputs); })) {
  orGiveUp([&] {
    batches.augment(options.data.augmentations);
    openEvaluations();
  });
}

void Training::openEvaluations() {
  if (options.data.files.empty())
    throw badInput("'" + program.path() +
                   "': expected a program with inputs, but it has none: there "
                   "is no data to train on");
  if (!options.evalFiles.empty()) {
    testSet.emplace(loadDataset(requireEntry(program, program::kForwardEntry),
                                options.evalFiles, options.data,
                                {.fileOption = "--eval-input"}));
    evaluator.emplace(program, *testSet, options.data, options.accuracy);
    if (options.saving.best && options.saving.best->metric == "eval_loss" &&
        !evaluator->hasLoss())
      throw badInput("'" + program.path() +
                     "': '--save-best=eval_loss' needs an output 'loss' of the "
                     "entry 'forward', but it has none");
  }
}

void Training::checkResumed(const Position &resumed) const {
  if (resumed.stepsPerEpoch != batches.stepsPerEpoch())
    throw badInput("'" + options.resume + "': expected data of " +
                   std::to_string(resumed.stepsPerEpoch) +
                   " steps per epoch, as when it was saved, but got " +
                   std::to_string(batches.stepsPerEpoch()) +
                   (group ? "; where the data is the same, steps had another "
                            "number of samples then: now there are " +
                                batches.describeShare() +
                                ", which --batch of mpc-compile changes"
                          : ""));
  // Only with --resume-if-saved there are such options beside a checkpoint.
  if (options.seed.value_or(resumed.seed) != resumed.seed)
    throw badOptions("'" + options.resume + "': expected a run with '--seed " +
                     std::to_string(*options.seed) +
                     "', to go on with, but it was saved with seed " +
                     std::to_string(resumed.seed) +
                     "; remove it to begin anew");
  if (!options.shuffle && resumed.isShuffled)
    throw badOptions("'" + options.resume +
                     "': expected a run with '--no-shuffle', to go on with, "
                     "but its samples were shuffled; remove it to begin anew");
  auto quote = [](const std::string &augmentations) {
    return augmentations.empty() ? "none"
                                 : "'" + printable(augmentations) + "'";
  };
  if (std::string given = describe(options.data.augmentations);
      given != resumed.augmentations)
    throw badOptions("'" + options.resume +
                     "': expected the samples as when it "
                     "was saved, '--augment' of " +
                     quote(resumed.augmentations) + ", but got " +
                     quote(given));
  checkResumedShares(resumed);
}

/// What parts of the files were left of an epoch nobody else can take up.
void Training::checkResumedShares(const Position &resumed) const {
  if (bool asked = options.ranks.shares == "contiguous";
      !options.ranks.shares.empty() && asked != resumed.isContiguous)
    throw badOptions(
        "'" + options.resume + "': expected a run with '--shares " +
        options.ranks.shares + "', to go on with, but its shares were " +
        (asked ? "interleaved" : "contiguous") + "; remove it to begin anew");
  uint64_t into = resumed.steps % resumed.stepsPerEpoch;
  if (!resumed.isContiguous || resumed.ranks == launch.size || into == 0)
    return;
  throw badInput(
      "'" + options.resume + "': expected " + std::to_string(resumed.ranks) +
      (resumed.ranks == 1 ? " rank" : " ranks") + ", which are at step " +
      std::to_string(into) + " of " + std::to_string(resumed.stepsPerEpoch) +
      " in their contiguous shares of the epoch, but got " +
      std::to_string(launch.size) +
      "; only at the end of an epoch another number goes on");
}

/// Of ranks the first looks which checkpoint is complete, which reads all of
/// it, and the others take its word.
std::optional<CheckpointFiles> Training::findResumed() {
  const std::string news = "what it goes on from";
  const std::string nothing = "nothing", file = "a file", itself = ".";
  if (launch.rank > 0) {
    static const std::atomic<bool> never = false;
    std::string told = group->hear(news, never);
    if ((told == nothing) != options.resume.empty())
      throw badOptions(
          "expected all ranks to go on from a checkpoint, or none, "
          "but rank 0 goes on from " +
          told + "; give all ranks the same options");
    if (told == nothing)
      return std::nullopt;
    if (told == file)
      return openCheckpoint(options.resume);
    std::string path =
        told == itself ? options.resume : options.resume + "/" + told;
    return CheckpointFiles{path, readManifest(path)};
  }
  std::optional<CheckpointFiles> found;
  if (!options.resume.empty())
    found = findCheckpoint(options.resume,
                           [this](const std::string &line) { warn(line); });
  if (group)
    group->tell(news,
                !found                          ? nothing
                : !found->manifest              ? file
                : found->path == options.resume ? itself
                                                : nameOfFolder(found->path),
                launch.size - 1);
  return found;
}

/// A program of a model in ONNX's format, whose weights lie beside it.
void Training::warnOfWeights() {
  std::optional<std::string> count = program.setting("weights");
  if (count && launch.rank == 0)
    warn("the model had " + *count + (*count == "1" ? " weight" : " weights") +
         ", which a program file has not: training begins with random numbers; "
         "'--weights' takes the file that mpc-compile wrote beside the "
         "program");
}

/// Who writes them to a pipe may take his time, but for an interrupt, and a
/// rank that is lost.
void Training::loadGivenWeights() {
  mpc_status lost = {};
  auto isOver = [&] {
    return wasInterrupted() || (group && group->findLoss(&lost) != MPC_OK);
  };
  try {
    loadWeights(options.weights, program, session,
                {options.data.convert, options.data.allowNonFinite, isOver});
  } catch (const Failure &) {
    if (wasInterrupted())
      throw Failure(Fault::Interrupted,
                    "interrupted while it read '" + options.weights + "'");
    if (lost.code != MPC_OK)
      throw Failure(Fault::System,
                    "reading '" + options.weights + "': " + lost.message);
    throw;
  }
}

void Training::prepareState() {
  checkSkipOptions(options, program);
  RecordTimes::check(options, session);
  position = {options.seed.value_or(0),
              0,
              batches.stepsPerEpoch(),
              options.shuffle,
              options.ranks.shares == "contiguous",
              launch.size};
  position.augmentations = describe(options.data.augmentations);
  require(session.init(position.seed));
  if (!options.weights.empty())
    loadGivenWeights();
  if (std::optional<CheckpointFiles> found = findResumed()) {
    resumed = found->path;
    position = resumeCheckpoint(*found, program, session);
    checkResumed(position);
    position.ranks = launch.size;
  }
  if (options.weights.empty() && resumed.empty())
    warnOfWeights();
  skipped = readCounter(program::kSkippedState);
  diagnosis.emplace(makeStopRules(options, program),
                    readCounter(program::kConsecutiveSkipsState).value_or(0));
  if (options.explainSkips)
    watch.emplace(program, options.program, makeCompiler(),
                  options.device.threads);
  applyRates(options, program, session);
  if (!group)
    return;
  awaitAll("what it reads before the first step");
  requireSame(*group, "steps per epoch", position.stepsPerEpoch);
  requireSame(*group, "first step", position.steps);
  requireSame(*group, "seed", position.seed);
  requireSame(*group, "order of samples (shuffled or not)",
              position.isShuffled);
  requireSame(*group, "--shares (1: contiguous)", position.isContiguous);
  compareOptions();
  if (std::string drift = findDrift(*group, program, session); !drift.empty())
    throw badOptions("expected ranks that begin with the same states, but " +
                     drift + "; give all ranks the same options and files");
  alikeStep = position.steps;
}

/// Each reads files at its own pace, and may take longer than a collective.
void Training::awaitAll(const std::string &what) {
  if (group)
    group->awaitAll(what,
                    [this](const std::string &late) { observer.onNote(late); });
}

/// What decides which collectives come in which order, or what they are of: a
/// rank that is asked for others would take their messages for its own.
void Training::compareOptions() {
  auto hashOf = [](const NamePairs &pairs) {
    std::string text;
    for (const auto &[name, value] : pairs)
      text += name + "=" + value + ";";
    return std::hash<std::string>()(text);
  };
  requireSame(*group, "--augment (by its hash)",
              std::hash<std::string>()(position.augmentations));
  requireSame(*group, "--check-every", checkEvery());
  requireSame(*group, "number of samples of --eval-input",
              testSet ? testSet->numSamples() : 0);
  requireSame(*group, "--eval-every", options.evalEvery.value_or(1));
  requireSame(*group, "--eval-steps", options.evalSteps.value_or(0));
  requireSame(*group, "--accuracy (by its hash)", hashOf(options.accuracy));
  requireSame(*group, "--retry", options.retry.value_or(0));
  requireSame(*group, "--save-dir (1: asked for)",
              !options.saving.folder.empty());
  // Asked of all, for which it may be absent: each of these is a collective.
  const auto &every = options.saving.every;
  bool savesOften = every && !options.saving.folder.empty();
  requireSame(*group, "--save-every (steps; 0: none)",
              savesOften ? every->steps.value_or(0) : 0);
  requireSame(*group, "--max-skips", makeStopRules(options, program).maxSkips);
  requireSame(*group, "--on-overflow=explain (1: asked for)",
              options.explainSkips);
  requireSame(*group, "--timings or --timeline (1: asked for)", tellsTimes);
}

void Training::openMetrics(const std::string &path,
                           std::optional<MetricsFile> &file) {
  // A run with nothing to do has no lines: what is there is another's.
  if (path.empty() || firstStep >= lastStep)
    return;
  std::optional<uint64_t> goOnBehind;
  if (!options.resume.empty())
    goOnBehind = firstStep;
  file.emplace(path, goOnBehind, program.groups());
  for (const std::string &note : file->describeCut())
    observer.onNote(note);
}

std::string Training::describeOtherModel() const {
  std::string ours = program.info().model;
  if (position.model.empty() || position.model == ours)
    return "";
  return "'" + options.resume + "' was saved by model '" +
         printable(position.model) + "', and this is model '" +
         printable(ours) +
         "'; what it holds fits, and training goes on with it";
}

/// Which folder of several, and what a run needs beside its session.
void Training::tellResumed() {
  if (resumed != options.resume)
    observer.onNote("goes on from " + resumed);
  if (auto bytes = saver.copyBytes())
    observer.onNote("checkpoints are written from a copy of " +
                    formatBytes(*bytes) + (group ? " on this rank" : ""));
}

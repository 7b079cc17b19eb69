#include "Training.h"

#include "../Save/Checkpoint.h"
#include "RunFiles.h"
#include "Settings.h"
#include "StepLimit.h"

#include "mpc/Program/Names.h"
#include "mpc/Train/Format.h"

using namespace mpc;
using namespace mpc::train;

/// A counter of the program; waits for a device.
std::optional<uint64_t> Training::readCounter(std::string_view name) const {
  auto counter = program.findState(name);
  if (!counter)
    return std::nullopt;
  return static_cast<uint64_t>(scalarState(session, *counter));
}

/// One optimizer step, done again while it is skipped if that was asked for. A
/// skipped step has changed the loss scale alone and its sums are zero again,
/// so it is repeated whole, from its first micro-batch on, and draws the same
/// random numbers again.
void Training::step() {
  auto begin = Clock::now();
  std::span<const data::Batch> given = batches.fill(position);
  uint64_t number = position.steps + 1;
  uint64_t retries = options.retry.value_or(0);
  auto draws = program.findState(MPC_RANDOM_STEP);
  data::Bytes first =
      draws && retries ? getState(session, *draws) : data::Bytes();
  for (uint64_t retry = 0; retry <= retries; ++retry) {
    if (retry > 0)
      tally.addRetry();
    if (retry > 0 && draws)
      setState(session, *draws, first);
    runStep(number, given, retry, begin);
    begin = Clock::now();
    if (!readsAtOnce() || !noteLast(/*age=*/0) || isStopped() ||
        wasInterrupted())
      return;
  }
}

void Training::runStep(uint64_t number, std::span<const data::Batch> given,
                       uint64_t retry, Clock::time_point begin) {
  if (watch)
    watch->beforeStep(session);
  lastBatches = given;
  Clock::duration inRuntime{};
  auto run = [&](const rt::Entry &part, const data::Batch &batch) {
    auto start = Clock::now();
    try {
      runBatch(session, part, batch);
    } catch (const Failure &failure) {
      if (group || (given.size() > 1 && !options.saving.folder.empty()))
        broken = "step " + std::to_string(number) +
                 " broke off, so some of the state may be behind it and some "
                 "not";
      throw Failure(failure.fault,
                    group ? group->explain(failure.what()) : failure.what());
    }
    inRuntime += Clock::now() - start;
    if (times)
      times->noteRun(part.index, number);
  };
  for (const data::Batch &batch : given.first(given.size() - 1))
    run(*accumulate, batch);
  run(entry, given.back());
  position.steps = number; // after it: what has failed is no step
  auto end = Clock::now();
  StepMetrics result;
  result.step = position.steps;
  result.epoch = (position.steps - 1) / position.stepsPerEpoch + 1;
  if (options.retry)
    result.retry = retry;
  std::chrono::duration<double> whole = end - begin;
  result.milliseconds =
      std::chrono::duration<double, std::milli>(inRuntime).count();
  result.samplesPerSecond =
      static_cast<double>(batches.samplesPerStep()) / whole.count();
  noteRun(std::exchange(last, result), /*age=*/1);
}

bool Training::noteLast(uint32_t age) {
  return noteRun(std::exchange(last, std::nullopt), age);
}

bool Training::noteRun(const std::optional<StepMetrics> &run, uint32_t age) {
  if (!run)
    return false;
  StepMetrics step = *run;
  readReport(session, age, step);
  // All ranks read the same, whichever of them writes it.
  if (metrics || rankMetrics || group)
    step.scalars = readScalars(session, entry, age);
  if (skipped && step.foundInf) {
    *skipped += *step.foundInf;
    step.skipped = skipped;
  }
  // Whole lines, since rank 0 saves for all, whenever it likes.
  if (rankMetrics && !attempt([&] {
        rankMetrics->write(step);
        rankMetrics->flush();
      }))
    rankMetrics.reset();
  if (group) {
    wishes =
        agree(*group, step, {wishes.end || isSet(options.stop), saver.isDue()});
    bucketTimes.endStep(step.step);
  }
  note(step);
  isStoppedLate |= isStopped() && age > 0;
  return step.wasSkipped();
}

template <typename Action> bool Training::attempt(Action action) {
  try {
    action();
    return true;
  } catch (...) { // of the system too: no memory; of the observer
    noteTrouble(currentFailure());
  }
  return false;
}

/// The first one is what the run returns, whatever the observer does.
void Training::noteTrouble(const Failure &failure) {
  if (!trouble) {
    trouble = failure;
    return;
  }
  if (std::string_view(failure.what()) == trouble->what())
    return;
  // What the observer throws at that cannot be told to it.
  static_cast<void>(guard([&] {
    warn(failure.what());
    return true;
  }));
}

template <typename Write> void Training::tryMetrics(Write write) {
  if (metrics && !attempt(write))
    metrics.reset();
}

/// The line first: what fails after it costs none.
void Training::note(const StepMetrics &step) {
  tryMetrics([&] { metrics->write(step); });
  bool isFirstTaken = step.tookBadLoss() && !tally.hasBadLosses();
  if (isFirstTaken ||
      (!watch && step.nonFiniteLoss.value_or(false) && step.wasSkipped() &&
       !std::exchange(hasSkippedBadLoss, true)))
    warn(describeBadLoss(step));
  tally.add(step);
  observer.onStep(step);
  if (watch && step.wasSkipped())
    explain(step);
  lastScale = step.scale;
  diagnosis->note(step);
  warn(diagnosis->takeWarning());
}

void Training::warn(const std::string &warning) {
  if (!warning.empty())
    observer.onWarning(warning);
}

/// Says why the step that has just run was skipped.
void Training::explain(const StepMetrics &step) {
  std::string text = "step " + std::to_string(step.step) + " was skipped";
  if (step.scale)
    text += ", scale " + formatScale(*step.scale);
  try {
    text += ":\n" + watch->explain(session, lastBatches);
    text.pop_back(); // others end the line
  } catch (const Failure &) {
    if (!wasInterrupted())
      throw;
    text += "; it is not explained, since the run was asked to end";
  }
  observer.onNote(text);
}

/// What a replay of the last step tells, for the diagnosis.
std::string Training::replayLast() {
  try {
    OverflowWatch replay(program, options.program, makeCompiler(),
                         options.device.threads);
    if (lastScale)
      replay.useScale(*lastScale);
    if (isStoppedLate)
      return replay.explainLate(session, lastBatches);
    std::string text = replay.explain(session, lastBatches);
    text.pop_back(); // others end the line
    return "replay of the last step:\n" + text;
  } catch (const std::exception &) { // it needs memory for a second session
    return std::string("the last step could not be replayed: ") +
           currentFailure().what();
  }
}

void Training::evaluate(uint64_t epoch) {
  EvaluatorResult result;
  EvaluatorSums sums =
      evaluator->measure(session, {launch.rank, launch.size}, result);
  if (group) {
    double numbers[] = {sums.loss, sums.weight, sums.correct, sums.counted};
    addUp(*group, numbers,
          "the evaluation after step " + std::to_string(position.steps));
    sums = {numbers[0], numbers[1], numbers[2], numbers[3]};
  }
  evaluator->conclude(sums, result);
  tally.addEvaluation(result.loss, result.accuracy);
  EvaluationMetrics found{position.steps, epoch, result.loss, result.accuracy,
                          result.samples};
  observer.onEvaluation(found);
  tryMetrics([&] {
    metrics->write(found);
    metrics->flush();
  });
  saver.noteEvaluation(found);
  // Which may have saved the best.
  if (group)
    group->awaitFirst("its evaluation of step " +
                      std::to_string(position.steps));
}

void Training::checkAlike() {
  std::string drift = findDrift(*group, program, session);
  if (!drift.empty()) {
    broken = "ranks have drifted apart";
    throw Failure(Fault::System, "after step " +
                                     std::to_string(position.steps) + " " +
                                     drift + "; all were alike after step " +
                                     std::to_string(alikeStep));
  }
  alikeStep = position.steps;
}

/// Of ranks; 0: never.
uint64_t Training::checkEvery() const {
  uint64_t usual =
      std::string_view(program.info().target) == "cpu" ? 100 : 1000;
  return group ? options.ranks.checkEvery.value_or(usual) : 0;
}

void Training::train() {
  while (position.steps < lastStep && !wasInterrupted() && !trouble &&
         !isStopped()) {
    rt::WaitCounts before = session.waitCounts();
    step();
    outputs.noteStep();
    tally.addWaits(before, session.waitCounts());
    bool isEpochEnd = position.steps % position.stepsPerEpoch == 0;
    uint64_t epoch = (position.steps - 1) / position.stepsPerEpoch + 1;
    bool isTurn =
        options.evalSteps
            ? position.steps % *options.evalSteps == 0
            : isEpochEnd && epoch % options.evalEvery.value_or(1) == 0;
    if (evaluator && (isTurn || position.steps == lastStep)) {
      noteLast(/*age=*/0);
      outputs.read(session);
      evaluate(epoch);
    }
    if (isEpochEnd)
      tryMetrics([&] { metrics->flush(); });
    if (checkEvery() && position.steps % checkEvery() == 0)
      checkAlike();
    if (group ? wishes.save : saver.isDue())
      saveNow();
    saver.check();
  }
  if (checkEvery() && !trouble && alikeStep < position.steps)
    checkAlike();
}

TrainResult Training::run() {
  prepareState();
  files.open(replacedFiles(options));
  firstStep = position.steps;
  lastStep = findLastStep(options, program, session, position);
  if (group)
    requireSame(*group, "last step", lastStep);
  observer.onBegin(
      {firstStep, lastStep, position.stepsPerEpoch, batches.samplesPerStep()});
  saver.openFolder(program, group.get(), resumed);
  tellResumed();
  std::vector<std::string> warnings = findWarnings(options, program, session);
  warnings.insert(warnings.begin(), describeOtherModel());
  if (firstStep < lastStep && RecordTimes::areWanted(options))
    times.emplace(options, program, session, firstStep, lastStep,
                  /*isOneRank=*/!group);
  // Which cuts the file: what refuses the run is in front.
  openMetrics(options.metrics, metrics);
  openMetrics(options.rankMetrics, rankMetrics);
  awaitAll("its files before the first step"); // Rank 0 may have hashed some.
  for (const std::string &warning : warnings)
    warn(warning);
  if (options.saving.resumes && !options.resume.empty() &&
      options.resume == options.saving.file)
    observer.onNote("goes on from step " + std::to_string(firstStep) +
                    ", which '" + options.resume + "' holds");
  if (group)
    observer.onNote(batches.describeShare() +
                    (position.isContiguous
                         ? ", each rank of its part of the files, "
                         : ", ") +
                    group->describe());
  tally.begin(position.stepsPerEpoch, batches.samplesPerStep());
  if (firstStep < lastStep)
    saver.begin(resumed);
  attempt([&] { train(); });
  finish();
  if (trouble)
    throw *trouble;
  if (group)
    group->finish();
  TrainResult result;
  result.summary = tally.summary();
  if (isStopped()) {
    result.end = TrainResult::Stopped;
    result.reason = "training stopped at step " +
                    std::to_string(position.steps) + ": " +
                    diagnosis->describe(replayLast());
  } else if (wasInterrupted() && position.steps < lastStep) {
    result.end = TrainResult::Interrupted;
  }
  return result;
}

/// The metrics of the steps before first: a run that is killed later goes on
/// after this one, and nobody would write them.
void Training::saveNow() {
  noteLast(/*age=*/0);
  tryMetrics([&] { metrics->flush(); });
  auto begin = Clock::now();
  saver.save();
  if (group && options.saving.folder.empty())
    group->awaitFirst("its save of step " + std::to_string(position.steps));
  tally.addSave(Clock::now() - begin);
}

/// The others wait for this rank, which has files to write yet, and may wait
/// for theirs.
void Training::giveUpInTrouble() {
  if (trouble)
    giveUp(trouble->what());
}

/// Of all that is to be written the state comes first.
void Training::finish() {
  attempt([&] {
    noteLast(/*age=*/0);
    require(session.synchronize());
  });
  tally.end();
  attempt([&] { outputs.read(session); });
  attempt([&] { observer.onTrained(); });
  // The line of metrics of the last step, say, or its evaluation, which a run
  // that goes on behind it would never make up for.
  if (broken.empty() && group && group->hasFailed())
    broken = "the ranks did not finish what belongs to step " +
             std::to_string(position.steps);
  giveUpInTrouble();
  if (broken.empty())
    attempt([&] { saver.saveAtEnd(files); });
  giveUpInTrouble();
  // Other ranks save if they have no trouble, which they do not tell in time.
  attempt(
      [&] { saver.saveFolderAtEnd(broken.empty() && !(group && trouble)); });
  if (!broken.empty() && !(options.saving.file + options.saving.folder).empty())
    attempt([&] { observer.onNote(broken + ": nothing is saved"); });
  tryMetrics([&] { metrics->finish(); });
  attempt([&] {
    if (rankMetrics)
      rankMetrics->finish();
  });
  attempt([&] { outputs.write(files); });
  if (!options.device.plans.empty() && launch.rank == 0)
    attempt([&] { savePlans(session, files.take(options.device.plans)); });
  attempt([&] { writeSummary(); });
  if (group && !trouble)
    attempt([&] { group->awaitFirst("its files at the end"); });
  attempt([&] { tellTimes(); });
  attempt([&] { tellEnd(); });
}

/// Of ranks each tells rank 0 when its buckets travelled, unless it has failed.
void Training::tellTimes() {
  RanksTimes ofRanks;
  if (group && tellsTimes && !trouble && firstStep < lastStep)
    ofRanks = gatherTimes(*group, bucketTimes.takeSteps(firstStep));
  if (times)
    times->tell(files, ofRanks, observer);
}

void Training::tellEnd() {
  if (position.steps < lastStep && wasInterrupted())
    observer.onNote("interrupted at step " + std::to_string(position.steps) +
                    " of " + std::to_string(lastStep));
  if (firstStep < lastStep)
    observer.onSummary(tally.summary());
  else
    observer.onNote(describeNothingToDo(options, position.steps, lastStep));
  for (const std::string &loss : saver.describeLosses())
    observer.onNote(loss);
  if (!broken.empty())
    return;
  for (const std::string &text : saver.describeSaved())
    observer.onNote(text);
}

void Training::writeSummary() {
  std::optional<double> scale;
  if (auto state = program.findState(MPC_LOSS_SCALE))
    scale = scalarState(session, *state);
  tally.endAll(position.steps, readCounter(program::kSkippedState), scale,
               session.memory(), saver.copyBytes());
  if (!options.summary.empty())
    mpc::train::writeSummary(tally.summary(), files.take(options.summary));
}

#include "Saver.h"

#include "../Failure.h"

#include "mpc/Support/WriterLock.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

using namespace mpc;
using namespace mpc::train;
namespace fs = std::filesystem;

Saver::Saver(const SaveOptions &options, const rt::Session &session,
             Position &position, Observer &observer)
    : options(options), session(session), position(position),
      observer(observer) {}

/// Locks of steps (keepStep) are held for moments; a run that was killed then
/// has left one, and no later run saves that step.
void Saver::removeStaleLocks() {
  constexpr std::string_view ending = ".lock";
  std::vector<std::string> files;
  std::error_code error;
  fs::path folder = fs::path(options.file).parent_path();
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!name.ends_with(ending))
      continue;
    name.resize(name.size() - ending.size());
    if (std::optional<uint64_t> step = stepOf(options, name))
      files.push_back(stepFile(options, *step));
  }
  for (const std::string &file : files)
    (void)WriterLock::take(file); // and give it back: that removes it
}

void Saver::openFolder(const rt::Program &program, RankGroup *group,
                       const std::string &resumed) {
  if (options.folder.empty())
    return;
  folder =
      std::make_unique<FolderSaver>(options, program, session, group, observer);
  folder->begin(position, resumed);
}

void Saver::begin(const std::string &resumed) {
  saved = Clock::now();
  std::error_code error;
  if (!resumed.empty() && fs::equivalent(resumed, options.file, error))
    savedStep = position.steps;
  if (!options.file.empty())
    removeStaleLocks();
  if (options.keep.value_or(0) > 0 && !folder)
    findKept();
  if (options.best && position.steps > 0)
    findBest();
}

void Saver::findKept() {
  std::map<uint64_t, std::string> past;
  std::error_code error;
  fs::path folder = fs::path(options.file).parent_path();
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error))
    if (std::optional<uint64_t> step =
            stepOf(options, entry->path().filename().string()))
      (*step <= position.steps ? past : abandoned)[*step] =
          stepFile(options, *step);
  for (const auto &[step, file] : past)
    kept.push_back(file);
  if (abandoned.empty())
    return;
  const std::string &first = abandoned.begin()->second,
                    &last = abandoned.rbegin()->second;
  observer.onNote(
      "note: of steps after " + std::to_string(position.steps) +
      " there are files of another run, '" + first + "'" +
      (abandoned.size() > 1 ? " to '" + last + "'" : "") +
      ": they go as this run saves after them; rename those that are to "
      "stay");
}

/// The state of the best evaluation so far must be in the file for it. If it
/// is not, what is there belongs to steps that are not in this run's past (it
/// goes on from an older state, say): the best is found anew.
void Saver::findBest() {
  std::string file = bestFile(options);
  if (position.best && position.best->rule != options.best->text())
    position.best.reset();
  if (holdsBest(file, position))
    return;
  std::string best =
      "the best evaluation up to step " + std::to_string(position.steps);
  if (position.best)
    best += " (" + position.best->describe() + ")";
  bool isKnown = std::exchange(position.best, std::nullopt).has_value();
  std::error_code error;
  if (fs::exists(file, error))
    observer.onWarning("'" + file + "' does not hold " + best +
                       "; the next evaluation replaces it, whatever its value");
  else if (isKnown)
    observer.onWarning(
        "there is no '" + file + "' with " + best +
        "; the next evaluation is the best so far, whatever its value");
}

bool Saver::isDue() const {
  if (!options.every)
    return false;
  if (options.every->steps)
    return position.steps % *options.every->steps == 0;
  return Clock::now() - saved >= options.every->time;
}

/// Of a step. A folder of such a name is the user's.
static void removeFile(const std::string &file) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(file, error)))
    fs::remove(file, error);
}

/// Not while another run saves there.
static void removeFree(const std::string &file) {
  if (WriterLock::checkFree(file).ok())
    removeFile(file);
}

/// What the run has done itself by now is not to be found as another did it.
void Saver::removePassed() {
  auto end = abandoned.upper_bound(position.steps);
  for (auto entry = abandoned.begin(); entry != end; ++entry)
    if (!std::ranges::count(kept, entry->second))
      removeFree(entry->second);
  abandoned.erase(abandoned.begin(), end);
}

/// The file that was just written also under a name of its own; by a second
/// writing where the file system has no links.
void Saver::keepStep() {
  std::string file = stepFile(options, position.steps);
  std::error_code error;
  Result<WriterLock> lock = WriterLock::take(file); // of a run that saves there
  requireWritten(lock.status());
  removeFile(file);
  // Of the file itself: a link to a symbolic link would go on with it.
  fs::path written = fs::canonical(options.file, error);
  if (!error)
    fs::create_hard_link(written, file, error);
  if (error)
    saveCheckpoint(file, session, position);
  std::erase(kept, file);
  kept.push_back(file);
  removePassed();
  for (; kept.size() > *options.keep; kept.pop_front())
    removeFree(kept.front());
}

void Saver::save() {
  std::string step = "at step " + std::to_string(position.steps);
  saved = Clock::now();
  if (folder)
    return folder->save(position);
  if (options.file.empty())
    return; // a rank that saves nothing
  try {
    saveCheckpoint(options.file, session, position);
    savedStep = position.steps;
  } catch (const std::exception &) {
    observer.onWarning("not saved " + step + ": " + currentFailure().what());
    return;
  }
  if (options.keep.value_or(0) == 0)
    return;
  try {
    keepStep();
  } catch (const std::exception &) {
    observer.onWarning("saved " + step +
                       ", but no copy is kept: " + currentFailure().what());
  }
}

void Saver::noteEvaluation(const EvaluationMetrics &evaluation) {
  if (!options.best)
    return;
  const BestRule &rule = *options.best;
  std::optional<double> value =
      rule.metric == "eval_loss" ? evaluation.loss : evaluation.accuracy;
  if (!value || !std::isfinite(*value) ||
      (position.best && !rule.isBetter(*value, position.best->value)))
    return;
  Position best = position;
  best.best = {rule.text(), *value, position.steps};
  try {
    saveCheckpoint(bestFile(options), session, best);
  } catch (const std::exception &) {
    observer.onWarning("the best so far is not saved: " +
                       std::string(currentFailure().what()));
    return;
  }
  position = best;
}

void Saver::saveAtEnd(OutputFiles &outputs) {
  if (options.file.empty())
    return;
  saveCheckpoint(outputs.take(options.file), session, position);
  savedStep = position.steps;
  removePassed();
}

void Saver::saveFolderAtEnd(bool isWhole) {
  if (folder && isWhole)
    folder->saveAtEnd(position);
  else if (folder)
    folder->wait();
}

std::vector<std::string> Saver::describeLosses() const {
  std::vector<std::string> losses;
  auto add = [&](const std::string &where, std::optional<uint64_t> step) {
    if (!where.empty() && step != position.steps)
      losses.push_back(
          "the state of step " + std::to_string(position.steps) + " is lost" +
          (step
               ? "; '" + where + "' holds that of step " + std::to_string(*step)
               : ""));
  };
  add(options.file, savedStep);
  add(options.folder, folder ? folder->savedStep() : std::nullopt);
  return losses;
}

std::vector<std::string> Saver::describeSaved() const {
  std::vector<std::string> texts;
  if (!options.file.empty() && savedStep == position.steps)
    texts.push_back("saved " + options.file);
  if (folder && folder->savedStep() == position.steps)
    texts.push_back("saved " + stepFolder(options.folder, position.steps));
  return texts;
}

std::optional<uint64_t> Saver::copyBytes() const {
  return folder ? std::optional(folder->copyBytes()) : std::nullopt;
}

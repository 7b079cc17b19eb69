#include "Saver.h"

#include "../Failure.h"

#include "mpc/Support/WriterLock.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

using namespace mpc;
using namespace mpc::run;
namespace fs = std::filesystem;

Saver::Saver(const SaveOptions &options, const Session &session,
             Position &position)
    : options(options), session(session), position(position) {}

std::string Saver::begin() {
  saved = Clock::now();
  if (position.steps == 0)
    return "";
  if (options.keep)
    findKept();
  return options.best ? findBest() : "";
}

void Saver::findKept() {
  std::vector<std::pair<uint64_t, std::string>> found;
  std::error_code error;
  fs::path folder = fs::path(options.file).parent_path();
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error))
    if (std::optional<uint64_t> step =
            options.stepOf(entry->path().filename().string());
        step && *step <= position.steps)
      found.emplace_back(*step, options.stepFile(*step));
  std::ranges::sort(found);
  for (const auto &[step, file] : found)
    kept.push_back(file);
}

/// The state of the best evaluation so far must be in the file for it. If it
/// is not, what is there belongs to steps that are not in this run's past (it
/// goes on from an older state, say): the best is found anew.
std::string Saver::findBest() {
  std::string file = options.bestFile();
  if (position.best && position.best->rule != options.best->text())
    position.best.reset();
  if (holdsBest(file, position))
    return "";
  std::string best =
      "the best evaluation up to step " + std::to_string(position.steps);
  if (position.best)
    best += " (" + position.best->describe() + ")";
  bool isKnown = std::exchange(position.best, std::nullopt).has_value();
  std::error_code error;
  if (fs::exists(file, error))
    return "warning: '" + file + "' does not hold " + best +
           "; the next evaluation replaces it, whatever its value";
  if (isKnown)
    return "warning: there is no '" + file + "' with " + best +
           "; the next evaluation is the best so far, whatever its value";
  return "";
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

/// The file that was just written also under a name of its own; by a second
/// writing where the file system has no links.
void Saver::keepStep() {
  std::string file = options.stepFile(position.steps);
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
  while (kept.size() > *options.keep) {
    if (WriterLock::checkFree(kept.front()).ok())
      removeFile(kept.front());
    kept.pop_front();
  }
}

std::string Saver::save() {
  std::string step = "at step " + std::to_string(position.steps);
  saved = Clock::now();
  try {
    saveCheckpoint(options.file, session, position);
  } catch (const Failure &failure) {
    return "warning: not saved " + step + ": " + failure.what();
  }
  if (options.keep.value_or(0) == 0)
    return "";
  try {
    keepStep();
  } catch (const Failure &failure) {
    return "warning: saved " + step +
           ", but no copy is kept: " + failure.what();
  }
  return "";
}

std::string Saver::noteEvaluation(const Evaluation &evaluation) {
  if (!options.best)
    return "";
  const BestRule &rule = *options.best;
  std::optional<double> value =
      rule.metric == "eval_loss" ? evaluation.loss : evaluation.accuracy;
  if (!value || !std::isfinite(*value) ||
      (position.best && !rule.isBetter(*value, position.best->value)))
    return "";
  Position best = position;
  best.best = {rule.text(), *value, position.steps};
  try {
    saveCheckpoint(options.bestFile(), session, best);
  } catch (const Failure &failure) {
    return "warning: the best so far is not saved: " +
           std::string(failure.what());
  }
  position = best;
  return "";
}

void Saver::saveAtEnd() const {
  if (!options.file.empty())
    saveCheckpoint(options.file, session, position);
}

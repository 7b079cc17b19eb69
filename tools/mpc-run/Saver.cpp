#include "Saver.h"

#include "Failure.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace mpc::run;
namespace fs = std::filesystem;

Saver::Saver(const SaveOptions &options, const Session &session,
             Position &position)
    : options(options), session(session), position(position) {}

void Saver::begin() {
  saved = Clock::now();
  if (!options.keep || position.steps == 0)
    return;
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

bool Saver::isDue() const {
  if (!options.every)
    return false;
  if (options.every->steps)
    return position.steps % *options.every->steps == 0;
  return Clock::now() - saved >= options.every->time;
}

/// The file that was just written also under a name of its own; by a second
/// writing where the file system has no links.
void Saver::keepStep() {
  std::string file = options.stepFile(position.steps);
  std::error_code error;
  fs::remove(file, error);
  // Of the file itself: a link to a symbolic link would go on with it.
  fs::path written = fs::canonical(options.file, error);
  if (!error)
    fs::create_hard_link(written, file, error);
  if (error)
    saveCheckpoint(file, session, position);
  std::erase(kept, file);
  kept.push_back(file);
  while (kept.size() > *options.keep) {
    fs::remove(kept.front(), error);
    kept.pop_front();
  }
}

void Saver::saveStep() {
  saved = Clock::now();
  saveCheckpoint(options.file, session, position);
  if (options.keep.value_or(0) > 0)
    keepStep();
}

std::string Saver::save() {
  try {
    saveStep();
  } catch (const Failure &failure) {
    return "warning: not saved at step " + std::to_string(position.steps) +
           ": " + failure.what();
  }
  return "";
}

std::string Saver::noteEvaluation(const Evaluation &evaluation) {
  if (!options.best)
    return "";
  const BestRule &rule = *options.best;
  std::optional<double> value =
      rule.metric == "eval_loss" ? evaluation.loss : evaluation.accuracy;
  bool hasBest = position.bestMetric == rule.metric;
  if (!value || !std::isfinite(*value) ||
      (hasBest && !rule.isBetter(*value, position.best)))
    return "";
  Position best = position;
  best.bestMetric = rule.metric;
  best.best = *value;
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

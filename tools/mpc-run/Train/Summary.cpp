#include "Summary.h"

#include "../Failure.h"
#include "../Progress.h"

#include "mpc/Data/File.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace mpc::run;

void TrainSummary::begin(uint64_t steps, uint64_t samples) {
  stepsPerEpoch = steps;
  batchSize = samples;
  started = std::chrono::steady_clock::now();
}

void TrainSummary::add(const StepMetrics &step) {
  auto spent = static_cast<float>(step.milliseconds);
  if (step.retry.value_or(0) == 0)
    milliseconds.push_back(spent);
  else // the same step again
    milliseconds.back() += spent;
  nonFiniteLosses += step.tookBadLoss();
  if (!step.loss)
    return;
  size_t place = (milliseconds.size() - 1) % stepsPerEpoch;
  StepLoss loss{*step.loss, step.wasSkipped()};
  if (losses.size() <= place)
    losses.resize(place + 1, loss);
  losses[place] = loss;
}

void TrainSummary::addWaits(const WaitCounts &before, const WaitCounts &after) {
  waits.synchronizations += after.synchronizations - before.synchronizations;
  waits.waits += after.waits - before.waits;
}

static double secondsSince(std::chrono::steady_clock::time_point begin) {
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - begin;
  return spent.count();
}

void TrainSummary::end() { seconds = secondsSince(started); }

void TrainSummary::endAll() { wallSeconds = secondsSince(launched); }

std::optional<double> TrainSummary::lastEpochLoss() const {
  bool areAllSkipped = std::ranges::all_of(losses, &StepLoss::wasSkipped);
  double sum = 0;
  size_t count = 0;
  for (const StepLoss &loss : losses) {
    if (loss.wasSkipped && !areAllSkipped)
      continue;
    sum += loss.value;
    ++count;
  }
  if (count == 0)
    return std::nullopt;
  return sum / static_cast<double>(count);
}

double TrainSummary::medianMilliseconds() const {
  if (milliseconds.empty())
    return 0;
  std::vector<float> sorted = milliseconds;
  auto middle = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

double TrainSummary::samplesPerSecond() const {
  if (seconds <= 0)
    return 0;
  return static_cast<double>(milliseconds.size() * batchSize) / seconds;
}

uint64_t TrainSummary::planned() const {
  return memory.planned_state + memory.planned_arena + memory.planned_workspace;
}

uint64_t TrainSummary::used() const {
  return memory.used_state + memory.used_arena + memory.used_workspace;
}

/// "12.30 ms", "1.23 s".
static std::string formatTime(double seconds) {
  char text[64];
  bool isShort = seconds < 1;
  std::snprintf(text, sizeof(text), "%.2f %s",
                isShort ? seconds * 1e3 : seconds, isShort ? "ms" : "s");
  return text;
}

std::string TrainSummary::describe() const {
  char text[256];
  std::snprintf(
      text, sizeof(text),
      "trained %zu steps in %s (wall time %s with loading and saving), median "
      "%.3f ms/step, %s samples/s",
      milliseconds.size(), formatTime(seconds).c_str(),
      formatTime(wallSeconds).c_str(), medianMilliseconds(),
      formatRate(samplesPerSecond()).c_str());
  std::string line = text;
  if (std::optional<double> loss = lastEpochLoss())
    line += ", loss of the last epoch " + formatLoss(*loss);
  if (nonFiniteLosses)
    line += ", loss not finite in " + std::to_string(nonFiniteLosses);
  if (skipped)
    line += ", skipped " + std::to_string(*skipped);
  if (retries)
    line += ", retried " + std::to_string(retries);
  if (scale)
    line += ", scale " + formatScale(*scale);
  return line + ", memory " + formatBytes(used()) + " of " +
         formatBytes(planned()) + " planned";
}

void TrainSummary::write(data::OutputFile file) const {
  nlohmann::ordered_json object;
  auto put = [&](const char *key, auto value) {
    if (value)
      object[key] = *value;
  };
  object["steps"] = steps;
  put("skipped", skipped);
  object["retries"] = retries;
  if (std::optional<double> loss = lastEpochLoss()) {
    object["loss"] = *loss; // null where it is not finite
    object["nonfinite_loss"] = !std::isfinite(*loss);
  }
  object["nonfinite_losses"] = nonFiniteLosses;
  put("scale", scale);
  put("eval_loss", evalLoss);
  put("eval_accuracy", evalAccuracy);
  object["ms_per_step"] = medianMilliseconds();
  object["seconds"] = seconds;
  object["wall_seconds"] = wallSeconds;
  object["samples_per_s"] = samplesPerSecond();
  object["synchronizations_in_steps"] = waits.synchronizations;
  object["waits_in_steps"] = waits.waits;
  object["planned_bytes"] = planned();
  object["used_bytes"] = used();
  std::string text = object.dump(2) + "\n";
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
  requireWritten(data::writeFile(std::move(file), parts));
}

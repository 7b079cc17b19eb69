#include "Tally.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::train;

void Tally::begin(uint64_t steps, uint64_t samples) {
  stepsPerEpoch = steps;
  batchSize = samples;
  started = Clock::now();
}

void Tally::add(const StepMetrics &step) {
  auto spent = static_cast<float>(step.milliseconds);
  if (step.retry.value_or(0) == 0)
    milliseconds.push_back(spent);
  else // the same step again
    milliseconds.back() += spent;
  result.nonFiniteLosses += step.tookBadLoss();
  if (!step.loss)
    return;
  size_t place = (milliseconds.size() - 1) % stepsPerEpoch;
  StepLoss loss{*step.loss, step.wasSkipped()};
  if (losses.size() <= place)
    losses.resize(place + 1, loss);
  losses[place] = loss;
}

void Tally::addWaits(const rt::WaitCounts &before,
                     const rt::WaitCounts &after) {
  result.synchronizations += after.synchronizations - before.synchronizations;
  result.waits += after.waits - before.waits;
}

void Tally::addEvaluation(std::optional<double> loss,
                          std::optional<double> accuracy) {
  result.evalLoss = loss;
  result.evalAccuracy = accuracy;
}

static double secondsSince(std::chrono::steady_clock::time_point begin) {
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - begin;
  return spent.count();
}

void Tally::end() {
  result.seconds = secondsSince(started);
  result.stepsHere = milliseconds.size();
  result.loss = lastEpochLoss();
  result.msPerStep = medianMilliseconds();
  if (result.seconds > 0)
    result.samplesPerSecond =
        static_cast<double>(milliseconds.size() * batchSize) / result.seconds;
}

void Tally::endAll(uint64_t steps, std::optional<uint64_t> skipped,
                   std::optional<double> scale, const mpc_memory_info &memory,
                   std::optional<uint64_t> copyBytes) {
  result.copyBytes = copyBytes;
  result.steps = steps;
  result.skipped = skipped;
  result.scale = scale;
  result.plannedBytes =
      memory.planned_state + memory.planned_arena + memory.planned_workspace;
  result.usedBytes =
      memory.used_state + memory.used_arena + memory.used_workspace;
  result.wallSeconds = secondsSince(launched);
}

std::optional<double> Tally::lastEpochLoss() const {
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

double Tally::medianMilliseconds() const {
  if (milliseconds.empty())
    return 0;
  std::vector<float> sorted = milliseconds;
  auto middle = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

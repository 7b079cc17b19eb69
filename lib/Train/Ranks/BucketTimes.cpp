#include "BucketTimes.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace mpc;
using namespace mpc::train;
using ranks::Group;

static uint64_t toNanoseconds(ranks::Clock::time_point time) {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          time.time_since_epoch())
          .count());
}

BucketTime *BucketTimes::find(Group::Ticket ticket) {
  auto found = std::ranges::find(tickets, ticket);
  return found == tickets.end() ? nullptr
                                : &current.buckets[found - tickets.begin()];
}

void BucketTimes::noteWait(Group::Ticket ticket, uint64_t nanoseconds) {
  std::lock_guard<std::mutex> lock(mutex);
  if (BucketTime *bucket = find(ticket))
    bucket->exposed = nanoseconds;
}

void BucketTimes::noteDone(Group::Ticket ticket,
                           const ranks::CollectiveTimes &times) {
  std::lock_guard<std::mutex> lock(mutex);
  BucketTime *bucket = find(ticket);
  if (!bucket)
    return;
  bucket->ready = toNanoseconds(times.started);
  bucket->begun = toNanoseconds(times.begun);
  bucket->done = toNanoseconds(times.done);
}

void BucketTimes::endStep(uint64_t step) {
  std::lock_guard<std::mutex> lock(mutex);
  current.step = step;
  if (current.begin != 0) {
    if (steps.size() == kMostSteps)
      steps.erase(steps.begin());
    steps.push_back(std::move(current));
  }
  tickets.clear();
  current = {};
  current.begin = toNanoseconds(ranks::Clock::now());
}

std::vector<StepTimes> BucketTimes::takeSteps(uint64_t first) {
  std::lock_guard<std::mutex> lock(mutex);
  std::erase_if(steps,
                [&](const StepTimes &each) { return each.step <= first; });
  return std::move(steps);
}

//===-- The table ---------------------------------------------------------===//

template <typename Value>
static double medianOf(const std::vector<StepTimes> &steps, Value valueOf) {
  std::vector<double> values;
  for (const StepTimes &step : steps)
    values.push_back(static_cast<double>(valueOf(step)));
  std::ranges::sort(values);
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

std::string train::describeBuckets(const RanksTimes &times, double latency,
                                   double bandwidth) {
  if (times.empty() || times.front().empty())
    return "";
  const std::vector<StepTimes> &steps = times.front();
  std::string text = "all-reduces of " + std::to_string(times.size()) +
                     " ranks, medians of " + std::to_string(steps.size()) +
                     (steps.size() == 1 ? " step" : " steps") +
                     ", on rank 0, in ms after the step begins\n"
                     "bucket           MB     ready     begun      done   "
                     "exposed  predicted";
  auto ranks = static_cast<double>(times.size());
  double exposed = 0;
  for (size_t i = 0; i < steps.front().buckets.size(); ++i) {
    auto after = [&](uint64_t BucketTime::*when) {
      return 1e-6 * medianOf(steps, [&](const StepTimes &step) {
               return step.buckets[i].*when - step.begin;
             });
    };
    double waited = 1e-6 * medianOf(steps, [&](const StepTimes &step) {
                      return step.buckets[i].exposed;
                    });
    auto bytes = static_cast<double>(steps.front().buckets[i].bytes);
    char line[160];
    std::snprintf(line, sizeof line, "\n%6zu %12.3f %9.3f %9.3f %9.3f %9.3f", i,
                  bytes * 1e-6, after(&BucketTime::ready),
                  after(&BucketTime::begun), after(&BucketTime::done), waited);
    text += line;
    if (bandwidth > 0) {
      // Each element goes out and comes in but for a rank's own part.
      double moved = 2 * (ranks - 1) / ranks * bytes;
      std::snprintf(line, sizeof line, " %10.3f",
                    latency * 1e-3 + moved / bandwidth * 1e-6);
      text += line;
    }
    exposed += waited;
  }
  char line[80];
  std::snprintf(line, sizeof line, "\nwaited for: %.3f ms of a step", exposed);
  return text + line;
}

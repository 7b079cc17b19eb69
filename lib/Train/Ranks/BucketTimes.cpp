#include "BucketTimes.h"

#include <algorithm>
#include <chrono>

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

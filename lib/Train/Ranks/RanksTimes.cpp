#include "RanksTimes.h"

#include "Consensus.h"

#include "mpc/Train/Format.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::train;

//===-- One clock ---------------------------------------------------------===//

static uint64_t now() {
  return static_cast<uint64_t>(
      std::chrono::nanoseconds(ranks::Clock::now().time_since_epoch()).count());
}

/// As numbers that travel.
static std::vector<uint64_t> pack(const std::vector<StepTimes> &steps) {
  std::vector<uint64_t> numbers;
  for (const StepTimes &step : steps) {
    numbers.insert(numbers.end(), {step.step, step.begin});
    for (const BucketTime &bucket : step.buckets)
      numbers.insert(numbers.end(), {bucket.bytes, bucket.ready, bucket.begun,
                                     bucket.done, bucket.exposed});
  }
  return numbers;
}

/// Into `steps`, which have as many buckets, what begins at `next`; `shift`
/// turns its clock into ours.
template <typename Iterator>
static void unpack(std::vector<StepTimes> &steps, Iterator &next,
                   uint64_t shift) {
  for (StepTimes &step : steps) {
    step.step = *next++;
    step.begin = *next++ + shift;
    for (BucketTime &bucket : step.buckets) {
      bucket.bytes = *next++;
      for (uint64_t BucketTime::*when :
           {&BucketTime::ready, &BucketTime::begun, &BucketTime::done})
        bucket.*when = *next++ + shift;
      bucket.exposed = *next++;
    }
  }
}

/// Clocks of machines differ, but all ranks come out of a barrier together,
/// more or less; processes of one machine have the same clock.
RanksTimes train::gatherTimes(RankGroup &group,
                              const std::vector<StepTimes> &own) {
  group.run({.kind = ranks::CollectiveKind::Barrier,
             .name = "before times are told"});
  uint64_t ownClock = now();
  std::vector<uint64_t> numbers = pack(own);
  numbers.insert(numbers.begin(), ownClock);
  requireSame(group, "numbers of its times", numbers.size());
  std::vector<uint64_t> all = gather(group, numbers, "when buckets travelled");
  RanksTimes result(group.size(), own);
  auto next = all.begin();
  for (std::vector<StepTimes> &steps : result) {
    uint64_t clock = *next++;
    unpack(steps, next, group.isOneMachine() ? 0 : all.front() - clock);
  }
  return result;
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

std::string train::describeBuckets(const RanksTimes &times,
                                   const ranks::Link &link) {
  if (times.empty() || times.front().empty())
    return "";
  const std::vector<StepTimes> &steps = times.front();
  std::string text = "all-reduces of " + std::to_string(times.size()) +
                     " ranks, medians of " + std::to_string(steps.size()) +
                     (steps.size() == 1 ? " step" : " steps") +
                     ", on rank 0, in ms after the step begins\n"
                     "    bucket       MB     ready     begun      done   "
                     "exposed  predicted";
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
    uint64_t bytes = steps.front().buckets[i].bytes;
    // As messages of failures count them: "bucket 1 of 4".
    std::string number = std::to_string(i + 1);
    text += "\n" + std::string(10 - std::min<size_t>(10, number.size()), ' ') +
            number + formatSmall(1e-6 * static_cast<double>(bytes));
    for (double time : {after(&BucketTime::ready), after(&BucketTime::begun),
                        after(&BucketTime::done), waited})
      text += " " + formatSmall(time);
    if (link.bandwidth > 0)
      text +=
          "  " + formatSmall(1e-3 * link.predict(bytes, static_cast<uint32_t>(
                                                            times.size())));
    exposed += waited;
  }
  std::string all = formatSmall(exposed);
  return text + "\nwaited for: " + all.substr(all.find_first_not_of(' ')) +
         " ms of a step";
}

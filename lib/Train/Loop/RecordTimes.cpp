#include "RecordTimes.h"

#include "../Failure.h"

#include <cstdlib>

using namespace mpc;
using namespace mpc::train;

/// Of the timeline.
static constexpr uint64_t kSteps = 2;

static void timeRecords(rt::Session &session, bool isOn,
                        const TrainOptions &options) {
  if (rt::Status status = session.timeRecords(isOn); !status)
    throw badOptions(std::string("train: '") +
                     (options.timeline.empty() ? "--timings" : "--timeline") +
                     "': " + status.message() +
                     "; '--nvtx' names them for a profiler");
}

void RecordTimes::check(const TrainOptions &options, rt::Session &session) {
  if (!areWanted(options))
    return;
  timeRecords(session, true, options);
  timeRecords(session, false, options);
}

static double readNumber(const rt::Program &program, const char *setting) {
  return std::strtod(program.setting(setting).value_or("0").c_str(), nullptr);
}

static RecordList listRecords(const rt::Program &program) {
  RecordList list;
  for (const rt::Entry &entry : program.entries())
    list.push_back(require(program.records(entry.index)));
  return list;
}

RecordTimes::RecordTimes(const TrainOptions &options,
                         const rt::Program &program, rt::Session &session,
                         uint64_t before, uint64_t last, bool isOneRank)
    : path(options.timeline), records(listRecords(program)),
      rates(MachineRates::get(options, program, session)),
      link{readNumber(program, "link-latency"),
           readNumber(program, "link-bandwidth")},
      predicted(predict(rates, program, records)), session(session),
      firstStep(before + (last - before > 1 ? 2 : 1)) {
  if (options.timings)
    table.emplace(records, predicted, /*leavesOutFirst=*/last - before > 1,
                  isOneRank);
  if (!path.empty())
    timeline.emplace(program, records, predicted);
  timeRecords(session, true, options);
}

void RecordTimes::noteRun(uint32_t entry, uint64_t step) {
  bool isInTimeline = timeline && step < firstStep + kSteps;
  if (!isOn || step < firstStep)
    return;
  if (!table && !isInTimeline) {
    require(session.timeRecords(false));
    isOn = false;
    return;
  }
  std::vector<mpc_record_time> times = require(session.recordTimes(entry));
  if (times.size() != records[entry].size())
    throw Failure(Fault::System, "expected times of " +
                                     std::to_string(records[entry].size()) +
                                     " records, but the session has " +
                                     std::to_string(times.size()));
  if (table)
    table->add(entry, times, /*isNewStep=*/step != lastNoted);
  lastNoted = step;
  if (isInTimeline)
    timeline->add(entry, step, std::move(times));
}

void RecordTimes::tell(OutputFiles &files, const RanksTimes &ranks,
                       Observer &observer) const {
  if (timeline)
    timeline->write(files.take(path), rates, ranks);
  if (!table)
    return;
  std::string text = table->describe(rates.describe());
  if (std::string buckets = describeBuckets(ranks, link); !buckets.empty())
    text += "\n\n" + buckets;
  observer.onNote(text);
}

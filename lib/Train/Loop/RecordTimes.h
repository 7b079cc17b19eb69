// Where the time of steps goes, record by record: the table of --timings and
// the file of --timeline.
#ifndef MPC_LIB_TRAIN_LOOP_RECORDTIMES_H
#define MPC_LIB_TRAIN_LOOP_RECORDTIMES_H

#include "../Save/OutputFiles.h"

#include "mpc-c/Runtime.hpp"
#include "mpc/Train/Observer.h"

#include <map>

namespace mpc::train {

class RecordTimes {
public:
  static bool areWanted(const TrainOptions &options) {
    return options.timings || !options.timeline.empty();
  }
  /// Lets the session time its records. Of a run of more than one of `steps`
  /// the first is left out: it touches memory and makes caches warm.
  RecordTimes(const TrainOptions &options, const rt::Program &program,
              rt::Session &session, uint64_t steps);

  /// `entry` has just been run, for step number `step` of this run, from 1.
  void noteRun(uint32_t entry, uint64_t step);

  /// Writes and tells what was asked for.
  void tell(OutputFiles &files, Observer &observer) const;

private:
  /// Of the timeline.
  static constexpr uint64_t kSteps = 2;
  struct Run {
    uint32_t entry;
    uint64_t step;
    std::vector<mpc_record_time> times;
  };
  /// What the rows of a table add up.
  struct Sum {
    uint64_t nanoseconds = 0, runs = 0;
    double bytes = 0, flops = 0;
  };
  using Sums = std::map<std::string, Sum>;
  /// By kind of record, and by line of the model.
  std::string table() const;
  std::string describe(const Sums &sums, const char *title) const;
  /// A JSON object in the Trace Event Format, which Perfetto and
  /// chrome://tracing show: a track with the runs and the records in them.
  void writeTimeline(data::OutputFile file) const;

  bool hasTable, hasTimeline;
  std::string timeline, model;
  std::vector<rt::Entry> entries;
  std::vector<std::vector<mpc_record_info>> records; ///< By entry.
  rt::Session &session;
  uint64_t firstStep, lastNoted = 0, steps = 0; ///< Those that are noted.
  Sums byKind, byLine;
  std::vector<Run> runs; ///< Of the timeline.
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_LOOP_RECORDTIMES_H

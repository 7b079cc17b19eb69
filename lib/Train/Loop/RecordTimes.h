// Where the time of steps goes, record by record: what --timings and --timeline
// ask of a session.
#ifndef MPC_LIB_TRAIN_LOOP_RECORDTIMES_H
#define MPC_LIB_TRAIN_LOOP_RECORDTIMES_H

#include "../Save/OutputFiles.h"
#include "TimeTable.h"
#include "Timeline.h"

#include "mpc/Train/Observer.h"

#include <optional>

namespace mpc::train {

class RecordTimes {
public:
  static bool areWanted(const TrainOptions &options) {
    return options.timings || !options.timeline.empty();
  }
  /// Refuses a session that has no times, where they are wanted.
  static void check(const TrainOptions &options, rt::Session &session);

  /// Learns how fast the machine is, and lets the session time its records, of
  /// the steps behind `before` to `last`. Of several the first is left out: it
  /// touches memory and makes caches warm. `isOneRank`: a step reduces nothing.
  RecordTimes(const TrainOptions &options, const rt::Program &program,
              rt::Session &session, uint64_t before, uint64_t last,
              bool isOneRank);

  /// `entry` has just been run, for step number `step`, as metrics count them.
  /// Behind the steps that are asked for the session looks at no clock.
  void noteRun(uint32_t entry, uint64_t step);

  /// Writes and tells what was asked for; `ranks`: of each, if there are
  /// several.
  void tell(OutputFiles &files, const RanksTimes &ranks,
            Observer &observer) const;

private:
  std::string path; ///< Of the timeline.
  RecordList records;
  MachineRates rates;
  ranks::Link link; ///< That buckets were cut for.
  Predictions predicted;
  rt::Session &session;
  uint64_t firstStep, lastNoted = 0;
  bool isOn = true;
  std::optional<TimeTable> table;   ///< With --timings.
  std::optional<Timeline> timeline; ///< With --timeline.
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_LOOP_RECORDTIMES_H

// The file of --timeline: when each record of a few steps ran, as a JSON object
// in the Trace Event Format, which Perfetto and chrome://tracing show.
#ifndef MPC_LIB_TRAIN_LOOP_TIMELINE_H
#define MPC_LIB_TRAIN_LOOP_TIMELINE_H

#include "../Ranks/RanksTimes.h"
#include "Predictions.h"

#include "mpc/Data/File.h"

namespace mpc::train {

class Timeline {
public:
  /// `records` and what is predicted of them outlive it.
  Timeline(const rt::Program &program, const RecordList &records,
           const Predictions &predicted);

  /// A run of `entry`, of which each record has a time.
  void add(uint32_t entry, uint64_t step, std::vector<mpc_record_time> times);

  /// A track with the runs and the records in them, and one for the buckets of
  /// each rank in these steps; and what predictions were made with.
  void write(data::OutputFile file, const MachineRates &rates,
             const RanksTimes &ranks) const;

private:
  struct Run {
    uint32_t entry;
    uint64_t step;
    std::vector<mpc_record_time> times; ///< One at least.
  };

  std::string model;
  std::vector<rt::Entry> entries;
  const RecordList &records;
  const Predictions &predicted;
  std::vector<Run> runs;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_LOOP_TIMELINE_H

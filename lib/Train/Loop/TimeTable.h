// The table of --timings: times of records, added up by kind and by line of the
// model.
#ifndef MPC_LIB_TRAIN_LOOP_TIMETABLE_H
#define MPC_LIB_TRAIN_LOOP_TIMETABLE_H

#include "mpc-c/Runtime.hpp"

#include <map>
#include <span>
#include <string_view>

namespace mpc::train {

using RecordList = std::vector<std::vector<mpc_record_info>>; ///< By entry.

/// The line of the model that a record is named after, "digits.mlir:36" of
/// "matmul at digits.mlir:36"; of others "".
std::string_view lineOf(const mpc_record_info &record);

class TimeTable {
public:
  TimeTable(const RecordList &records, bool leavesOutFirst);
  TimeTable(const TimeTable &) = delete; // sums are pointed to
  TimeTable &operator=(const TimeTable &) = delete;

  /// A run of `entry`, of which each record has a time.
  void add(uint32_t entry, std::span<const mpc_record_time> times,
           bool isNewStep);

  std::string describe() const;

private:
  struct Sum {
    uint64_t nanoseconds = 0, runs = 0;
    double bytes = 0, flops = 0;
  };
  using Sums = std::map<std::string, Sum>;
  /// What a record has to do, and where that is added.
  struct Place {
    Sum *kind, *line;
    double bytes, flops;
  };
  std::string describe(const Sums &sums, const char *title) const;

  bool leavesOutFirst;
  uint64_t steps = 0;
  Sums byKind, byLine;
  std::vector<std::vector<Place>> places; ///< By entry and record.
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_LOOP_TIMETABLE_H

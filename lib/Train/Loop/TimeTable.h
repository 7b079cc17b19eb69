// The tables of --timings: times of records beside what is predicted, by kind,
// by line of the model and by record.
#ifndef MPC_LIB_TRAIN_LOOP_TIMETABLE_H
#define MPC_LIB_TRAIN_LOOP_TIMETABLE_H

#include "Predictions.h"

#include <map>
#include <span>
#include <string_view>

namespace mpc::train {

class TimeTable {
public:
  /// What is told is of the last of so many steps.
  static constexpr uint64_t kMostSteps = 500;

  /// With one rank collectives do nothing, and are left out.
  TimeTable(const RecordList &records, const Predictions &predicted,
            bool leavesOutFirst, bool isOneRank = false);
  TimeTable(const TimeTable &) = delete; // sums are pointed to
  TimeTable &operator=(const TimeTable &) = delete;

  /// A run of `entry`, of which each record has a time.
  void add(uint32_t entry, std::span<const mpc_record_time> times,
           bool isNewStep);

  /// `rates`: what the predictions were made with, for people.
  std::string describe(const std::string &rates) const;

private:
  /// Of a kind, a line or a record.
  struct Sum {
    uint64_t runs = 0;
    double bytes = 0, flops = 0, predicted = 0; ///< Of all steps.
    std::vector<double> nanoseconds;            ///< By step, modulo kMostSteps.
  };
  using Sums = std::map<std::string, Sum>;
  /// What a record has to do, and where that is added.
  struct Place {
    std::string name;
    double bytes, flops, predicted;
    bool isLeftOut;
    Sum *kind, *line, own;
  };
  /// A row of a table.
  struct Row {
    std::string name;
    double records, median, least, predicted, bytes, flops; ///< Of a step.
  };

  void beginStep();
  Row makeRow(const std::string &name, const Sum &sum) const;
  std::string describe(const Sums &sums, const char *title) const;
  std::string describeRecords() const;

  bool leavesOutFirst;
  uint64_t steps = 0;
  Sum whole;
  Sums byKind, byLine;
  std::vector<std::vector<Place>> places; ///< By entry and record.
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_LOOP_TIMETABLE_H

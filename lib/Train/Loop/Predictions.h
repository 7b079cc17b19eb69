// What the time of a record is compared with: its bytes at the rate of a copy
// and its operations at that of a product, whichever takes longer.
#ifndef MPC_LIB_TRAIN_LOOP_PREDICTIONS_H
#define MPC_LIB_TRAIN_LOOP_PREDICTIONS_H

#include "mpc-c/Runtime.hpp"
#include "mpc/Train/Options.h"

#include <map>
#include <string_view>

namespace mpc::train {

using RecordList = std::vector<std::vector<mpc_record_info>>; ///< By entry.

/// How fast the machine is: measured, or what the user says.
struct MachineRates {
  double copy = 0;                    ///< Bytes in a nanosecond.
  std::map<mpc_type, double> product; ///< Operations in one, by operands.
  uint32_t threads = 0;
  bool isCopyGiven = false, isProductGiven = false;

  /// Of products of the types that `program` has.
  static MachineRates get(const TrainOptions &options,
                          const rt::Program &program, rt::Session &session);
  /// "a copy moves 12.1 GB/s, a product in bf16 does 88.0 GFLOP/s; measured at
  /// the start, with 2 threads".
  std::string describe() const;
};

/// Nanoseconds, by entry and record; 0 of what nobody predicts: collectives,
/// whose bytes are a matter of the ranks.
using Predictions = std::vector<std::vector<double>>;

Predictions predict(const MachineRates &rates, const rt::Program &program,
                    const RecordList &records);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_LOOP_PREDICTIONS_H

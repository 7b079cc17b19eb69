// What a run has saved so far: for who starts it again after a fault.
#ifndef MPC_TRAIN_SAVED_H
#define MPC_TRAIN_SAVED_H

#include "mpc/Train/Options.h"

namespace mpc::train {

struct SavedState {
  std::string file;
  std::optional<uint64_t> step; ///< Nothing: it is no state of a run.
  std::string version;          ///< Another one after each save.
};

/// The state in the file of --save; nothing if there is no such file, or it is
/// a pipe or a device.
std::optional<SavedState> findSaved(const SaveOptions &options);

} // namespace mpc::train

#endif // MPC_TRAIN_SAVED_H

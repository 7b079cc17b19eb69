// One safetensors file of a checkpoint that is a folder, as `mpc-run export`
// makes it: the file that `mpc-run train --save` writes.
#ifndef MPC_TRAIN_EXPORT_H
#define MPC_TRAIN_EXPORT_H

#include "mpc/Train/Status.h"

#include <cstdint>
#include <vector>

namespace mpc::train {

struct ExportOptions {
  /// A folder of one step, or of steps, of which the newest that is complete is
  /// taken. Needed.
  std::string checkpoint;
  std::string output; ///< -o: the file to write. Needed.
};

struct ExportResult {
  std::string checkpoint; ///< The folder of the step.
  uint64_t step = 0;
  std::vector<std::string> warnings; ///< Newer folders that are not complete.
};

Expected<ExportResult> exportCheckpoint(const ExportOptions &options);

} // namespace mpc::train

#endif // MPC_TRAIN_EXPORT_H

// What `mpc-run export` makes of checkpoints: of a folder the one safetensors
// file that `mpc-run train --save` writes; of either the tensors, for who
// writes them elsewhere.
#ifndef MPC_TRAIN_EXPORT_H
#define MPC_TRAIN_EXPORT_H

#include "mpc-c/Types.h"
#include "mpc/Train/Status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
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

/// A tensor in a checkpoint, row-major and little-endian.
struct CheckpointTensor {
  std::string_view name;
  mpc_type type = MPC_F32;
  std::vector<int64_t> shape;
  const void *data = nullptr;
  uint64_t bytes = 0;
};

/// All tensors of a checkpoint, by name; they live as long as this.
struct CheckpointTensors {
  std::string path; ///< The file, or the folder of the step.
  std::vector<CheckpointTensor> tensors;
  std::vector<std::string> warnings; ///< Newer folders that are not complete.
  std::shared_ptr<const void> memory;
};

/// `path`: a safetensors file, of --save or any other, a folder of one step, or
/// of steps, of which the newest that is complete is taken.
Expected<CheckpointTensors> readCheckpoint(const std::string &path);

} // namespace mpc::train

#endif // MPC_TRAIN_EXPORT_H

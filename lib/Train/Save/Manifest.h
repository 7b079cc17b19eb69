// What a checkpoint of one step holds, where it is a folder:
//
//   step-000120/
//     rank-0-of-2.safetensors   the states that rank 0 wrote
//     rank-1-of-2.safetensors   the others
//     manifest.json             which files these are, written after them
//
// The folder has its name once all is written, and "step-000120.unfinished"
// before. Sizes and hashes in the manifest tell what became of it since, and a
// hash of the manifest itself (of what it says, not of how that is written)
// what became of that: those of older versions have none.
#ifndef MPC_LIB_TRAIN_SAVE_MANIFEST_H
#define MPC_LIB_TRAIN_SAVE_MANIFEST_H

#include "Support/FileHash.h"
#include "mpc-c/Runtime.hpp"

#include <vector>

namespace mpc::train {

struct Manifest {
  uint64_t step = 0;
  std::string model, program;   ///< Its name; the hash of its file, or "".
  rt::Metadata metadata;        ///< Where the run was: see Position.
  std::vector<FileFacts> files; ///< Of each rank.
};

/// "rank-0-of-2.safetensors".
std::string shardName(uint32_t rank, size_t ranks);

/// Whether `folder` has something of its name: it is a checkpoint of one step
/// then, or a broken one.
bool hasManifest(const std::string &folder);
void writeManifest(const std::string &folder, const Manifest &manifest);
/// Reads it alone. A failure where it contradicts itself, or the name of its
/// folder.
Manifest readManifest(const std::string &folder);
/// Reads it, and compares all files with it: a Failure says what is wrong.
Manifest checkFolder(const std::string &folder);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_SAVE_MANIFEST_H

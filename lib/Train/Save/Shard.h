// What one of several ranks writes of the states, which all of them have: each
// tensor is in one file, and all files have about as many bytes.
#ifndef MPC_LIB_TRAIN_SAVE_SHARD_H
#define MPC_LIB_TRAIN_SAVE_SHARD_H

#include "../Sessions.h"

#include "Support/FileHash.h"

namespace mpc::train {

/// What checkpoints hold of the states: none that follow from others, no sums
/// that are zero between steps.
std::vector<mpc_state_info> savedStates(const rt::Program &program);

class Shard {
public:
  /// Takes memory for a copy of its states, once for all saves.
  Shard(const rt::Program &program, uint32_t rank, uint32_t ranks);

  /// Of the copy.
  uint64_t bytes() const { return memory.size(); }
  /// Copies the states, to be written while the session goes on.
  void copy(const rt::Session &session);
  /// Writes the copy to a file of `folder`.
  FileFacts write(const std::string &folder) const;

private:
  std::string name;
  std::vector<mpc_state_info> states;
  data::Bytes memory;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_SAVE_SHARD_H

// The tensors of a checkpoint, in whichever of its files they lie.
#ifndef MPC_LIB_TRAIN_SAVE_STOREDSTATES_H
#define MPC_LIB_TRAIN_SAVE_STOREDSTATES_H

#include "StepFolders.h"

#include "mpc-c/Runtime.hpp"
#include "mpc/Data/Safetensors.h"

namespace mpc::train {

class StoredStates {
public:
  explicit StoredStates(const CheckpointFiles &files,
                        const IsOver &isOver = {});
  StoredStates(const StoredStates &) = delete;

  const std::string &path() const { return name; }
  const std::map<std::string_view, const data::StoredTensor *> &
  tensors() const {
    return list;
  }
  /// The tensor for `state`, its type and shape checked.
  const data::StoredTensor &find(const mpc_state_info &state) const;

private:
  void add(const std::string &path, const IsOver &isOver);
  /// What to do where there is no tensor for `state`; "" if nothing is known.
  std::string hintAt(const std::string &state) const;

  std::string name;
  std::vector<data::Safetensors> files;
  std::map<std::string_view, const data::StoredTensor *> list;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_SAVE_STOREDSTATES_H

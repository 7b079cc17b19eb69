// Outputs of the last step in files: `train --output NAME=FILE`.
#ifndef MPC_TOOLS_MPC_RUN_TRAIN_STEPOUTPUTS_H
#define MPC_TOOLS_MPC_RUN_TRAIN_STEPOUTPUTS_H

#include "../Save/OutputFiles.h"

namespace mpc::run {

class StepOutputs {
public:
  /// `files`: pairs of an output of `step`, which must stay, and a path.
  StepOutputs(const EntryFacts &step, const NamePairs &files);

  /// A step has run.
  void noteStep() { isUnread = true; }
  /// Takes what the last step left; another entry overwrites it.
  void read(const Session &session);
  /// Writes what was read; nothing where no step has run.
  void write(OutputFiles &files) const;

private:
  struct Output {
    uint32_t index;
    std::string path;
    data::Bytes bytes;
  };
  const EntryFacts &step;
  std::vector<Output> outputs;
  bool isUnread = false, wasRead = false;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_TRAIN_STEPOUTPUTS_H

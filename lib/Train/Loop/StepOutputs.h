// Outputs of the last step in files: `train --output NAME=FILE`.
#ifndef MPC_LIB_TRAIN_LOOP_STEPOUTPUTS_H
#define MPC_LIB_TRAIN_LOOP_STEPOUTPUTS_H

#include "../Save/OutputFiles.h"
#include "../Sessions.h"

namespace mpc::train {

class StepOutputs {
public:
  /// `files`: pairs of an output of `step` and a path.
  StepOutputs(const rt::Program &program, const rt::Entry &step,
              const NamePairs &files);

  /// A step has run.
  void noteStep() { isUnread = true; }
  /// Takes what the last step left; another entry overwrites it.
  void read(const rt::Session &session);
  /// Writes what was read; nothing where no step has run.
  void write(OutputFiles &files) const;

private:
  struct Output {
    uint32_t index;
    std::string path;
    data::Bytes bytes;
  };
  rt::Entry step;
  std::vector<Output> outputs;
  bool isUnread = false, wasRead = false;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_LOOP_STEPOUTPUTS_H

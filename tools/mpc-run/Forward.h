// What eval and predict share: weights, data, and outputs that become files.
#ifndef MPC_TOOLS_MPC_RUN_FORWARD_H
#define MPC_TOOLS_MPC_RUN_FORWARD_H

#include "Device.h"
#include "Evaluation.h"
#include "Save/OutputFiles.h"

namespace mpc::run {

struct ForwardOptions {
  InputOptions input;
  NamePairs outputs; ///< Output name, path.
  DeviceChoice device;
  std::string weights;

  /// Begins the group `title`.
  void declareWeights(Options &options, const std::string &title);
  /// What write() writes: options and files.
  NamePairs writtenFiles() const;
  /// Fails if a file is read and written, or cannot be written. `written`: all
  /// that the command writes.
  void checkFiles(const std::string &command, const std::string &model,
                  const NamePairs &written) const;
  std::vector<std::string> outputNames() const;
  /// Fails if there are no weights and the program has parameters.
  void checkWeights(const std::string &command, const Program &program) const;
  /// A session with the weights.
  Session open(const Program &program) const;
  /// Writes plans and outputs.
  void write(Session &session, const Evaluation &result,
             OutputFiles &files) const;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_FORWARD_H

// The files of a run: that each has one use, and what data they hold.
#ifndef MPC_LIB_TRAIN_INPUTS_H
#define MPC_LIB_TRAIN_INPUTS_H

#include "Sessions.h"

namespace mpc::train {

/// Fails if a file to be written is one that is read, or is to be written for
/// another option too. Each pair: the option, and its file or "".
void checkDistinctFiles(const std::string &command, const NamePairs &read,
                        const NamePairs &written);

/// Fails unless each file of `outputs`, pairs of --output, has a name that says
/// what to write.
void checkTensorNames(const std::string &command, const NamePairs &outputs);
/// Fails if `option` of `command` names an input twice.
void checkNamedOnce(const std::string &command, const std::string &option,
                    const NamePairs &files);

struct DatasetUse {
  /// Inputs that no output but the loss needs may be missing, and are zeros.
  bool withoutLoss = false;
  std::string fileOption = "--input"; ///< That gave the files.
};
/// Reads one file per input of `entry`.
data::Dataset loadDataset(const rt::Entry &entry, const NamePairs &files,
                          const DataOptions &options,
                          const DatasetUse &use = {});

/// A warning, where two inputs are the same windows of one stream, so that a
/// model learns to say what it is given; or "".
std::string describeSameWindows(const DataOptions &options);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_INPUTS_H

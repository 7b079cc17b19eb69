// Options about data that train and eval share, and what they load.
#ifndef MPC_TOOLS_MPC_RUN_INPUTS_H
#define MPC_TOOLS_MPC_RUN_INPUTS_H

#include "Model.h"
#include "Options.h"

namespace mpc::run {

using NamePairs = std::vector<std::pair<std::string, std::string>>;

struct InputOptions {
  NamePairs files;    ///< Input name, path.
  std::string ignore; ///< The input of --ignore; "" if not given.
  std::optional<int64_t> ignoredLabel;
  bool convert = false, allowNonFinite = false;

  void declareFiles(Options &options);
  /// For commands that evaluate: --ignore.
  cli::Option &declareIgnored(Options &options);

private:
  std::optional<std::string> readIgnored(const std::string &text);
};

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
data::Dataset loadDataset(const EntryFacts &entry, const NamePairs &files,
                          const InputOptions &options,
                          const DatasetUse &use = {});

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_INPUTS_H

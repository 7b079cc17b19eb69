// The command line of mpc-run train.
#ifndef MPC_TOOLS_MPC_RUN_TRAIN_TRAINOPTIONS_H
#define MPC_TOOLS_MPC_RUN_TRAIN_TRAINOPTIONS_H

#include "../Device.h"
#include "../Inputs.h"
#include "../Save/FileLocks.h"
#include "../Save/SaveOptions.h"

namespace mpc::run {

/// A file that a run writes.
struct WrittenFile {
  enum Use {
    Replaced, ///< As a whole.
    Grown,    ///< Line by line.
    Shared    ///< Replaced, and other runs may do the same.
  };
  std::string option, path; ///< "": it is not written.
  Use use;
};

struct TrainOptions {
  InputOptions input;
  DeviceChoice device;
  NamePairs evalFiles, accuracy, outputs;
  std::optional<uint64_t> epochs, steps, seed, logEvery, evalEvery;
  std::optional<uint64_t> retry, maxSkips;
  std::optional<double> lr, scale;
  SaveOptions saving;
  std::string weights, resume, metrics, summary;
  std::string onOverflow = "ignore"; ///< Or "explain".
  std::string compiler;              ///< The mpc-compile to use; "": found.
  bool noShuffle = false;

  static Options command();
  void declare(Options &options);
  /// Reads the command line; returns the program's path, or nothing if the
  /// help was asked for.
  std::optional<std::string> parse(const std::vector<std::string> &arguments);
  /// Where training ends, as it was asked for: "'--steps 9'", "one epoch".
  std::string describeEnd() const;
  bool explainsOverflow() const { return onOverflow == "explain"; }
  /// All that the run writes, but for files of single steps, which are the
  /// saver's.
  std::vector<WrittenFile> files() const;
  /// Those of them that are written as wholes.
  NamePairs replacedFiles() const;
  /// Refuses to write over what is read, but for --resume and --weights, which
  /// --save may replace, and files that could not be written.
  void checkFiles(const std::string &model) const;
  /// Fails where another process writes what this run is to write; takes
  /// nothing.
  void checkLocks() const;
  /// The same, and keeps others out. Hold it as long as training goes on.
  FileLocks lockFiles() const;

private:
  /// What is told of a run, and measured beside it.
  void declareReports(Options &options);
  /// Refuses options that contradict each other.
  void check() const;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_TRAIN_TRAINOPTIONS_H

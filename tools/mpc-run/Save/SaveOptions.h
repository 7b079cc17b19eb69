// When and where training saves its state.
#ifndef MPC_TOOLS_MPC_RUN_SAVE_SAVEOPTIONS_H
#define MPC_TOOLS_MPC_RUN_SAVE_SAVEOPTIONS_H

#include "../Inputs.h"
#include "../Options.h"

#include <chrono>

namespace mpc::run {

/// "500": steps, counted from the very beginning. "30s", "10min", "2h": time
/// since the save before.
struct SaveInterval {
  std::optional<uint64_t> steps;
  std::chrono::seconds time{0};

  static std::optional<SaveInterval> parse(const std::string &text);
};

/// "eval_loss", of which the least is the best, "eval_accuracy", of which the
/// largest is; ":min" or ":max" say otherwise.
struct BestRule {
  std::string metric;
  bool isLeastBest = true;

  static std::optional<BestRule> parse(const std::string &text);
  /// "eval_loss:min".
  std::string text() const { return metric + (isLeastBest ? ":min" : ":max"); }
  bool isBetter(double value, double than) const {
    return isLeastBest ? value < than : value > than;
  }
};

struct SaveOptions {
  std::string file; ///< --save; "": nothing is saved.
  std::optional<SaveInterval> every;
  std::optional<uint64_t> keep;
  std::optional<BestRule> best;

  void declare(Options &options);
  /// The options, and the files that they write but for those of single steps;
  /// "" where there is none.
  NamePairs files() const;
  /// "w.best.safetensors" for "w.safetensors"; "" without --save-best.
  std::string bestFile() const;
  /// "w.step-500.safetensors".
  std::string stepFile(uint64_t step) const;
  /// The step in the name of such a file, or nothing.
  std::optional<uint64_t> stepOf(std::string_view fileName) const;
  /// Whether `path`, however it is spelled, is a file that --keep would make.
  bool makesStepFile(const std::string &path) const;
};

/// Files of which `path` may be a step: "a.st" of "a.step-500.st".
std::vector<std::string> ownersOfStepFile(const std::string &path);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_SAVE_SAVEOPTIONS_H

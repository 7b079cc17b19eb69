// The names of the files that SaveOptions ask for: of "w.safetensors"
// "w.best.safetensors" for the best evaluation, and "w.step-500.safetensors" of
// single steps.
#ifndef MPC_LIB_TRAIN_SAVE_SAVEFILES_H
#define MPC_LIB_TRAIN_SAVE_SAVEFILES_H

#include "mpc/Train/Options.h"

#include <string_view>

namespace mpc::train {

/// `file` with `mark` in front of its ending: "w.best.safetensors".
std::string insertMark(const std::string &file, const std::string &mark);

/// The options, and the files that they write but for those of single steps;
/// "" where there is none.
NamePairs savedFiles(const SaveOptions &options);
/// "" without a rule.
std::string bestFile(const SaveOptions &options);
std::string stepFile(const SaveOptions &options, uint64_t step);
/// The step in the name of such a file, or nothing.
std::optional<uint64_t> stepOf(const SaveOptions &options,
                               std::string_view fileName);
/// Whether `path`, however it is spelled, is a file that --keep would make.
bool makesStepFile(const SaveOptions &options, const std::string &path);

/// Files of which `path` may be a step: "a.st" of "a.step-500.st".
std::vector<std::string> ownersOfStepFile(const std::string &path);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_SAVE_SAVEFILES_H

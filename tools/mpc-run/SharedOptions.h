// Options that commands share, and where they go in the options of the training
// library.
#ifndef MPC_TOOLS_MPC_RUN_SHAREDOPTIONS_H
#define MPC_TOOLS_MPC_RUN_SHAREDOPTIONS_H

#include "Options.h"

#include "mpc/Train/Options.h"

namespace mpc::run {

/// --input and how it is read.
void declareFiles(train::DataOptions &data, Options &options);
/// For commands that train: --augment.
void declareAugmentations(train::DataOptions &data, Options &options);
/// For commands that evaluate: --ignore.
cli::Option &declareIgnored(train::DataOptions &data, Options &options);
/// Where the program runs.
void declareDevice(train::DeviceOptions &device, Options &options);

/// From here on the native code of programs stays out of this process: those
/// that bring some can be described, but not made to run them.
void forbidCode();
bool isCodeForbidden();
train::ProgramFile programFile(const std::string &path);

/// The mpc-compile at `path`; "": the one beside mpc-run, else the first on the
/// PATH.
train::CompilerOptions compilerOptions(const std::string &path);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_SHAREDOPTIONS_H

// The files of a training run: what it reads, what it writes, and that no other
// run does.
#ifndef MPC_LIB_TRAIN_LOOP_RUNFILES_H
#define MPC_LIB_TRAIN_LOOP_RUNFILES_H

#include "../Save/FileLocks.h"

#include "mpc/Train/Options.h"

namespace mpc::train {

/// Those that are written as wholes, but for files of single steps, which are
/// the saver's.
NamePairs replacedFiles(const TrainOptions &options);
/// Refuses to write over what is read, but for --resume and --weights, which
/// --save may replace, and files that could not be written.
void checkFiles(const TrainOptions &options);
/// Fails where another process writes what this run is to write; takes nothing.
void checkLocks(const TrainOptions &options);
/// The same, and keeps others out. Hold it as long as training goes on.
FileLocks lockFiles(const TrainOptions &options);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_LOOP_RUNFILES_H

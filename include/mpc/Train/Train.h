// Training as `mpc-run train` does it, in an application: data from files,
// shuffled, in micro-batches; checkpoints that survive a kill; evaluation,
// metrics, and a diagnosis where loss scaling does not get on.
//
//   mpc::train::TrainOptions options;
//   options.program = {"digits.mpcx", /*allowCode=*/true};
//   options.data.files = {{"x", "images.npy"}, {"label", "labels.npy"}};
//   options.epochs = 10;
//   options.saving.file = "digits.safetensors";
//   auto run = mpc::train::train(options);
//   if (!run)
//     return complain(run.message());
//   std::puts(describe(run->summary).c_str());
//
// The same steps in the same order give the same bits as mpc-run, and either
// resumes what the other has saved.
//
// Nothing throws, prints, exits or changes signal handlers. Files that are
// written are locked meanwhile, against other runs on any machine that sees
// them. Different runs may go on in different threads.
//
// The library stands on mpc-c/Runtime.hpp: who wants steps of their own, on
// data that is in no file, takes a Session of that instead. Unlike that header
// it is compiled code in C++: link it with the compiler that built it, as
// target mpc::train of find_package(mpc).
#ifndef MPC_TRAIN_TRAIN_H
#define MPC_TRAIN_TRAIN_H

#include "mpc/Train/Observer.h"
#include "mpc/Train/Options.h"
#include "mpc/Train/Status.h"

namespace mpc::train {

/// How training ended, all that was asked for written.
struct TrainResult {
  enum End {
    Done,        ///< At the last step.
    Interrupted, ///< Before it, since `stop` was set.
    Stopped,     ///< Before it, since training did not get on.
  };
  End end = Done;
  /// Of Stopped: why, with the history of the skipped steps and what to do.
  std::string reason;
  Summary summary;
};

/// Trains until the options' last step. A failure on the way ends training,
/// but what can still be saved is.
Expected<TrainResult> train(const TrainOptions &options, Observer &observer);
/// The same for who does not listen.
Expected<TrainResult> train(const TrainOptions &options);

} // namespace mpc::train

#endif // MPC_TRAIN_TRAIN_H

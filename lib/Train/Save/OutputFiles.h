// The files that a run writes when it ends.
//
//   checkWritable(files);   before anything is read: a wrong path costs nothing
//   ... read programs, data and weights ...
//   OutputFiles outputs;
//   outputs.open(files);    who is to read a pipe is there
//   ... hours ...
//   writeFile(outputs.take("summary.json"), parts);
//
// Pipes are opened after all is read, and not before: who reads the result may
// be the program that first writes the data.
#ifndef MPC_LIB_TRAIN_SAVE_OUTPUTFILES_H
#define MPC_LIB_TRAIN_SAVE_OUTPUTFILES_H

#include "mpc/Data/File.h"
#include "mpc/Train/Options.h"

#include <map>

namespace mpc::train {

/// Fails if one of these, options and their files, could not be written at the
/// end. Names that are "" were not asked for.
void checkWritable(const NamePairs &files);

class OutputFiles {
public:
  /// Opens what is a pipe or a device. Fails where nobody reads.
  void open(const NamePairs &files);
  /// The file at `path`, to be written now; one after the other, where several
  /// options name it.
  data::OutputFile take(const std::string &path);

private:
  std::multimap<std::string, data::OutputFile> opened;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_SAVE_OUTPUTFILES_H

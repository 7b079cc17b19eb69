// One run at a time for each file that is written:
//
//   FileLocks alone({"w.st", "w.best.st", "metrics.jsonl"}, {"plans"});
//
// Each has a lock (WriterLock) as long as the run goes on. What runs share has
// none, but must not be a file that another run has a lock on. The files of
// single steps that --keep makes are after the lock of the file they are named
// after: "w.step-4.st" is not for others while "w.st" is locked.
#ifndef MPC_LIB_TRAIN_SAVE_FILELOCKS_H
#define MPC_LIB_TRAIN_SAVE_FILELOCKS_H

#include "mpc/Support/WriterLock.h"

#include <string>
#include <vector>

namespace mpc::train {

/// The name that a folder of --save-dir is locked by, in it; "" of "".
std::string folderLock(const std::string &folder);

class FileLocks {
public:
  /// Fails where another process writes one of these. Names that are "",
  /// devices and pipes do not count. One of them may be the name that `folder`
  /// is locked by.
  FileLocks(const std::vector<std::string> &written,
            const std::vector<std::string> &shared,
            const std::string &folder = "");

  /// Of what is held: see WriterLock.
  std::vector<int> descriptors() const;

private:
  std::vector<WriterLock> locks;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_SAVE_FILELOCKS_H

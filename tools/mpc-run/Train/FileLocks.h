// One run at a time for each file that training writes:
//
//   FileLocks alone({"w.st", "w.best.st"}, {"metrics.jsonl"});
//
// What is replaced as a whole has a lock (WriterLock) as long as the run goes
// on. What is opened and written line by line locks itself; it is asked here
// whether others have a lock on it. The files of single steps that --keep makes
// are behind the lock of the file they are named after: "w.step-4.st" is not
// for others while "w.st" is locked.
#ifndef MPC_TOOLS_MPC_RUN_TRAIN_FILELOCKS_H
#define MPC_TOOLS_MPC_RUN_TRAIN_FILELOCKS_H

#include "mpc/Support/WriterLock.h"

#include <string>
#include <vector>

namespace mpc::run {

class FileLocks {
public:
  /// Fails where another process writes one of these. Names that are "",
  /// devices and pipes do not count.
  FileLocks(const std::vector<std::string> &replaced,
            const std::vector<std::string> &others);

private:
  std::vector<WriterLock> locks;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_TRAIN_FILELOCKS_H

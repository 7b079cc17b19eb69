// Ranks on this machine: one command, started several times as ranks of one
// run, as torchrun would.
//
// Each rank is a process group of its own, without a terminal's input. The
// first that fails ends all: the others have learned of it by their store and
// are given time to save what they have, then SIGTERM, then SIGKILL; one that
// is stopped can do nothing with that time, and gets SIGKILL at once. A copy of
// the calling process (fork) watches over it: if that dies, even by SIGKILL, it
// kills all ranks with what they have started. No rank begins before it is
// watched.
#ifndef MPC_RANKS_LOCALRUN_H
#define MPC_RANKS_LOCALRUN_H

#include "mpc/Support/Status.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mpc::ranks {

struct LocalRun {
  uint32_t ranks = 1;
  std::vector<std::string> command; ///< The program's path first.
  /// A line that a rank wrote, without its end; in the caller's thread.
  std::function<void(uint32_t rank, bool isError, const std::string &line)>
      output;
  /// Whether `output` may be called: ranks have to wait with what they write
  /// while it may not. Null: always.
  std::function<bool()> hasRoom;
  /// Variables of ranks beside those of this process and of the launcher.
  std::vector<std::pair<std::string, std::string>> variables;
  /// Descriptors of 4 and above that ranks have under the same numbers.
  std::vector<int> descriptors;
  /// Ranks get SIGTERM when it is set, and SIGCONT if they are stopped; null:
  /// never.
  const std::atomic<bool> *stop = nullptr;
  /// How long ranks may go on when one has failed, before SIGTERM and again
  /// before SIGKILL.
  std::chrono::milliseconds grace{10000};
};

/// How the run ended.
struct LocalEnd {
  /// Of the rank that failed first, or that this one says it failed because
  /// of, or 0: its exit code, or 128 and the number of the signal that ended
  /// it. 130 (an interrupt) where `stop` ended one before it could save.
  int code = 0;
  uint32_t rank = 0; ///< Which that was.
  /// "rank 1 was ended by signal 9 (Killed)", "rank 0 failed (exit code 1)
  /// while rank 2 was stopped"; empty where none failed.
  std::string reason;
};

/// Waits for all ranks. InvalidArgument: no ranks; IoError: the system starts
/// no process.
Result<LocalEnd> runLocally(const LocalRun &run);

} // namespace mpc::ranks

#endif // MPC_RANKS_LOCALRUN_H

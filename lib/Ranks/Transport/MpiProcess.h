// MPI of this process, which begins and ends once.
//
// Neither MPI_Init_thread nor MPI_Finalize has a deadline. So a thread of its
// own calls both, and who waits for it may stop waiting. If the application has
// begun it, the application ends it.
//
// After the first failure nothing here calls MPI any more, but to give up what
// is under way, for moments. What peers have still under way would be written
// to buffers that are gone, and MPI_Finalize waits for all ranks: the process
// then ends by its exit code alone. An application that has begun MPI may go on
// calling it: its messages are copied (Mpi.cpp).
#ifndef MPC_LIB_RANKS_TRANSPORT_MPIPROCESS_H
#define MPC_LIB_RANKS_TRANSPORT_MPIPROCESS_H

#include "Plugin.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mpi.h>
#include <mutex>
#include <unistd.h>

namespace mpc_plugin {

using Clock = std::chrono::steady_clock;

class MpiProcess {
public:
  static MpiProcess &get();

  /// Whether a process that this one was forked from has MPI here: what is
  /// MPI's in this one are its connections, which both would use. Nothing else
  /// here may be called then. `failure` says what to do.
  bool isForked(mpc_failure *failure) const;
  /// Takes the MPI that the application has begun. False and `failure`.
  bool join(mpc_failure *failure);
  /// Waits until MPI has begun, which needs all ranks. False and `failure`.
  bool begin(Clock::time_point deadline, mpc_failure *failure);
  /// Held around calls: not every MPI bears several threads at a time.
  std::mutex calls;

  /// Any thread: no calls any more.
  void breakOff() { broken = true; }
  bool isBroken() const { return broken; }
  /// Whether this process has begun MPI here, and nobody else calls it.
  bool isOwn() const { return isOurs; }
  /// Whether mpirun, or what started this process in its stead, has gone: its
  /// ranks stay, and nobody is left to end them.
  bool isOrphan() const { return isOurs && getppid() != parent; }
  /// Whether the application has ended its MPI: no call of it is left.
  bool hasEnded() const {
    int ended = 0;
    return !isOurs && MPI_Finalized(&ended) == MPI_SUCCESS && ended;
  }

  /// Of engines: MPI ends in order if all are closed.
  void add() { ++engines; }
  void remove() { --engines; }

private:
  enum class State { None, Beginning, Running, Ending };

  bool adopt(mpc_failure *failure);
  void live();
  void end();

  std::mutex mutex;
  std::condition_variable changed;
  State state = State::None;
  int level = MPI_THREAD_SINGLE;
  pthread_t thread{};
  std::atomic<pid_t> self{0}; ///< That has MPI here; 0: none yet.
  pid_t parent = 0;
  std::atomic<bool> isOurs{false}, broken{false};
  std::atomic<int> engines{0};
};

/// Between looks at what is under way. Sleeps, since a rank that spins, or
/// yields, takes the processor of the one that it waits for; but peers that are
/// there already answer in less than going to sleep takes.
class Pause {
public:
  void take(bool cameFurther) {
    if (cameFurther)
      *this = Pause();
    if (Clock::now() - begin < kSpin)
      return;
    timespec time = {0, length.count() * 1000};
    nanosleep(&time, nullptr);
    length = std::min(length * 2, kLongest);
  }

private:
  static constexpr std::chrono::microseconds kSpin{20}, kLongest{640};
  Clock::time_point begin = Clock::now();
  std::chrono::microseconds length{10};
};

/// "Open MPI v4.1.4".
std::string nameLibrary();
/// What an error code means.
std::string textOf(int error);

} // namespace mpc_plugin

#endif // MPC_LIB_RANKS_TRANSPORT_MPIPROCESS_H

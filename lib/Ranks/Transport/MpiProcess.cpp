#include "MpiProcess.h"

#include <csignal>
#include <cstdlib>

using namespace mpc_plugin;

std::string mpc_plugin::textOf(int error) {
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  MPI_Error_string(error, text, &length);
  return text;
}

std::string mpc_plugin::nameLibrary() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string whole = text;
  return whole.substr(0, whole.find_first_of(",\n"));
}

MpiProcess &MpiProcess::get() {
  // Never destroyed: its thread, and what it waits for, may outlive `exit`.
  static MpiProcess *process = new MpiProcess;
  return *process;
}

bool MpiProcess::isForked(mpc_failure *failure) const {
  pid_t owner = self;
  if (!owner || owner == getpid())
    return false;
  tell(failure, MPC_OUTCOME_REFUSED,
       "expected the process that has MPI, " + std::to_string(owner) +
           ", but this is " + std::to_string(getpid()) +
           ", forked from it, and MPI has one process alone; join by engine "
           "gloo here, or start another program (exec) with a launch of its "
           "own");
  return true;
}

/// What the application has begun.
bool MpiProcess::adopt(mpc_failure *failure) {
  self = getpid();
  MPI_Query_thread(&level);
  state = State::Running;
  // It calls MPI itself, whenever it likes.
  if (level == MPI_THREAD_MULTIPLE)
    return true;
  tell(failure, MPC_OUTCOME_FAILED,
       "expected an application that has called MPI_Init_thread with "
       "MPI_THREAD_MULTIPLE, but it has asked for less, and a thread of ours "
       "could not call MPI");
  return false;
}

bool MpiProcess::join(mpc_failure *failure) {
  std::unique_lock<std::mutex> lock(mutex);
  int isThere = 0, isOver = 0;
  MPI_Initialized(&isThere);
  MPI_Finalized(&isOver);
  if (isThere && !isOver)
    return isOurs || adopt(failure);
  tell(failure, MPC_OUTCOME_FAILED,
       isOver ? "MPI has been finalized in this process before"
              : "expected the MPI of the communicator to have begun, but no "
                "MPI_Init_thread of " +
                    nameLibrary() +
                    ", which the plug-in was built with, was called here");
  return false;
}

bool MpiProcess::begin(Clock::time_point deadline, mpc_failure *failure) {
  std::unique_lock<std::mutex> lock(mutex);
  int isThere = 0, hasEnded = 0;
  MPI_Finalized(&hasEnded);
  if (hasEnded || broken) {
    tell(failure, MPC_OUTCOME_FAILED,
         broken ? "MPI has failed in this process before"
                : "MPI has been finalized in this process before");
    return false;
  }
  MPI_Initialized(&isThere);
  if (isThere && state != State::Beginning && !isOurs)
    return adopt(failure);
  if (state == State::None) {
    state = State::Beginning;
    self = getpid();
    parent = getppid();
    isOurs = true;
    // Signals are the application's, and its other threads take them.
    sigset_t all, before;
    sigfillset(&all);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
      sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    auto body = [](void *) -> void * {
      get().live();
      return nullptr;
    };
    int error = pthread_create(&thread, nullptr, body, nullptr);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error) {
      state = State::None;
      self = 0;
      isOurs = false;
      tell(failure, MPC_OUTCOME_FAILED, "the system starts no thread");
      return false;
    }
  }
  if (!changed.wait_until(lock, deadline,
                          [&] { return state != State::Beginning; })) {
    broken = true;
    tell(failure, MPC_OUTCOME_TIMED_OUT,
         "MPI_Init_thread, which waits for all ranks, did not return in time: "
         "one has not come, or is stopped");
    return false;
  }
  if (level >= MPI_THREAD_SERIALIZED)
    return true;
  tell(failure, MPC_OUTCOME_FAILED,
       "expected an MPI that bears calls of several threads, but it was built "
       "without");
  return false;
}

/// The thread: begins, sleeps until the process ends, and ends.
void MpiProcess::live() {
  int found = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &found);
  for (MPI_Comm each : {MPI_COMM_WORLD, MPI_COMM_SELF})
    MPI_Comm_set_errhandler(each, MPI_ERRORS_RETURN);
  {
    std::unique_lock<std::mutex> lock(mutex);
    level = found;
    state = State::Running;
    std::atexit([] { get().end(); });
    changed.notify_all();
    changed.wait(lock, [&] { return state == State::Ending; });
  }
  std::lock_guard<std::mutex> lock(calls);
  if (!broken.exchange(true))
    MPI_Finalize();
}

/// At the end of the process.
void MpiProcess::end() {
  // A child of fork has none of the threads.
  if (broken || engines || getpid() != self)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    state = State::Ending;
  }
  changed.notify_all();
  pthread_join(thread, nullptr);
}

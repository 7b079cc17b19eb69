// How tools begin, and how they end. Exit codes: one convention for every tool,
// so that a script need not know which one failed.
#ifndef MPC_COMMANDLINE_EXIT_H
#define MPC_COMMANDLINE_EXIT_H

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace mpc::cli {

enum class Exit {
  Ok = 0,
  Failed = 1,        ///< The tool, a library or the system failed.
  Usage = 2,         ///< The command line is wrong, whatever its files hold.
  BadInput = 3,      ///< A file is missing, malformed or not supported.
  Stopped = 4,       ///< Training ended itself: it did not get on.
  Busy = 5,          ///< Another process writes what was to be written.
  Interrupted = 130, ///< By Ctrl-C; everything asked for was saved.
};

/// Of main, after what else sets up signals: a file that may grow no further
/// (`ulimit -f`) is an error of the write, as a full disk is, and no crash.
inline void ignoreFileSizeSignal() { std::signal(SIGXFSZ, SIG_IGN); }

/// First in main: of standard input, output and error those that are closed
/// (`>&-`) are opened, for reading, so that there is nothing to read, and
/// writing fails as ever. Else the next file that is opened would take the
/// place, and what is printed would go into a checkpoint.
inline void holdStandardStreams() {
  int next = -1; // the lowest number that is free
  do
    next = ::open("/dev/null", O_RDONLY);
  while (next >= 0 && next <= STDERR_FILENO);
  if (next >= 0)
    ::close(next);
}

} // namespace mpc::cli

#endif // MPC_COMMANDLINE_EXIT_H

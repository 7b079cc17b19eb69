// Being asked to end: Ctrl-C, a terminal that closes, a reader that goes away.
#ifndef MPC_TOOLS_MPC_RUN_INTERRUPT_H
#define MPC_TOOLS_MPC_RUN_INTERRUPT_H

#include <atomic>

namespace mpc::run {

/// From here on, SIGINT, SIGTERM, SIGHUP and SIGPIPE are remembered instead of
/// ending the process. A second SIGINT does end it; the others come more than
/// once by themselves (SIGTERM of timeout(1), which signals a process and then
/// its group; SIGPIPE with every write to a pipe that nobody reads), and do
/// not. Those that the process was started to ignore (SIGHUP by nohup, SIGINT
/// by a script that goes on meanwhile) stay ignored.
void watchInterrupts();
/// Set by them.
const std::atomic<bool> &stopFlag();

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_INTERRUPT_H

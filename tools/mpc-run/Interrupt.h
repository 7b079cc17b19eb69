// Ctrl-C: the first asks for a clean end, the second ends the process at once.
#ifndef MPC_TOOLS_MPC_RUN_INTERRUPT_H
#define MPC_TOOLS_MPC_RUN_INTERRUPT_H

namespace mpc::run {

/// From here on, SIGINT and SIGTERM are remembered instead of ending the
/// process; each one's second arrival has its usual effect.
void watchInterrupts();
bool wasInterrupted();

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_INTERRUPT_H

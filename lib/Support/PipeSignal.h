// Writes to a peer that has gone: an error of the thread that writes, and not a
// SIGPIPE, which ends most processes. C++17, for plug-ins that are no more.
#ifndef MPC_LIB_SUPPORT_PIPESIGNAL_H
#define MPC_LIB_SUPPORT_PIPESIGNAL_H

#include <cerrno>
#include <csignal>
#include <ctime>

namespace mpc {

/// While one lives, SIGPIPE stays away from this thread, which alone a write
/// sends it to, and from those that it starts. What has come meanwhile is taken
/// from it; what waited before is another's, and stays. Keeps errno.
class PipeSignalBlock {
public:
  PipeSignalBlock() {
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigset_t pending;
    wasPending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &old);
  }
  ~PipeSignalBlock() {
    int reason = errno;
    constexpr timespec now = {0, 0};
    if (!wasPending)
      while (sigtimedwait(&pipe, nullptr, &now) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    errno = reason;
  }
  PipeSignalBlock(const PipeSignalBlock &) = delete;
  PipeSignalBlock &operator=(const PipeSignalBlock &) = delete;

private:
  sigset_t pipe, old;
  bool wasPending;
};

} // namespace mpc

#endif // MPC_LIB_SUPPORT_PIPESIGNAL_H

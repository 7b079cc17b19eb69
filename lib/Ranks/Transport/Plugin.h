// What plug-ins of engines share. C++17, as Gloo's headers.
#ifndef MPC_LIB_RANKS_TRANSPORT_PLUGIN_H
#define MPC_LIB_RANKS_TRANSPORT_PLUGIN_H

#include "Engine.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string>

namespace mpc_plugin {

inline void tell(mpc_failure *failure, mpc_outcome outcome,
                 const std::string &text) {
  failure->outcome = outcome;
  std::size_t length = std::min(text.size(), sizeof failure->text - 1);
  std::memcpy(failure->text, text.data(), length);
  failure->text[length] = 0;
}

/// While one lives, writing to a peer that has gone is an error of the thread,
/// and of those that it starts, and not a SIGPIPE, which ends most processes.
class PipeSignalBlock {
public:
  PipeSignalBlock() {
    sigset_t before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    wasBlocked = sigismember(&before, SIGPIPE);
  }
  ~PipeSignalBlock() {
    if (wasBlocked)
      return;
    timespec now = {0, 0};
    while (sigtimedwait(&pipe, nullptr, &now) == SIGPIPE) {
    }
    pthread_sigmask(SIG_UNBLOCK, &pipe, nullptr);
  }
  PipeSignalBlock(const PipeSignalBlock &) = delete;
  PipeSignalBlock &operator=(const PipeSignalBlock &) = delete;

private:
  sigset_t pipe;
  bool wasBlocked;
};

} // namespace mpc_plugin

#endif // MPC_LIB_RANKS_TRANSPORT_PLUGIN_H

#include "Interrupt.h"

#include <csignal>
#include <initializer_list>

static std::atomic<bool> gInterrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler takes no locks");

static void remember(int) { gInterrupted = true; }

static void watch(int signal, int flags) {
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = flags | SA_RESTART;
  sigaction(signal, &action, nullptr);
}

static bool isIgnored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

void mpc::run::watchInterrupts() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    if (!isIgnored(signal))
      watch(signal, signal == SIGINT ? SA_RESETHAND : 0);
}

const std::atomic<bool> &mpc::run::stopFlag() { return gInterrupted; }

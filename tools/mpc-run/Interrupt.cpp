#include "Interrupt.h"

#include <csignal>
#include <initializer_list>

static volatile std::sig_atomic_t gInterrupted = 0;

static void remember(int) { gInterrupted = 1; }

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
  for (int signal : {SIGINT, SIGTERM})
    watch(signal, SA_RESETHAND);
  for (int signal : {SIGHUP, SIGPIPE})
    if (!isIgnored(signal))
      watch(signal, 0);
}

bool mpc::run::wasInterrupted() { return gInterrupted != 0; }

#include "Interrupt.h"

#include <csignal>

static volatile std::sig_atomic_t gInterrupted = 0;

static void remember(int) { gInterrupted = 1; }

void mpc::run::watchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool mpc::run::wasInterrupted() { return gInterrupted != 0; }

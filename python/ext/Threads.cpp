// Threads of Python beside a call, and at the interpreter's end.
//
// A thread that waits for the GIL while the interpreter ends is unwound by
// CPython before 3.14. Asking whether it ends and then waiting leaves a moment
// between the two. So the interpreter says beforehand that it will end (atexit)
// and waits for those who wait for the GIL already. Nobody begins to wait after
// that: a thread that comes back stays where it is, and one that calls keeps
// the GIL, as the thread that ends the interpreter may still do.
#include "Core.h"

#include <atomic>
#include <chrono>
#include <pthread.h>
#include <thread>
#include <unistd.h>

using namespace mpc::python;

static std::atomic<bool> ending = false;
/// Threads that wait for the GIL, or are about to.
static std::atomic<int> comingBack = 0;

OthersRun::OthersRun() : state(ending ? nullptr : PyEval_SaveThread()) {}

OthersRun::~OthersRun() {
  if (!state)
    return;
  ++comingBack; // before `ending` is read: one of the two sides sees the other
  if (ending) {
    --comingBack;
    for (;;)
      pause();
  }
  PyEval_RestoreThread(state);
  --comingBack;
}

/// Runs with the GIL, while threads that are no daemons have ended.
static void end() {
  PyThreadState *state = PyEval_SaveThread();
  ending = true;
  while (comingBack)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  PyEval_RestoreThread(state);
}

void mpc::python::addThreads() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(end));
  // A child has one thread alone: that which forked, with the GIL.
  pthread_atfork(nullptr, nullptr, [] { comingBack = 0; });
}

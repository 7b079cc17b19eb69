#include "mpc/Target/FatalErrors.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <pthread.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

using namespace mpc::target;

/// A call of run(). Kept by all threads that work for it, those that stand
/// still included.
struct FatalErrors::Run : std::enable_shared_from_this<FatalErrors::Run> {
  enum class State { Working, Done, Failed };

  std::mutex mutex;
  std::condition_variable changed;
  State state = State::Working;
  std::string reason;   ///< Of LLVM; empty: no memory.
  unsigned helpers = 0; ///< Threads and runs that work for this one.

  /// False where it has failed already: nothing may begin.
  bool addHelper() {
    std::scoped_lock lock(mutex);
    helpers += state == State::Working;
    return state == State::Working;
  }
  void removeHelper() {
    std::scoped_lock lock(mutex);
    --helpers;
    changed.notify_all();
  }
  void finish(State end, std::string why = {}) {
    std::scoped_lock lock(mutex);
    if (state == State::Working) {
      state = end;
      reason.swap(why);
    }
    changed.notify_all();
  }
  State wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] {
      return state == State::Done || (state == State::Failed && helpers == 0);
    });
    return state;
  }
};

using Run = FatalErrors::Run;

/// The run that this thread works for, and keeps. Of no memory that the end of
/// a thread would have to free.
static thread_local Run *current = nullptr;
static thread_local bool isHelper = false; ///< Not the run's own thread.

//===-- Standing still ----------------------------------------------------===//

/// For good. No signal of the application is handled by this thread, and who
/// lists the threads sees what it is, before `tell` tells others of it.
[[noreturn]] static void standStill(llvm::function_ref<void()> tell = {}) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  pthread_setname_np(pthread_self(), "mpc-lost");
  if (tell)
    tell();
  for (;;)
    pause();
}

/// Ends the run of this thread, with the thread. Needs no memory.
[[noreturn]] static void stop(std::string reason = {}) {
  standStill([&] {
    current->finish(Run::State::Failed, std::move(reason));
    if (isHelper)
      current->removeHelper();
  });
}

static void onFatalError(void *, const char *message, bool) {
  if (current) // else LLVM goes on, and ends the process
    stop("LLVM: " + std::string(message));
}

static void onBadAllocation(void *, const char *, bool) {
  if (current)
    stop();
  // As without this handler, which must not return.
  constexpr std::string_view text = "LLVM ERROR: out of memory\n";
  (void)!write(STDERR_FILENO, text.data(), text.size());
  std::abort();
}

void FatalErrors::endRun() {
  if (current)
    stop();
}

/// The handler of operator new that was there before.
static std::atomic<std::new_handler> applications = nullptr;

static void onNoMemory() {
  std::new_handler before = applications;
  if (!current && !before)
    throw std::bad_alloc();
  if (!before)
    stop();
  try {
    before();
  } catch (const std::bad_alloc &) {
    if (current)
      stop();
    throw;
  }
}

//===-- Handlers, of which a process has one ------------------------------===//

static std::mutex mutex;
/// Those outside of runs; under `mutex`. Those inside need no handlers of their
/// own, as the one that runs outlives them, and where the run fails are not
/// destroyed.
static unsigned living = 0;

FatalErrors::FatalErrors()
    : owner(current ? current->shared_from_this() : nullptr) {
  if (owner)
    return;
  std::scoped_lock lock(mutex);
  if (living++ == 0) {
    llvm::install_fatal_error_handler(onFatalError);
    llvm::install_bad_alloc_error_handler(onBadAllocation);
    // Ours asks it at once. An application that has set one for a while may
    // have put ours back.
    if (std::new_handler before = std::get_new_handler(); before != onNoMemory)
      applications = before;
    std::set_new_handler(onNoMemory);
  }
}

FatalErrors::~FatalErrors() {
  if (owner)
    return;
  std::scoped_lock lock(mutex);
  if (--living == 0) {
    if (std::get_new_handler() == onNoMemory) // else it is the application's
      std::set_new_handler(applications);
    llvm::remove_bad_alloc_error_handler();
    llvm::remove_fatal_error_handler();
  }
}

//===-- Helpers and callbacks ---------------------------------------------===//

FatalErrors::Helper::Helper(const FatalErrors &errors) : run(errors.owner) {
  if (!run)
    return;
  current = run.get();
  isHelper = true;
  if (!run->addHelper())
    standStill(); // The run's own thread waits for this one.
}

FatalErrors::Helper::~Helper() {
  if (!run)
    return;
  current = nullptr;
  isHelper = false;
  run->removeHelper();
}

FatalErrors::Outside::Outside() : inside(std::exchange(current, nullptr)) {}
FatalErrors::Outside::~Outside() { current = inside; }

//===-- Running -----------------------------------------------------------===//

namespace {
/// What a thread of its own is to do.
struct Task {
  std::shared_ptr<Run> run;
  llvm::function_ref<llvm::Error()> function;
  std::optional<llvm::Error> result;
  std::exception_ptr thrown;
};
} // namespace

static void *work(void *given) {
  auto &task = *static_cast<Task *>(given);
  std::shared_ptr<Run> run = task.run;
  current = run.get();
  try {
    task.result = task.function();
  } catch (const std::bad_alloc &) {
    // It came through frames of LLVM, which knows no exceptions.
    stop();
  } catch (...) {
    task.thrown = std::current_exception();
  }
  current = nullptr;
  run->finish(Run::State::Done);
  return nullptr;
}

static llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Error noMemory() {
  return llvm::createStringError(std::errc::not_enough_memory,
                                 FatalErrors::kNoMemory);
}

/// Starts `task`; 0, or what is wrong. As much of a stack as the first thread
/// of a process has.
static int start(Task &task, pthread_t &thread) {
  constexpr size_t kLeast = 8 << 20;
  pthread_attr_t attributes;
  if (int wrong = pthread_attr_init(&attributes))
    return wrong;
  size_t bytes = 0;
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_setstacksize(&attributes, std::max(bytes, kLeast));
  int wrong = pthread_create(&thread, &attributes, work, &task);
  pthread_attr_destroy(&attributes);
  return wrong;
}

static llvm::Error runTask(Task &task, bool &isFatal) {
  pthread_t thread;
  if (int wrong = start(task, thread))
    return error("no thread for the compilation: " +
                 llvm::Twine(llvm::sys::StrError(wrong)));
  isFatal = task.run->wait() == Run::State::Failed;
  if (!isFatal) {
    pthread_join(thread, nullptr);
    if (task.thrown)
      std::rethrow_exception(task.thrown);
    return std::move(*task.result);
  }
  pthread_detach(thread);
  if (task.run->reason.empty())
    return noMemory();
  return error(task.run->reason);
}

llvm::Error FatalErrors::run(llvm::function_ref<llvm::Error()> function,
                             bool &isFatal) const {
  isFatal = false;
  if (owner && !owner->addHelper())
    return error("the compilation has failed");
  struct Leave {
    Run *owner;
    ~Leave() {
      if (owner)
        owner->removeHelper();
    }
  } leave{owner.get()};
  std::shared_ptr<Run> run;
  try {
    run = std::make_shared<Run>();
  } catch (const std::bad_alloc &) {
    return noMemory();
  }
  Task task{std::move(run), function, std::nullopt, nullptr};
  return runTask(task, isFatal);
}

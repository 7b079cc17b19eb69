#include "mpc/Target/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"
#include <csetjmp>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <unistd.h>

using namespace mpc::target;

namespace {
/// A call of run() that has not returned.
struct Call {
  Call();
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  std::jmp_buf back;
  std::string reason;
  bool isOutOfMemory = false;
  Call *outer;
};
} // namespace

/// The innermost one of the running thread.
static thread_local Call *innermost = nullptr;

Call::Call() : outer(innermost) { innermost = this; }
Call::~Call() { innermost = outer; }

static std::mutex mutex;
static unsigned living = 0; // under `mutex`

/// LLVM is built without exceptions: a jump is the one way out of it.
static void onFatalError(void *, const char *message, bool) {
  if (!innermost)
    return; // LLVM goes on, and ends the process
  innermost->reason = message;
  std::longjmp(innermost->back, 1);
}

/// The same where malloc answers nothing; there is no memory for words then.
static void onBadAllocation(void *, const char *, bool) {
  if (innermost) {
    innermost->isOutOfMemory = true;
    std::longjmp(innermost->back, 1);
  }
  // As without this handler, which must not return.
  constexpr std::string_view text = "LLVM ERROR: out of memory\n";
  (void)!write(STDERR_FILENO, text.data(), text.size());
  std::abort();
}

static llvm::Error tellNoMemory() {
  return llvm::createStringError(std::errc::not_enough_memory,
                                 "no memory for the compilation");
}

FatalErrors::FatalErrors() {
  std::scoped_lock lock(mutex);
  if (living++ == 0) {
    llvm::install_fatal_error_handler(onFatalError);
    llvm::install_bad_alloc_error_handler(onBadAllocation);
  }
}

FatalErrors::~FatalErrors() {
  std::scoped_lock lock(mutex);
  if (--living == 0) {
    llvm::remove_bad_alloc_error_handler();
    llvm::remove_fatal_error_handler();
  }
}

llvm::Error FatalErrors::run(llvm::function_ref<llvm::Error()> function,
                             bool &isFatal) const {
  Call call;
  isFatal = false;
  if (setjmp(call.back)) {
    isFatal = true;
    if (call.isOutOfMemory)
      return tellNoMemory();
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "LLVM: " + call.reason);
  }
  try {
    return function();
  } catch (const std::bad_alloc &) {
    // It has freed nothing of the frames of LLVM, which knows no exceptions.
    isFatal = true;
    return tellNoMemory();
  }
}

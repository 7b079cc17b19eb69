#include "mpc/Target/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"
#include <csetjmp>
#include <mutex>
#include <string>

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

FatalErrors::FatalErrors() {
  std::scoped_lock lock(mutex);
  if (living++ == 0)
    llvm::install_fatal_error_handler(onFatalError);
}

FatalErrors::~FatalErrors() {
  std::scoped_lock lock(mutex);
  if (--living == 0)
    llvm::remove_fatal_error_handler();
}

llvm::Error FatalErrors::run(llvm::function_ref<llvm::Error()> function,
                             bool &isFatal) const {
  Call call;
  isFatal = false;
  if (setjmp(call.back)) {
    isFatal = true;
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "LLVM: " + call.reason);
  }
  return function();
}

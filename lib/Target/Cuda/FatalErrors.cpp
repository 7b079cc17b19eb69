#include "FatalErrors.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include <string>

using namespace mpc::target;

/// Where the running thread's fatal error goes; null outside of run().
static thread_local std::string *reason = nullptr;

static void onFatalError(void *, const char *message, bool) {
  if (!reason)
    return;
  *reason = message;
  if (auto *recovery = llvm::CrashRecoveryContext::GetCurrent())
    recovery->HandleExit(1); // back to RunSafely
}

FatalErrors::FatalErrors() {
  llvm::CrashRecoveryContext::Enable();
  llvm::install_fatal_error_handler(onFatalError);
}

FatalErrors::~FatalErrors() {
  llvm::remove_fatal_error_handler();
  llvm::CrashRecoveryContext::Disable();
}

llvm::Error FatalErrors::run(llvm::function_ref<llvm::Error()> function,
                             bool &isFatal) const {
  std::string message;
  llvm::Error result = llvm::Error::success();
  llvm::CrashRecoveryContext recovery;
  reason = &message;
  isFatal = !recovery.RunSafely([&] { result = function(); });
  reason = nullptr;
  if (!isFatal)
    return result;
  llvm::consumeError(std::move(result));
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 message.empty() ? "LLVM crashed"
                                                 : "LLVM: " + message);
}

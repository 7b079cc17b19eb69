// LLVM ends the process where it meets what it cannot do (report_fatal_error).
// A compiler that is a library must not.
#ifndef MPC_TARGET_FATALERRORS_H
#define MPC_TARGET_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace mpc::target {

/// While one lives, fatal errors of LLVM inside of `run` come back as errors,
/// as does an end of memory, of malloc or of operator new. LLVM has one handler
/// of each per process, which all of these share; they are taken away with the
/// last. Crashes are not caught, and no signal handler is
/// changed.
class FatalErrors {
public:
  FatalErrors();
  ~FatalErrors();
  FatalErrors(const FatalErrors &) = delete;
  FatalErrors &operator=(const FatalErrors &) = delete;

  /// Calls `function`, on any thread, and says whether it failed fatally: what
  /// it was working on must then not be touched any more, not even be freed. A
  /// call inside of a call catches what happens inside of it.
  llvm::Error run(llvm::function_ref<llvm::Error()> function,
                  bool &isFatal) const;
};

} // namespace mpc::target

#endif // MPC_TARGET_FATALERRORS_H

// LLVM ends the process where a back end meets what it cannot do. A compiler
// that is a library must not. Private to the CUDA target.
#ifndef MPC_LIB_TARGET_CUDA_FATALERRORS_H
#define MPC_LIB_TARGET_CUDA_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace mpc::target {

/// While it lives, fatal errors of LLVM inside of `run` come back as errors.
/// One at a time per process: it owns LLVM's one handler.
class FatalErrors {
public:
  FatalErrors();
  ~FatalErrors();
  FatalErrors(const FatalErrors &) = delete;
  FatalErrors &operator=(const FatalErrors &) = delete;

  /// Calls `function`, on any thread, and says whether it failed fatally: what
  /// it was working on must then not be touched any more, not even be freed.
  llvm::Error run(llvm::function_ref<llvm::Error()> function,
                  bool &isFatal) const;
};

} // namespace mpc::target

#endif // MPC_LIB_TARGET_CUDA_FATALERRORS_H

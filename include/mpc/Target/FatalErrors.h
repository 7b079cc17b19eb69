// LLVM ends the process where it meets what it cannot do (report_fatal_error),
// and frees nothing on the way out of a lack of memory. A compiler that is a
// library must do neither.
#ifndef MPC_TARGET_FATALERRORS_H
#define MPC_TARGET_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <new>

namespace mpc::target {

/// While one lives, fatal errors of LLVM inside of `run` come back as errors,
/// as does an end of memory, of malloc or of operator new.
///
/// `run` calls its function on a thread of its own. Where that meets a fatal
/// error it stands still for good, there and then: nothing is unwound, so that
/// what others of the compilation still read stays as it is, and the thread
/// never ends, since LLVM's and MLIR's caches of it may be broken
/// (mlir::ThreadLocalCache keeps an entry that it found no memory for, and
/// reads it at the end of the thread). It costs its memory; all other threads
/// go on, and may compile.
///
/// LLVM has one handler of each kind per process, and C++ one for operator new,
/// which all of these share; they are taken away with the last that was made
/// outside of runs. An application's own handler of operator new is asked
/// first. Crashes are not caught, and no signal handler is changed.
///
/// A thread that stands still keeps the locks it has. Helpers that share an
/// MLIRContext (CUDA kernels are lowered so) allocate under locks of its
/// uniquers: where memory ends right there, other helpers may wait for that
/// lock for ever, and so does `run` for them.
class FatalErrors {
public:
  /// What the error of an end of memory says.
  static constexpr const char *kNoMemory = "no memory for the compilation";

  /// What is made inside of a run belongs to it: that run, where it failed,
  /// comes back when no run of this one goes on, and this one begins no more.
  FatalErrors();
  ~FatalErrors();
  FatalErrors(const FatalErrors &) = delete;
  FatalErrors &operator=(const FatalErrors &) = delete;

  /// Calls `function`, and says whether it failed fatally: what it was working
  /// on must then not be touched any more, not even be freed; its own variables
  /// are not. A call inside of a call catches what happens inside of it. May be
  /// called by any thread; what `function` throws comes back here.
  llvm::Error run(llvm::function_ref<llvm::Error()> function,
                  bool &isFatal) const;

  /// Calls `function`, which works with objects of LLVM and MLIR that others
  /// own. Their code knows no exceptions: where operator new throws through it,
  /// it leaves them half made, and freeing them crashes. So the run of this
  /// thread ends here then, before its callers are unwound.
  template <typename Function>
  static auto beforeUnwinding(Function &&function) {
    try {
      return function();
    } catch (const std::bad_alloc &) {
      endRun();
      throw; // of no run
    }
  }

  struct Run;

  /// While one lives, its thread works for the run that `errors` belong to,
  /// whose own thread waits for it: a fatal error ends that run. A thread is
  /// one helper at a time.
  class Helper {
  public:
    explicit Helper(const FatalErrors &errors);
    ~Helper();
    Helper(const Helper &) = delete;
    Helper &operator=(const Helper &) = delete;

  private:
    std::shared_ptr<Run> run;
  };

  /// While one lives, its thread works for no run: what an application is
  /// called back for throws where there is no memory, and is not left standing.
  class Outside {
  public:
    Outside();
    ~Outside();
    Outside(const Outside &) = delete;
    Outside &operator=(const Outside &) = delete;

  private:
    Run *inside;
  };

private:
  /// For want of memory. Returns where there is no run.
  static void endRun();

  std::shared_ptr<Run> owner; ///< Null outside of a run.
};

} // namespace mpc::target

#endif // MPC_TARGET_FATALERRORS_H

// What LLVM does alike for the kernels of every target. Private to this room.
#ifndef MPC_LIB_TARGET_CODEGENERATION_H
#define MPC_LIB_TARGET_CODEGENERATION_H

#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <string>

namespace mpc::target {

/// While it lives, what LLVM says about modules of a context is kept: by itself
/// it prints, and ends the process after an error.
class KeptDiagnostics {
public:
  explicit KeptDiagnostics(llvm::LLVMContext &context);
  ~KeptDiagnostics();
  KeptDiagnostics(const KeptDiagnostics &) = delete;
  KeptDiagnostics &operator=(const KeptDiagnostics &) = delete;

  /// The errors so far.
  llvm::Error takeErrors();

private:
  llvm::LLVMContext &context;
  std::unique_ptr<llvm::DiagnosticHandler> before;
  std::string errors;
};

/// LLVM's O3 without vectorising and unrolling: kernels arrive vectorised and
/// unrolled; looking for more costs compile time and can only split what the
/// emitter laid out.
void optimizeKernel(llvm::Module &module, llvm::TargetMachine &machine);

/// What loops of that kind have to gain, in a few passes: functions inlined
/// that say so, common expressions, what does not change out of loops.
void optimizeLoops(llvm::Module &module, llvm::TargetMachine &machine);

/// The module as an object or as text, as `type` says. It is not to be used
/// afterwards. An error if `machine` cannot write that.
llvm::Expected<llvm::SmallVector<char, 0>>
writeCode(llvm::Module &module, llvm::TargetMachine &machine,
          llvm::CodeGenFileType type);

} // namespace mpc::target

#endif // MPC_LIB_TARGET_CODEGENERATION_H

// The CPU target: kernel functions in, shared objects out.
//
// A *kernel function* is a `func.func @name(memref..., index lo, index hi)` of
// arith, math, vector, scf and memref ops (lib/Emit writes them). Out of a
// module of such functions this room makes one ELF shared object per
// instruction set, in which each kernel is
//
//   void name(void *const *args, int64_t lo, int64_t hi);
//
// and calls nothing: no libm, no compiler runtime, no undefined symbol.
//
//   kernel functions
//     sets            kernels that differ by sizes alone share their code
//     storage types   f16, bf16 and i1 live in memory as i16 and i8
//     vector math     exp, log, tanh, erf, pow as polynomials
//     LLVM dialect, LLVM IR at O3, object       per instruction set, cached
//     link            one shared object per instruction set
#ifndef MPC_TARGET_CPU_H
#define MPC_TARGET_CPU_H

#include "mpc/Interfaces/LLVM.h"
#include "mpc/Program/InstructionSets.h"
#include "mpc/Target/ArtifactCache.h"
#include <string>
#include <vector>

namespace mpc::target {

inline constexpr llvm::StringRef kV3 = program::kV3, kV4 = program::kV4,
                                 kV4WithBFloat = program::kV4WithBFloat;

struct CpuOptions {
  /// What to compile for, best last. Where no kernel rounds to bf16, code for
  /// kV4WithBFloat is that of kV4, and has its name. Where one does there is no
  /// code of kV4 by default: processors with AVX-512 and without AVX512-BF16
  /// have no fast products of bf16 either, and a third object for each kernel
  /// takes long; nor is one linked for them of the objects of kV4 that kernels
  /// which do not round have (docs/Kernels.md says what both would bring). Not
  /// both of them: where no kernel rounds they would be one section twice.
  std::vector<std::string> targets = {std::string(kV3),
                                      std::string(kV4WithBFloat)};
  /// Of compiled objects, which other processes may use too.
  ArtifactCache cache;
  /// Threads that compile; 0: as many as the machine has cores.
  unsigned threads = 0;
  /// The linker ld.lld; empty: found by findLinker().
  std::string linker;
};

/// A shared object for one instruction set, with all kernels.
struct CpuCode {
  std::string target;
  std::vector<uint8_t> data;
};

/// What a compilation did. Counts are per (kernels that share their code,
/// instruction set).
struct CpuStatistics {
  unsigned objectsCompiled = 0;
  unsigned objectsFromCache = 0;
};

/// Compiles every function of `kernels` for every target of `options`. The
/// module is left as it is. Same input, same bytes. On failure a diagnostic
/// was emitted at the kernel or at the module.
FailureOr<std::vector<CpuCode>>
compileCpuKernels(ModuleOp kernels, const CpuOptions &options,
                  CpuStatistics *statistics = nullptr);

/// $MPC_LLD, else ld.lld-22 or ld.lld on the PATH, else LLVM 22's own folder;
/// "" if there is none.
std::string findLinker();

} // namespace mpc::target

#endif // MPC_TARGET_CPU_H

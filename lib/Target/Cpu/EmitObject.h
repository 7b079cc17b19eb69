// LLVM IR of one kernel -> object file of one instruction set, and objects ->
// shared object. Private to the CPU target.
#ifndef MPC_LIB_TARGET_CPU_EMITOBJECT_H
#define MPC_LIB_TARGET_CPU_EMITOBJECT_H

#include "../Subprocess.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mpc::target {

/// Optimises the loops of `module`, for all instruction sets alike.
llvm::Error optimizeForAll(llvm::Module &module);

/// The object file of an optimised module for `cpu` ("x86-64-v3"; Cpu.h), after
/// which the module is not to be used. Fails if the object would call anything
/// outside itself.
llvm::Expected<Bytes> writeObject(llvm::Module &module, llvm::StringRef cpu);

/// Both.
llvm::Expected<Bytes> emitObject(llvm::Module &module, llvm::StringRef cpu);

/// Links `objects` into one shared object with `linker` (ld.lld).
llvm::Expected<Bytes> linkObjects(llvm::ArrayRef<Bytes> objects,
                                  llvm::StringRef linker);

} // namespace mpc::target

#endif // MPC_LIB_TARGET_CPU_EMITOBJECT_H

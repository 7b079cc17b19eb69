// Files that the compiler reads whole: models, policies, profiles, programs.
#ifndef MPC_TEXT_READFILE_H
#define MPC_TEXT_READFILE_H

#include "mpc/Interfaces/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>

namespace mpc {

/// Reads the file `path`, or the standard input for "-", to its end and once,
/// so that it may be a pipe; a regular file is mapped. Fails with a message in
/// `error`: for a directory, for a device, and for a pipe that nobody writes
/// to.
FailureOr<std::unique_ptr<llvm::MemoryBuffer>> readFile(StringRef path,
                                                        std::string &error);

} // namespace mpc

#endif // MPC_TEXT_READFILE_H

// Runs ptxas.
#include "Lowering.h"

#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::target;

llvm::Expected<std::string>
mpc::target::ptxasVersion(const std::string &ptxas) {
  auto folder = TemporaryFolder::create("mpc-ptxas");
  if (!folder)
    return folder.takeError();
  return runCommand({ptxas, "--version"}, *folder);
}

llvm::Expected<Bytes> mpc::target::assemble(StringRef ptx, StringRef arch,
                                            const std::string &ptxas) {
  auto folder = TemporaryFolder::create("mpc-ptxas");
  if (!folder)
    return folder.takeError();
  std::string source = folder->file("kernels.ptx");
  std::string result = folder->file("kernels.cubin");
  if (llvm::Error failed = writeFile(source, llvm::arrayRefFromStringRef(ptx)))
    return failed;
  // PTX says add.rn and mul.rn where nothing may be fused; this is for the
  // reader of the command.
  auto log = runCommand({ptxas, "-arch=" + arch.str(), "-O3", "--fmad=false",
                         source, "-o", result},
                        *folder);
  if (!log)
    return log.takeError();
  return readFile(result);
}

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

SmallVector<StringRef> mpc::target::spillingKernels(StringRef log) {
  // Function properties for k
  //     16 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads
  constexpr StringRef head = "Function properties for ";
  SmallVector<StringRef> names;
  while (true) {
    size_t at = log.find(head);
    if (at == StringRef::npos)
      return names;
    auto [name, rest] = log.substr(at + head.size()).split('\n');
    StringRef figures = rest.split('\n').first;
    if (figures.contains("spill") && !figures.contains(" 0 bytes spill stores"))
      names.push_back(name.trim());
    log = rest;
  }
}

bool mpc::target::relaxRegisters(std::string &ptx, StringRef name) {
  size_t entry = ptx.find((".entry " + name + "(").str());
  size_t body = ptx.find("\n{", entry);
  if (entry == std::string::npos || body == std::string::npos)
    return false;
  StringRef directives = StringRef(ptx).slice(entry, body);
  if (directives.contains(".minnctapersm"))
    return false;
  ptx.insert(body, "\n.minnctapersm 1");
  return true;
}

/// Assembles once; `log` becomes what ptxas said of each kernel.
static llvm::Expected<Bytes> runPtxas(StringRef ptx, StringRef arch,
                                      const std::string &ptxas,
                                      std::string &log) {
  auto folder = TemporaryFolder::create("mpc-ptxas");
  if (!folder)
    return folder.takeError();
  std::string source = folder->file("kernels.ptx");
  std::string result = folder->file("kernels.cubin");
  if (llvm::Error failed = writeFile(source, llvm::arrayRefFromStringRef(ptx)))
    return failed;
  // PTX says add.rn and mul.rn where nothing may be fused; --fmad=false is for
  // the reader of the command.
  auto output = runCommand({ptxas, "-v", "-arch=" + arch.str(), "-O3",
                            "--fmad=false", source, "-o", result},
                           *folder);
  if (!output)
    return output.takeError();
  log = std::move(*output);
  return readFile(result);
}

llvm::Expected<Bytes> mpc::target::assemble(std::string &ptx, StringRef arch,
                                            const std::string &ptxas) {
  std::string log;
  auto cubin = runPtxas(ptx, arch, ptxas, log);
  if (!cubin)
    return cubin;
  bool changed = false;
  for (StringRef kernel : spillingKernels(log))
    changed |= relaxRegisters(ptx, kernel);
  return changed ? runPtxas(ptx, arch, ptxas, log) : std::move(cubin);
}

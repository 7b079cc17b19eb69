// Runs ld.lld: linking is 20 ms of a solved problem.
#include "EmitObject.h"
#include "mpc/Target/Cpu.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mpc::target;
using llvm::StringRef;

llvm::Expected<Bytes> mpc::target::linkObjects(llvm::ArrayRef<Bytes> objects,
                                               StringRef linker) {
  auto folder = TemporaryFolder::create("mpc-link");
  if (!folder)
    return folder.takeError();
  std::string result = folder->file("kernels.so");
  std::vector<std::string> command = {
      linker.str(),    "-shared",          "--strip-all",     "--no-undefined",
      "-znoexecstack", "--hash-style=gnu", "--build-id=none", "-o",
      result};
  for (size_t i = 0; i < objects.size(); ++i) {
    std::string path = folder->file(llvm::Twine(i) + ".o");
    if (llvm::Error failed = writeFile(path, objects[i]))
      return failed;
    command.push_back(std::move(path));
  }
  auto log = runCommand(command, *folder);
  if (!log)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "linking the kernels: " + llvm::toString(log.takeError()) +
            "; install lld-22 or set MPC_LLD");
  return readFile(result);
}

std::string mpc::target::findLinker() {
  if (auto path = llvm::sys::Process::GetEnv("MPC_LLD"))
    return *path;
  for (StringRef name : {"ld.lld-22", "ld.lld"})
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  if (auto path =
          llvm::sys::findProgramByName("ld.lld", {"/usr/lib/llvm-22/bin"}))
    return *path;
  return "";
}

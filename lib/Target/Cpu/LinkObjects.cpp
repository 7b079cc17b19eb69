// Runs ld.lld: linking is 20 ms of a solved problem.
#include "EmitObject.h"
#include "mpc/Target/Cpu.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mpc::target;
using llvm::StringRef;

namespace {
/// A folder that goes away with its content.
class TemporaryFolder {
public:
  std::error_code create() {
    return llvm::sys::fs::createUniqueDirectory("mpc-link", path);
  }
  ~TemporaryFolder() {
    if (!path.empty())
      (void)llvm::sys::fs::remove_directories(path); // temporary: no harm
  }
  std::string file(const llvm::Twine &name) const {
    llvm::SmallString<128> result(path);
    llvm::sys::path::append(result, name);
    return std::string(result);
  }

private:
  llvm::SmallString<128> path;
};
} // namespace

static llvm::Error writeFile(const std::string &path, const Bytes &data) {
  std::error_code code;
  llvm::raw_fd_ostream out(path, code);
  if (!code) {
    out.write(reinterpret_cast<const char *>(data.data()), data.size());
    out.close();
    code = out.error();
    out.clear_error();
  }
  if (code)
    return llvm::createStringError(code, "cannot write " + path + ": " +
                                             code.message());
  return llvm::Error::success();
}

static std::string readText(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : std::string();
}

llvm::Expected<Bytes> mpc::target::linkObjects(llvm::ArrayRef<Bytes> objects,
                                               StringRef linker) {
  TemporaryFolder folder;
  if (std::error_code code = folder.create())
    return llvm::createStringError(code, "cannot create a temporary folder: " +
                                             code.message());
  std::string result = folder.file("kernels.so");
  std::string log = folder.file("log");
  std::vector<std::string> command = {
      linker.str(),    "-shared",          "--strip-all",     "--no-undefined",
      "-znoexecstack", "--hash-style=gnu", "--build-id=none", "-o",
      result};
  for (size_t i = 0; i < objects.size(); ++i) {
    std::string path = folder.file(llvm::Twine(i) + ".o");
    if (llvm::Error failed = writeFile(path, objects[i]))
      return failed;
    command.push_back(std::move(path));
  }
  llvm::SmallVector<StringRef> arguments(command.begin(), command.end());
  std::string message;
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  int code = llvm::sys::ExecuteAndWait(linker, arguments, std::nullopt,
                                       redirects, 0, 0, &message);
  if (code == -1)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "cannot run the linker '" + linker +
                                       "': " + message +
                                       "; install lld-22 or set MPC_LLD");
  if (code != 0)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "linker '" + linker + "' failed with exit code " +
            llvm::Twine(code).str() + ": " + message + readText(log));
  auto file = llvm::MemoryBuffer::getFile(result, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return llvm::createStringError(file.getError(),
                                   "cannot read the linker's output: " +
                                       file.getError().message());
  StringRef data = (*file)->getBuffer();
  return Bytes(data.bytes_begin(), data.bytes_end());
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

std::string mpc::target::defaultCacheDir() {
  using llvm::sys::Process;
  if (auto folder = Process::GetEnv("MPC_CACHE_DIR"))
    return *folder;
  if (auto folder = Process::GetEnv("XDG_CACHE_HOME"))
    return *folder + "/mpc";
  if (auto folder = Process::GetEnv("HOME"))
    return *folder + "/.cache/mpc";
  return "";
}

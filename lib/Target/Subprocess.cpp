#include "Subprocess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <new>

using namespace mpc::target;
using llvm::StringRef;

static llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<TemporaryFolder> TemporaryFolder::create(StringRef prefix) {
  TemporaryFolder folder;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory(prefix, folder.path)) {
    folder.path.clear();
    return error("cannot create a temporary folder: " + code.message());
  }
  return std::move(folder);
}

TemporaryFolder::~TemporaryFolder() {
  if (path.empty())
    return;
  try {
    (void)llvm::sys::fs::remove_directories(path); // temporary: no harm
  } catch (const std::bad_alloc &) {               // nor if it stays
  }
}

std::string TemporaryFolder::file(const llvm::Twine &name) const {
  llvm::SmallString<128> result(path);
  llvm::sys::path::append(result, name);
  return std::string(result);
}

llvm::Error mpc::target::writeFile(const std::string &path,
                                   llvm::ArrayRef<uint8_t> data) {
  std::error_code code;
  llvm::raw_fd_ostream out(path, code);
  if (!code) {
    out << llvm::toStringRef(data);
    out.close();
    code = out.error();
    out.clear_error();
  }
  if (code)
    return error("cannot write " + path + ": " + code.message());
  return llvm::Error::success();
}

llvm::Expected<Bytes> mpc::target::readFile(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return error("cannot read " + path + ": " + file.getError().message());
  StringRef data = (*file)->getBuffer();
  return Bytes(data.bytes_begin(), data.bytes_end());
}

llvm::Expected<std::string>
mpc::target::runCommand(llvm::ArrayRef<std::string> command,
                        const TemporaryFolder &folder) {
  std::string log = folder.file("log");
  llvm::SmallVector<StringRef> arguments(command.begin(), command.end());
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(command[0], arguments, std::nullopt,
                                       redirects, 0, 0, &message);
  if (code == -1)
    return error("cannot run '" + command[0] + "': " + message);
  auto file = llvm::MemoryBuffer::getFile(log);
  std::string output = file ? (*file)->getBuffer().str() : std::string();
  if (code == 0)
    return output;
  std::string how = code == -2
                        ? "crashed"
                        : "failed with exit code " + llvm::Twine(code).str();
  return error("'" + llvm::join(command, " ") + "' " + how + ": " + message +
               StringRef(output).rtrim());
}

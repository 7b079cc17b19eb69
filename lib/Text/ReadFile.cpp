#include "mpc/Text/ReadFile.h"
#include "mpc/Support/Pipe.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"

#include <unistd.h>

using namespace mpc;
using llvm::MemoryBuffer;

using Buffer = std::unique_ptr<MemoryBuffer>;

/// Of LLVM's calls.
static FailureOr<Buffer> take(llvm::ErrorOr<Buffer> buffer, StringRef path,
                              std::string &error) {
  if (buffer)
    return std::move(*buffer);
  error =
      "'" + path.str() + "': cannot be read: " + buffer.getError().message();
  return failure();
}

FailureOr<Buffer> mpc::readFile(StringRef path, std::string &error) {
  if (path == "-")
    return take(MemoryBuffer::getSTDIN(), path, error);
  std::string name = "'" + path.str() + "'";
  Result<ReadableFile> file = openForReading(path.str(), name);
  if (!file) {
    error = file.status().message();
    return failure();
  }
  llvm::scope_exit closes([&] { close(file->descriptor); });
  if (!file->isPipe)
    return take(MemoryBuffer::getOpenFile(
                    llvm::sys::fs::convertFDToNativeFile(file->descriptor),
                    path, file->bytes),
                path, error);
  Result<std::vector<std::byte>> content = readPipe(file->descriptor, name);
  if (!content) {
    error = content.status().message();
    return failure();
  }
  StringRef text(reinterpret_cast<const char *>(content->data()),
                 content->size());
  return MemoryBuffer::getMemBufferCopy(text, path);
}

// Programs that the targets run: the linker, ptxas. Private to lib/Target.
#ifndef MPC_LIB_TARGET_SUBPROCESS_H
#define MPC_LIB_TARGET_SUBPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mpc::target {

using Bytes = std::vector<uint8_t>;

/// A folder that goes away with its content.
class TemporaryFolder {
public:
  /// `prefix` begins its name.
  static llvm::Expected<TemporaryFolder> create(llvm::StringRef prefix);
  TemporaryFolder(TemporaryFolder &&other) noexcept
      : path(std::move(other.path)) {
    other.path.clear();
  }
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();

  /// The path of the file `name` in it.
  std::string file(const llvm::Twine &name) const;

private:
  TemporaryFolder() = default;

  llvm::SmallString<128> path;
};

llvm::Error writeFile(const std::string &path, llvm::ArrayRef<uint8_t> data);
llvm::Expected<Bytes> readFile(const std::string &path);

/// Runs `command` (an absolute program, then its arguments) and returns what it
/// printed. Unless it ends with code 0: an error with the command and what it
/// printed. `folder` holds its output meanwhile.
llvm::Expected<std::string> runCommand(llvm::ArrayRef<std::string> command,
                                       const TemporaryFolder &folder);

} // namespace mpc::target

#endif // MPC_LIB_TARGET_SUBPROCESS_H

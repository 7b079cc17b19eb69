// Where NVIDIA's libraries lie: not only where the loader looks. A library is
// taken from the first of these that has it:
//   1. the folders of $MPC_CUDA_LIBRARY_PATH, separated by ':'
//   2. what the process has loaded, and the loader's own path
//   3. lib64 of $CUDA_HOME, $CUDA_ROOT, $CUDA_PATH, /usr/local/cuda and
//      /usr/local/cuda-*, the newest first
//   4. pip's packages (nvidia/*/lib) of the Pythons in $VIRTUAL_ENV,
//      $CONDA_PREFIX, ~/.local, /usr/local and /usr
#ifndef MPC_LIB_RUNTIME_CUDA_API_LIBRARYSEARCH_H
#define MPC_LIB_RUNTIME_CUDA_API_LIBRARYSEARCH_H

#include "SharedLibrary.h"

#include <functional>

namespace mpc::runtime {

class LibrarySearch {
public:
  /// Null if there is no such variable.
  using Environment = std::function<const char *(const char *name)>;

  /// Of this process. `root` stands before /usr, for tests.
  explicit LibrarySearch(Environment environment = getProcessEnvironment(),
                         const std::string &root = "");
  /// Opens `name`, "libnccl.so.2". DeviceUnsupported lists where it was looked
  /// for, and says how to name its folder.
  Result<SharedLibrary> open(const std::string &name) const;

  static Environment getProcessEnvironment();

private:
  std::vector<std::string> given;   ///< by the user: before the loader
  std::vector<std::string> folders; ///< after the loader; some with wildcards
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_API_LIBRARYSEARCH_H

// A library of the system that is opened when it is needed.
#ifndef MPC_LIB_RUNTIME_CUDA_API_SHAREDLIBRARY_H
#define MPC_LIB_RUNTIME_CUDA_API_SHAREDLIBRARY_H

#include "mpc/Support/Status.h"

namespace mpc::runtime {

/// Stays open until the process ends: CUDA libraries keep threads and handlers
/// that do not survive being unloaded.
class SharedLibrary {
public:
  /// `name`: "libnccl.so.2", for the loader to find, or a path. Fails with
  /// DeviceUnsupported and the loader's reason. See LibrarySearch.
  static Result<SharedLibrary> open(const std::string &name);
  /// DeviceUnsupported if the library has no such function: it is too old.
  Result<void *> find(const char *symbol) const;

private:
  SharedLibrary(std::string name, void *handle)
      : name(std::move(name)), handle(handle) {}
  std::string name;
  void *handle;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_API_SHAREDLIBRARY_H

// Compiled kernels in memory, as a shared object of this process.
#ifndef MPC_LIB_RUNTIME_HOST_CODELIBRARY_H
#define MPC_LIB_RUNTIME_HOST_CODELIBRARY_H

#include "mpc/Support/Status.h"

#include <cstdint>
#include <memory>
#include <span>

namespace mpc::runtime {

class CodeLibrary {
public:
  /// Loads an ELF shared object from memory; no file system is touched.
  static Result<std::unique_ptr<CodeLibrary>>
  load(std::span<const uint8_t> object);
  ~CodeLibrary();
  CodeLibrary(const CodeLibrary &) = delete;
  CodeLibrary &operator=(const CodeLibrary &) = delete;

  /// Address of an exported symbol, or null.
  void *find(const char *symbol) const;

private:
  CodeLibrary(int descriptor, void *handle)
      : descriptor(descriptor), handle(handle) {}

  // Stays open: the loader knows libraries by path, and the path
  // /proc/self/fd/N must not come to mean another library while this one lives.
  int descriptor;
  void *handle;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CODELIBRARY_H

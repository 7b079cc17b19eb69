#include "CodeLibrary.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::runtime;

static bool writeAll(int descriptor, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t now = write(descriptor, bytes.data(), bytes.size());
    if (now < 0 && errno != EINTR)
      return false;
    if (now > 0)
      bytes = bytes.subspan(static_cast<size_t>(now));
  }
  return true;
}

Result<std::unique_ptr<CodeLibrary>>
CodeLibrary::load(std::span<const uint8_t> object) {
  int descriptor = memfd_create("mpc-kernels", MFD_CLOEXEC);
  if (descriptor < 0 || !writeAll(descriptor, object)) {
    std::string reason = std::strerror(errno);
    if (descriptor >= 0)
      close(descriptor);
    return Status(StatusCode::CodeUnusable,
                  "could not make a memory file of " +
                      std::to_string(object.size()) +
                      " bytes for the kernels: " + reason);
  }
  std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    close(descriptor);
    return Status(StatusCode::CodeUnusable,
                  std::string("could not load the kernels: ") +
                      (reason ? reason : "unknown reason"));
  }
  return std::unique_ptr<CodeLibrary>(new CodeLibrary(descriptor, handle));
}

CodeLibrary::~CodeLibrary() {
  dlclose(handle);
  close(descriptor);
}

void *CodeLibrary::find(const char *symbol) const {
  return dlsym(handle, symbol);
}

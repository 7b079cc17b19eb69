#include "SharedLibrary.h"

#include <dlfcn.h>

using namespace mpc;
using namespace mpc::runtime;

Result<SharedLibrary> SharedLibrary::open(const std::string &name) {
  if (void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
    return SharedLibrary(name, handle);
  const char *reason = dlerror();
  return Status(StatusCode::DeviceUnsupported,
                "the loader says of '" + name +
                    "': " + (reason ? reason : "unknown reason"));
}

Result<void *> SharedLibrary::find(const char *symbol) const {
  if (void *address = dlsym(handle, symbol))
    return address;
  return Status(StatusCode::DeviceUnsupported,
                "expected function '" + std::string(symbol) + "' in library '" +
                    name + "', but it has none: it is too old");
}

#include "PluginLoader.h"

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::runtime;

static constexpr char kFileName[] = "libmpcrt_cuda.so";

namespace {
/// What to hand to the loader, and how the choice came about.
struct Candidate {
  std::string path, reason;
};
} // namespace

/// The folder of the file that holds this code, with a slash; "" if unknown.
static std::string ownFolder() {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<const void *>(&loadPlugin), &info) ||
      !info.dli_fname)
    return {};
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

static Candidate choose(const std::string &path) {
  if (!path.empty())
    return {path, "the session option names it"};
  if (const char *named = std::getenv("MPC_CUDA_PLUGIN"); named && *named)
    return {named, "MPC_CUDA_PLUGIN names it"};
  std::string folder = ownFolder();
  if (std::string beside = folder + kFileName;
      !folder.empty() && access(beside.c_str(), F_OK) == 0)
    return {beside, "it lies beside the runtime"};
  return {kFileName, "it is not in '" + folder +
                         "', so the loader searched; install it there, or name "
                         "it by the session option or MPC_CUDA_PLUGIN"};
}

static Status unavailable(const Candidate &plugin, const std::string &what) {
  return {StatusCode::DeviceUnsupported,
          "plug-in '" + plugin.path + "': " + what};
}

Result<const Plugin *> runtime::loadPlugin(const std::string &path) {
  Candidate plugin = choose(path);
  void *handle =
      dlopen(plugin.path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char *reason = dlerror();
    return unavailable(plugin, std::string("could not be loaded: ") +
                                   (reason ? reason : "unknown reason") + " (" +
                                   plugin.reason + ")");
  }
  using Entry = const Plugin *(*)();
  auto entry = reinterpret_cast<Entry>(dlsym(handle, kPluginSymbol));
  if (!entry)
    return unavailable(plugin, std::string("expected the function '") +
                                   kPluginSymbol +
                                   "', but it has none; is it a plug-in of "
                                   "mpc?");
  const Plugin *found = entry();
  if (!found || !found->version)
    return unavailable(plugin, "its description is empty");
  if (std::string_view(found->version) != MPC_PLUGIN_VERSION)
    return unavailable(
        plugin, std::string("expected version '") + MPC_PLUGIN_VERSION +
                    "', but got '" + found->version +
                    "'; install the plug-in that was built with this runtime");
  return found;
}

#include "LibrarySearch.h"

#include <cstdlib>
#include <glob.h>
#include <unistd.h>

using namespace mpc;
using namespace mpc::runtime;

/// The files that a pattern of the shell means, the last in its order first: of
/// cuda-12.9 and cuda-13.0 the latter.
static std::vector<std::string> expand(const std::string &pattern) {
  glob_t found = {};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (size_t i = found.gl_pathc; i-- > 0;)
      paths.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  return paths;
}

static std::vector<std::string> split(const std::string &list) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= list.size();) {
    size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin)
      parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

LibrarySearch::Environment LibrarySearch::getProcessEnvironment() {
  return [](const char *name) -> const char * { return std::getenv(name); };
}

LibrarySearch::LibrarySearch(Environment environment, const std::string &root) {
  auto read = [&](const char *name) -> std::string {
    const char *value = environment(name);
    return value ? value : "";
  };
  given = split(read("MPC_CUDA_LIBRARY_PATH"));
  for (const char *toolkit : {"CUDA_HOME", "CUDA_ROOT", "CUDA_PATH"})
    if (std::string folder = read(toolkit); !folder.empty())
      folders.push_back(folder + "/lib64");
  folders.push_back(root + "/usr/local/cuda/lib64");
  folders.push_back(root + "/usr/local/cuda-*/lib64");
  std::string home = read("HOME");
  for (const std::string &prefix : {read("VIRTUAL_ENV"), read("CONDA_PREFIX"),
                                    home.empty() ? "" : home + "/.local",
                                    root + "/usr/local", root + "/usr"})
    if (!prefix.empty())
      // site-packages, and dist-packages of Debian.
      folders.push_back(prefix + "/lib/python3*/*-packages/nvidia/*/lib");
}

Result<SharedLibrary> LibrarySearch::open(const std::string &name) const {
  std::string reasons;
  auto tryFile = [&](const std::string &path) -> std::optional<SharedLibrary> {
    Result<SharedLibrary> library = SharedLibrary::open(path);
    if (library)
      return std::move(*library);
    reasons += "; " + library.status().message();
    return std::nullopt;
  };
  for (const std::string &folder : given)
    if (std::string path = folder + "/" + name; access(path.c_str(), F_OK) == 0)
      if (auto library = tryFile(path))
        return std::move(*library);
  if (auto library = tryFile(name))
    return std::move(*library);
  for (const std::string &folder : folders)
    for (const std::string &path : expand(folder + "/" + name))
      if (auto library = tryFile(path))
        return std::move(*library);
  std::string places;
  for (const std::vector<std::string> *list : {&given, &folders})
    for (const std::string &folder : *list)
      places += (places.empty() ? "" : ", ") + folder;
  return Status(StatusCode::DeviceUnsupported,
                "expected library '" + name +
                    "' on the loader's path, or in one of: " + places +
                    reasons +
                    "; install it, or name its folder in the variable "
                    "MPC_CUDA_LIBRARY_PATH");
}

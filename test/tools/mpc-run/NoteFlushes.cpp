// For LD_PRELOAD: the name of each file and folder that is flushed goes to the
// file of the environment variable MPC_TEST_FLUSHES, a line each, when that is
// done. Who loses power sees what was flushed, and a test sees this.
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <string>
#include <unistd.h>

extern "C" __attribute__((visibility("default"))) int fsync(int descriptor) {
  static auto flush = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "fsync"));
  int result = flush(descriptor);
  char name[4096];
  std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  ssize_t length = readlink(link.c_str(), name, sizeof name);
  if (const char *path = std::getenv("MPC_TEST_FLUSHES"); path && length > 0)
    std::ofstream(path, std::ios::app)
        << std::string(name, static_cast<size_t>(length)) << "\n";
  return result;
}

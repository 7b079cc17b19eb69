#include "Bytes.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

using namespace mpc::fuzz;

MemoryFile::MemoryFile(Input input) : file(memfd_create("input", MFD_CLOEXEC)) {
  require(file >= 0, "a file in memory");
  for (size_t done = 0; done < input.size();) {
    ssize_t wrote = ::write(file, input.data() + done, input.size() - done);
    require(wrote > 0, "room for the input in memory");
    done += static_cast<size_t>(wrote);
  }
}

MemoryFile::~MemoryFile() { ::close(file); }

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(file);
}

namespace {
struct ScratchFolder {
  ScratchFolder() {
    char name[] = "/dev/shm/mpc-fuzz-XXXXXX";
    require(mkdtemp(name) != nullptr, "a folder in /dev/shm");
    path = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};
} // namespace

ScratchFile::ScratchFile(const char *name) {
  static const ScratchFolder folder;
  this->name = folder.path + "/" + name;
}

void mpc::fuzz::require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "expected: %s\n", what);
  std::abort();
}

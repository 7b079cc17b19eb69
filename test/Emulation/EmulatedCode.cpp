#include "EmulatedCode.h"
#include "MemoryChecker.h"
#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

using namespace mpc::emulation;

namespace {
using KernelFunction = void (*)(void *const *args, int64_t block,
                                int64_t thread);

thread_local bool lastShuffleIsValid;
struct Copy {
  void *to;
  const void *from;
  size_t bytes;
};
// Of each thread of the block that runs on this thread of the host.
thread_local std::map<uint32_t, std::vector<Copy>> laterCopies;
// The launch that runs on this thread of the host.
thread_local MemoryChecker *activeChecker;

int64_t shuffleNumber(int64_t mode, int64_t value, int64_t offset) {
  Shuffled result =
      shuffle(ShuffleMode(mode), uint64_t(value), uint32_t(offset));
  lastShuffleIsValid = result.isValid;
  return int64_t(result.value);
}

template <typename Access>
void forEachRun(int64_t address, int64_t bytes, int64_t mask, Access access) {
  if (!activeChecker)
    return;
  for (uint64_t left = uint64_t(mask); left; left >>= 1, address += bytes)
    if (left & 1)
      access(reinterpret_cast<void *>(address), size_t(bytes));
}

void awaitCopies() {
  for (const Copy &copy : laterCopies[getThreadNumber()]) {
    if (activeChecker) {
      activeChecker->read(copy.from, copy.bytes);
      activeChecker->write(copy.to, copy.bytes);
    }
    std::memcpy(copy.to, copy.from, copy.bytes);
  }
  laterCopies[getThreadNumber()].clear();
}

const EmulationTable kTable = {
    [](int64_t site) { barrier(uint32_t(site)); },
    shuffleNumber,
    [] { return int64_t(lastShuffleIsValid); },
    [] { return int64_t(getBlockDim().x); },
    [] { return int64_t(getGridDim().x); },
    [](int64_t address, int64_t bytes, int64_t mask) {
      forEachRun(address, bytes, mask,
                 [](void *at, size_t size) { activeChecker->read(at, size); });
    },
    [](int64_t address, int64_t bytes, int64_t mask) {
      forEachRun(address, bytes, mask,
                 [](void *at, size_t size) { activeChecker->write(at, size); });
    },
    [](int64_t to, int64_t from, int64_t bytes) {
      if (activeChecker)
        activeChecker->beginWrite(reinterpret_cast<void *>(to), size_t(bytes));
      laterCopies[getThreadNumber()].push_back(
          {reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from),
           size_t(bytes)});
    },
    awaitCopies,
};

/// A kernel and what its threads are given.
struct Call {
  KernelFunction function;
  MemoryChecker *checker;
  std::span<void *const> args;

  static void run(void *pointer) {
    auto *call = static_cast<Call *>(pointer);
    activeChecker = call->checker;
    laterCopies[getThreadNumber()].clear();
    void *args[256];
    *std::copy(call->args.begin(), call->args.end(), args) = getSharedMemory();
    call->function(args, getBlockIdx().x, getThreadIdx().x);
  }
};
} // namespace

std::unique_ptr<EmulatedCode>
EmulatedCode::load(std::span<const uint8_t> object, std::string &failure) {
  std::unique_ptr<EmulatedCode> code(new EmulatedCode());
  // Open as long as the library is: the loader knows it by this path, and would
  // hand it out again for another file of the same number.
  code->file = memfd_create("emulated kernels", MFD_CLOEXEC);
  bool isWritten = write(code->file, object.data(), object.size()) ==
                   static_cast<ssize_t>(object.size());
  std::string path = "/proc/self/fd/" + std::to_string(code->file);
  if (isWritten)
    code->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto *table = code->library ? static_cast<const EmulationTable **>(
                                    dlsym(code->library, "mpc_emulation"))
                              : nullptr;
  if (!table) {
    const char *reason = dlerror();
    failure = reason ? reason : "cannot write to memory";
    return nullptr;
  }
  *table = &kTable;
  return code;
}

EmulatedCode::~EmulatedCode() {
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

bool EmulatedCode::hasKernel(const std::string &kernel) const {
  return dlsym(library, (kernel + ".launch").c_str());
}

std::string EmulatedCode::run(const std::string &kernel, Launch options,
                              void *const *args) const {
  auto *needs = static_cast<const int64_t *>(
      dlsym(library, (kernel + ".launch").c_str()));
  if (!needs)
    return "no kernel is named '" + kernel + "'";
  options.sharedBytes += size_t(needs[1]);
  Call call{
      reinterpret_cast<KernelFunction>(dlsym(library, kernel.c_str())),
      options.checker,
      {args, size_t(needs[0])},
  };
  std::string failure = launch(options, &Call::run, &call);
  return failure.empty() ? "" : "kernel '" + kernel + "': " + failure;
}

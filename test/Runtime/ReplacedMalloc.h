// malloc and its kin, and operator new, of the whole process, libraries
// included: each asks mayAllocate() first. For tests of one source, which
// defines it, and may include this file once.
//
// A sanitizer brings an allocator of its own, which stays: MPC_SANITIZED.
#ifndef MPC_TEST_RUNTIME_REPLACEDMALLOC_H
#define MPC_TEST_RUNTIME_REPLACEDMALLOC_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MPC_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MPC_SANITIZED 1
#endif
#endif

#ifndef MPC_SANITIZED

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <malloc.h>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace mpc::test {

/// Whether the allocation that the code at `caller` asks for is to succeed.
static bool mayAllocate(const void *caller);

/// Where the code of libraries lies, by the process's memory map. Allocates
/// when it is made.
class LibraryCode {
public:
  /// `names`: parts of the names of their files.
  explicit LibraryCode(std::initializer_list<const char *> names) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      for (const char *name : names)
        if (line.find(name) != std::string::npos)
          ranges.push_back(
              {std::stoull(line, nullptr, 16),
               std::stoull(line.substr(line.find('-') + 1), nullptr, 16)});
  }
  bool isEmpty() const { return ranges.empty(); }
  bool holds(const void *address) const {
    auto at = reinterpret_cast<uintptr_t>(address);
    for (auto [first, last] : ranges)
      if (at >= first && at < last)
        return true;
    return false;
  }

private:
  std::vector<std::pair<uintptr_t, uintptr_t>> ranges;
};

} // namespace mpc::test

extern "C" void *__libc_malloc(size_t bytes);
extern "C" void *__libc_calloc(size_t count, size_t bytes);
extern "C" void *__libc_realloc(void *memory, size_t bytes);
extern "C" void *__libc_memalign(size_t alignment, size_t bytes);

/// `allocate`, unless the test says no.
template <typename Allocate>
static void *allocateIfAllowed(const void *caller, const Allocate &allocate) {
  void *memory = mpc::test::mayAllocate(caller) ? allocate() : nullptr;
  if (!memory)
    errno = ENOMEM;
  return memory;
}

// Seen by all libraries of the process.
#define MPC_REPLACE extern "C" __attribute__((visibility("default")))
#define MPC_CALLER __builtin_return_address(0)
MPC_REPLACE void *malloc(size_t bytes) {
  return allocateIfAllowed(MPC_CALLER, [=] { return __libc_malloc(bytes); });
}
MPC_REPLACE void *calloc(size_t count, size_t bytes) {
  return allocateIfAllowed(MPC_CALLER,
                           [=] { return __libc_calloc(count, bytes); });
}
MPC_REPLACE void *realloc(void *memory, size_t bytes) {
  return allocateIfAllowed(MPC_CALLER,
                           [=] { return __libc_realloc(memory, bytes); });
}
MPC_REPLACE void *memalign(size_t alignment, size_t bytes) {
  return allocateIfAllowed(MPC_CALLER,
                           [=] { return __libc_memalign(alignment, bytes); });
}
MPC_REPLACE void *aligned_alloc(size_t alignment, size_t bytes) {
  return allocateIfAllowed(MPC_CALLER,
                           [=] { return __libc_memalign(alignment, bytes); });
}
MPC_REPLACE int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  *memory = allocateIfAllowed(
      MPC_CALLER, [=] { return __libc_memalign(alignment, bytes); });
  return *memory ? 0 : ENOMEM;
}

// The C++ library's would ask malloc, and be the caller.
static void *allocateOrThrow(const void *caller, size_t bytes) {
  void *memory =
      allocateIfAllowed(caller, [=] { return __libc_malloc(bytes); });
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void *operator new(size_t bytes) { return allocateOrThrow(MPC_CALLER, bytes); }
void *operator new[](size_t bytes) {
  return allocateOrThrow(MPC_CALLER, bytes);
}
void operator delete(void *memory) noexcept { free(memory); }
void operator delete[](void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
void operator delete[](void *memory, size_t) noexcept { free(memory); }

#endif // MPC_SANITIZED

#endif // MPC_TEST_RUNTIME_REPLACEDMALLOC_H

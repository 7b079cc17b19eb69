// For LD_PRELOAD: the first allocation of as many bytes as the environment
// variable MPC_TEST_REFUSED_BYTES says is refused, all others are made.
#include <cstdlib>
#include <new>

static bool isRefused(std::size_t bytes) {
  static const char *text = std::getenv("MPC_TEST_REFUSED_BYTES");
  static std::size_t refused = text ? std::strtoull(text, nullptr, 10) : 0;
  if (refused == 0 || bytes != refused)
    return false;
  refused = 0;
  return true;
}

__attribute__((visibility("default"))) void *operator new(std::size_t bytes) {
  void *memory = isRefused(bytes) ? nullptr : std::malloc(bytes);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

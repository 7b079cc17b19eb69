#include "Kernels/WarpInstructions.h"
#include <deque>
#include <map>
#include <vector>

using namespace mpc;

namespace {
/// Copies of one thread that have begun: 16 bytes to shared memory.
struct Copies {
  struct Copy {
    void *to;
    const void *from;
    int bytes;
  };
  std::vector<Copy> begun; ///< in no group yet
  std::deque<std::vector<Copy>> groups;
};
} // namespace

static std::map<uint32_t, Copies> copies; ///< by thread of the block

void kernels::copyAsync(void *shared, const void *global, int bytes) {
  std::memset(shared, 0xff, 16);
  copies[emulation::getThreadNumber()].begun.push_back({shared, global, bytes});
}

void kernels::commitCopies() {
  Copies &own = copies[emulation::getThreadNumber()];
  own.groups.push_back(std::exchange(own.begun, {}));
}

void kernels::landCopies(int pending) {
  Copies &own = copies[emulation::getThreadNumber()];
  for (; own.groups.size() > size_t(pending); own.groups.pop_front())
    for (const Copies::Copy &each : own.groups.front()) {
      std::memset(each.to, 0, 16);
      std::memcpy(each.to, each.from, size_t(each.bytes));
    }
}

void kernels::forgetCopies() { copies.clear(); }

// A block of memory from the session's allocator; counts what it holds.
#ifndef MPC_LIB_RUNTIME_HOST_BLOCK_H
#define MPC_LIB_RUNTIME_HOST_BLOCK_H

#include "mpc/Runtime/Session.h"

namespace mpc::runtime {

class Block {
public:
  explicit Block(const Allocator &allocator) : allocator(allocator) {}
  ~Block() {
    if (memory)
      allocator.release(allocator.context, memory, size);
  }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  /// False if the allocator has no memory. An empty block needs none, and one
  /// that has some keeps it.
  bool allocate(uint64_t bytes) {
    if (bytes == 0 || memory)
      return true;
    memory = allocator.allocate(allocator.context, bytes, program::kAlignment);
    size = memory ? bytes : 0;
    return memory != nullptr;
  }
  uint8_t *data() const { return static_cast<uint8_t *>(memory); }
  uint64_t bytes() const { return size; }

private:
  Allocator allocator;
  void *memory = nullptr;
  uint64_t size = 0;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_BLOCK_H

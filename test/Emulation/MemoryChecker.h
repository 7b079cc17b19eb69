// Finds wrong uses of memory by the threads of a launch: accesses outside of
// buffers, reads of what was never written, and races. Threads of one block are
// ordered by its barriers. Shuffles order lanes of a warp only so far that what
// was read before is not changed by what is written after: a warp's accesses
// reach memory in order, but what a lane wrote others need not see. Threads of
// different blocks of one launch are not ordered at all.
#ifndef MPC_TEST_EMULATION_MEMORYCHECKER_H
#define MPC_TEST_EMULATION_MEMORYCHECKER_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mpc::emulation {

class MemoryChecker {
public:
  /// What a launch finds in a buffer, and may do with it.
  enum class Content { ReadOnly, Written, Unwritten };
  /// Global memory that kernels may access. Kept until `clear`.
  void addBuffer(std::string name, void *data, size_t bytes, Content content);
  void clear() { buffers.clear(); }

  // For launch().
  void beginLaunch();
  void beginBlock(void *shared, size_t bytes);
  void beginInterval() { ++interval; }

  // For threads. Wrong accesses end the launch.
  void read(const void *address, size_t bytes);
  void write(const void *address, size_t bytes);
  /// A write that comes between now and a later `write` of the thread: until
  /// then nothing is there.
  void beginWrite(void *address, size_t bytes);

private:
  static constexpr uint32_t kMany = ~0u;

  /// Who accessed a byte last. Zero: nobody.
  struct Cell {
    uint32_t writeInterval, writeBlock, writer;
    uint32_t readInterval, readBlock, reader, readWarp, readEpoch;
    bool isWritten;
  };
  struct Buffer {
    std::string name;
    uintptr_t begin;
    std::vector<Cell> cells;
    bool isReadOnly;
  };

  bool tryRead(const void *address, size_t bytes);
  bool tryWrite(const void *address, size_t bytes);
  /// Null: outside of all buffers, and a failure was set.
  Buffer *find(const void *address, size_t bytes, const char *access);
  bool areOrdered(uint32_t otherBlock, uint32_t otherInterval,
                  uint32_t otherThread) const;
  bool isReadBefore(const Cell &cell) const;
  /// Sets a failure and returns false.
  static bool failAt(const Buffer &buffer, size_t byte,
                     const std::string &message);

  std::map<uintptr_t, Buffer> buffers; ///< By their first byte.
  Buffer shared;
  // Numbers that are never used again.
  uint32_t block = 0, interval = 0;
};

} // namespace mpc::emulation

#endif // MPC_TEST_EMULATION_MEMORYCHECKER_H

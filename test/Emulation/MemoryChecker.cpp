#include "MemoryChecker.h"
#include "GpuThreads.h"

using namespace mpc::emulation;

void MemoryChecker::addBuffer(std::string name, void *data, size_t bytes,
                              Content content) {
  Buffer &buffer = buffers[uintptr_t(data)];
  buffer = {std::move(name), uintptr_t(data), {}, content == Content::ReadOnly};
  Cell cell = {};
  cell.isWritten = content != Content::Unwritten;
  buffer.cells.assign(bytes, cell);
}

void MemoryChecker::beginLaunch() {
  for (auto &[begin, buffer] : buffers)
    for (Cell &cell : buffer.cells) {
      bool isWritten = cell.isWritten;
      cell = {};
      cell.isWritten = isWritten;
    }
}

void MemoryChecker::beginBlock(void *memory, size_t bytes) {
  shared = {"shared memory", uintptr_t(memory), {}, false};
  shared.cells.assign(bytes, Cell());
  ++block;
  ++interval;
}

void MemoryChecker::read(const void *address, size_t bytes) {
  if (!tryRead(address, bytes))
    stop();
}

void MemoryChecker::write(const void *address, size_t bytes) {
  if (!tryWrite(address, bytes))
    stop();
}

void MemoryChecker::beginWrite(void *address, size_t bytes) {
  write(address, bytes);
  Buffer &buffer = *find(address, bytes, "a write");
  size_t first = uintptr_t(address) - buffer.begin;
  for (size_t byte = first; byte < first + bytes; ++byte)
    buffer.cells[byte].isWritten = false;
}

MemoryChecker::Buffer *MemoryChecker::find(const void *address, size_t bytes,
                                           const char *access) {
  uintptr_t begin = uintptr_t(address);
  auto holds = [&](const Buffer &buffer) {
    return begin >= buffer.begin &&
           begin + bytes <= buffer.begin + buffer.cells.size();
  };
  if (holds(shared))
    return &shared;
  auto after = buffers.upper_bound(begin);
  if (after == buffers.begin()) {
    setFailure(std::string(access) + " outside of every buffer");
    return nullptr;
  }
  Buffer &buffer = std::prev(after)->second;
  if (holds(buffer))
    return &buffer;
  failAt(buffer, begin - buffer.begin,
         std::string(access) + " of " + std::to_string(bytes) +
             " bytes past the end, " + std::to_string(buffer.cells.size()));
  return nullptr;
}

bool MemoryChecker::failAt(const Buffer &buffer, size_t byte,
                           const std::string &message) {
  setFailure(buffer.name + ", byte " + std::to_string(byte) + ": " + message);
  return false;
}

/// Whether what another thread did is ordered with what this one does now.
bool MemoryChecker::areOrdered(uint32_t otherBlock, uint32_t otherInterval,
                               uint32_t otherThread) const {
  if (!otherBlock)
    return true;
  if (otherBlock != block)
    return false;
  return otherInterval != interval || otherThread == getThreadNumber();
}

/// Whether all reads of this launch come before what the thread does now.
bool MemoryChecker::isReadBefore(const Cell &cell) const {
  if (areOrdered(cell.readBlock, cell.readInterval, cell.reader))
    return true;
  return cell.readBlock == block &&
         cell.readWarp == getThreadNumber() / kWarpSize &&
         cell.readEpoch < getWarpEpoch();
}

bool MemoryChecker::tryRead(const void *address, size_t bytes) {
  Buffer *found = find(address, bytes, "a read");
  if (!found)
    return false;
  Buffer &buffer = *found;
  size_t first = uintptr_t(address) - buffer.begin;
  uint32_t thread = getThreadNumber();
  for (size_t byte = first; byte < first + bytes; ++byte) {
    Cell &cell = buffer.cells[byte];
    if (!cell.isWritten)
      return failAt(buffer, byte, "a read of what was never written");
    if (!areOrdered(cell.writeBlock, cell.writeInterval, cell.writer))
      return failAt(buffer, byte,
                    "a read races with a write of thread " +
                        std::to_string(cell.writer));
    bool isSame = cell.readBlock == block && cell.readInterval == interval;
    uint32_t warp = thread / kWarpSize;
    cell.reader = !isSame || cell.reader == thread ? thread : kMany;
    cell.readWarp = !isSame || cell.readWarp == warp ? warp : kMany;
    cell.readEpoch = getWarpEpoch();
    cell.readBlock = !cell.readBlock || cell.readBlock == block ? block : kMany;
    cell.readInterval = interval;
  }
  return true;
}

bool MemoryChecker::tryWrite(const void *address, size_t bytes) {
  Buffer *found = find(address, bytes, "a write");
  if (!found)
    return false;
  Buffer &buffer = *found;
  size_t first = uintptr_t(address) - buffer.begin;
  if (buffer.isReadOnly)
    return failAt(buffer, first, "a write to an operand");
  for (size_t byte = first; byte < first + bytes; ++byte) {
    Cell &cell = buffer.cells[byte];
    if (!areOrdered(cell.writeBlock, cell.writeInterval, cell.writer))
      return failAt(buffer, byte,
                    "a write races with a write of thread " +
                        std::to_string(cell.writer));
    if (!isReadBefore(cell))
      return failAt(buffer, byte,
                    "a write races with a read of another thread");
    cell.writeBlock = block;
    cell.writeInterval = interval;
    cell.writer = getThreadNumber();
    cell.isWritten = true;
  }
  return true;
}

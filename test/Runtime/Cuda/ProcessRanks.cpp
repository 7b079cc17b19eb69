#include "ProcessRanks.h"

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace mpc::runtime::fake;

/// Of each rank so many bytes at a time.
static constexpr uint64_t kSlotBytes = 1 << 20;

/// In front of the slots; zeros, as the file is when it is made.
struct ProcessRanks::Shared {
  std::atomic<uint32_t> arrived, meetings;
};
static constexpr uint64_t kFirstSlot = 4096;

std::string ProcessRanks::makeName() {
  return "/mpc-ranks-" + std::to_string(getpid()) + "-" +
         std::to_string(std::random_device()());
}

std::unique_ptr<ProcessRanks> ProcessRanks::join(const std::string &name,
                                                 int rank, int size) {
  uint64_t bytes = kFirstSlot + static_cast<uint64_t>(size) * kSlotBytes;
  int file = shm_open(name.c_str(), O_RDWR | O_CREAT, 0600);
  if (file < 0)
    return nullptr;
  void *memory = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0)
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED)
    return nullptr;
  std::unique_ptr<ProcessRanks> joined(
      new ProcessRanks(static_cast<Shared *>(memory), bytes, rank, size));
  joined->meet();
  if (rank == 0)
    shm_unlink(name.c_str());
  return joined;
}

ProcessRanks::~ProcessRanks() { munmap(shared, bytes); }

char *ProcessRanks::slotOf(int ofRank) const {
  return reinterpret_cast<char *>(shared) + kFirstSlot +
         static_cast<uint64_t>(ofRank) * kSlotBytes;
}

bool ProcessRanks::meet() {
  uint32_t meeting = shared->meetings;
  if (++shared->arrived == static_cast<uint32_t>(size)) {
    shared->arrived = 0;
    ++shared->meetings;
  }
  while (shared->meetings == meeting && !aborted)
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  return !aborted;
}

void ProcessRanks::allReduce(const void *source, void *result, uint64_t count,
                             uint64_t elementBytes, const Fold &fold) {
  std::vector<const void *> sources;
  for (int each = 0; each < size; ++each)
    sources.push_back(slotOf(each));
  auto *from = static_cast<const char *>(source);
  auto *to = static_cast<char *>(result);
  for (uint64_t most = kSlotBytes / elementBytes, done = 0; done < count;) {
    uint64_t part = std::min(most, count - done), at = done * elementBytes;
    std::memcpy(slotOf(rank), from + at, part * elementBytes);
    if (!meet())
      return;
    fold(sources, to + at, part);
    if (!meet()) // Before a slot is written anew.
      return;
    done += part;
  }
}

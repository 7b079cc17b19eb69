// Ranks that are processes of one machine, and what NCCL does among devices: a
// sum in memory that they share, in the order of ranks.
#ifndef MPC_TEST_RUNTIME_CUDA_PROCESSRANKS_H
#define MPC_TEST_RUNTIME_CUDA_PROCESSRANKS_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mpc::runtime::fake {

class ProcessRanks {
public:
  /// A name that no other group of the machine has.
  static std::string makeName();
  /// Returns when all ranks are there; nullptr if the name means nothing.
  static std::unique_ptr<ProcessRanks> join(const std::string &name, int rank,
                                            int size);
  ~ProcessRanks();

  /// `count` elements of each rank, in their order, become as many of the
  /// result.
  using Fold = std::function<void(const std::vector<const void *> &sources,
                                  void *result, uint64_t count)>;
  /// Every rank calls it with the same numbers; where one does not come, it
  /// waits until abort().
  void allReduce(const void *source, void *result, uint64_t count,
                 uint64_t elementBytes, const Fold &fold);
  /// From any thread: what waits returns.
  void abort() { aborted = true; }

private:
  struct Shared;
  ProcessRanks(Shared *shared, uint64_t bytes, int rank, int size)
      : shared(shared), bytes(bytes), rank(rank), size(size) {}
  /// Whether all have come.
  bool meet();
  char *slotOf(int ofRank) const;

  Shared *shared;
  uint64_t bytes;
  int rank, size;
  std::atomic<bool> aborted = false;
};

} // namespace mpc::runtime::fake

#endif // MPC_TEST_RUNTIME_CUDA_PROCESSRANKS_H

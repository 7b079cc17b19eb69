// NCCL among ranks that all hold the same numbers: a sum is this rank's value
// times their count, an average and a maximum are the value itself. Or among
// ranks that are processes, with sums and averages of what each has. Connecting
// takes as many questions as a test says; errors come when it says.
#ifndef MPC_TEST_RUNTIME_CUDA_FAKENCCL_H
#define MPC_TEST_RUNTIME_CUDA_FAKENCCL_H

#include "FakeCublasLt.h"
#include "Runtime/Cuda/Api/NcclApi.h"

#include <atomic>
#include <mutex>
#include <set>

namespace mpc::runtime::fake {

/// One at a time; it takes the place of the library while it lives.
class FakeNccl {
public:
  FakeNccl();
  ~FakeNccl();
  FakeNccl(const FakeNccl &) = delete;
  FakeNccl &operator=(const FakeNccl &) = delete;

  const NcclApi &api() const { return table; }
  /// Every call but questions for errors, as "ncclAllReduce f32 average 4".
  std::vector<std::string> calls() const;
  /// A communicator as an application would have made it.
  ncclComm_t makeCommunicator(int rank, int size);

  /// Called with the function's name at the start of each call that can fail;
  /// what it answers is the call's answer unless it is success.
  std::function<ncclResult_t(const char *function)> interfere;
  Submit submit;
  /// The ranks of a unique id are processes of this machine (ProcessRanks.h).
  bool amongProcesses = false;

  /// Questions that are answered by "in progress" after a call that NCCL does
  /// in the background; negative: for ever.
  int patience = 0;
  /// Told of each question for errors, inside of it.
  std::function<void()> onQuestion;
  /// Calls on a communicator in which another thread was, and on one that is
  /// gone: NCCL forbids both, and these are refused.
  std::atomic<int> misuses = 0;
  /// Noticed by the next question, in any thread.
  std::atomic<ncclResult_t> asyncError = ncclSuccess;
  std::atomic<int> live = 0, aborted = 0, revoked = 0;
  std::atomic<int> questions = 0;
  int openGroups = 0;
  bool blocking = true; ///< as the last communicator was configured

private:
  friend struct FakeNcclCalls;
  NcclApi table;
  int left = 0; ///< questions until what runs in the background is done
  std::atomic<int> inside = 0; ///< threads that are in a communicator
  std::set<ncclComm_t> alive;
  mutable std::mutex mutex;
  std::vector<std::string> log;
};

} // namespace mpc::runtime::fake

#endif // MPC_TEST_RUNTIME_CUDA_FAKENCCL_H

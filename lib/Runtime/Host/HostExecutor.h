// Runs programs of target "cpu": generated kernels on a thread pool,
// library calls by oneDNN. Nothing is queued: what `run` started has ended when
// it returns.
#ifndef MPC_LIB_RUNTIME_HOST_HOSTEXECUTOR_H
#define MPC_LIB_RUNTIME_HOST_HOSTEXECUTOR_H

#include "Block.h"
#include "Interpreter.h"
#include "ResultRing.h"
#include "mpc/Runtime/HostCall.h"
#include "mpc/Runtime/Session.h"
#include "mpc/Runtime/ThreadPool.h"

namespace mpc::runtime {

class HostExecutor final : public Executor {
public:
  /// `program` is runnable and outlives the executor.
  static Result<std::unique_ptr<Executor>>
  create(const Program &program, HostOptions options, const Log &log);

  Status run(uint32_t entry, std::span<const Input> inputs) override;
  bool mayHoldPart(uint32_t entry) const override {
    return entries[entry].hasBegunToWrite();
  }
  Status readState(uint64_t offset, std::span<uint8_t> bytes) override;
  Status writeState(uint64_t offset, std::span<const uint8_t> bytes) override;
  Status fillState(uint64_t offset, uint64_t bytes,
                   const FillPiece &fill) override;
  Result<std::span<const uint8_t>> output(uint32_t entry,
                                          uint32_t index) override;
  Result<std::span<const uint8_t>> result(uint32_t entry, uint32_t index,
                                          uint32_t age) override;
  Status synchronize() override { return {}; }
  Result<std::vector<uint8_t>> exportPlans() override;
  MemoryUse memory() const override;
  WaitCounts waitCounts() const override { return {}; }
  Status timeRecords(bool isOn) override;
  std::span<const RecordTime> recordTimes(uint32_t entry) const override {
    return entries[entry].recordTimes();
  }
  uint32_t rank() const override { return communicator->rank(); }
  uint32_t threads() const override { return team->size(); }
  ThreadPool *pool() override { return team.get(); }

private:
  HostExecutor(const Program &program, HostOptions options);
  void planKept();
  void dropKept();
  Status planWorkspace(const HostWorkspace &needs);
  Status planWorkspaces();
  Status makeCalls();
  Status bindCalls();
  Status checkMachineMemory() const;
  Status allocate();
  Status makePool();
  void clearState();
  void resolveEntries();
  void report(const Log &log) const;

  const Program &program;
  std::unique_ptr<Communicator> communicator;
  uint32_t wantedThreads;
  bool hasOwnAllocator; ///< The application gave one.
  Block state, arena, workspace;
  uint64_t plannedWorkspace = 0;
  uint64_t keptBytes = 0; ///< at the start of the workspace
  std::vector<std::unique_ptr<HostCall>> calls; // before the pool: it uses them
  std::unique_ptr<ThreadPool> team;
  std::vector<KeptPlan> kept; ///< by entry
  std::vector<EntryTable> entries;
  std::vector<ResultRing> rings; ///< by entry
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_HOSTEXECUTOR_H

// Runs a program on a CUDA device: each entry is one graph, built when the
// session is made. A run copies the inputs into pinned memory, enqueues their
// upload, the graph, and the download of small outputs, and returns.
//
// All memory is allocated when the session is made. Everything runs on one
// stream, the caller's if there is one, but uploads of large inputs. Once a
// call has failed on the device the session can only be destroyed: every later
// call says so.
#ifndef MPC_LIB_RUNTIME_CUDA_CUDAEXECUTOR_H
#define MPC_LIB_RUNTIME_CUDA_CUDAEXECUTOR_H

#include "Api/Platform.h"
#include "Graph/EntrySteps.h"
#include "Graph/StreamQueue.h"
#include "Slots.h"
#include "mpc/Runtime/DeviceOptions.h"
#include "mpc/Runtime/Log.h"

#include <memory>

namespace mpc::runtime {

class CudaExecutor final : public Executor {
public:
  /// See Plugin::create. `platform` outlives the executor.
  static Result<std::unique_ptr<Executor>>
  create(const Platform &platform, const program::Program &program,
         const DeviceOptions &options, const Log &log);
  ~CudaExecutor() override;

  Status run(uint32_t entry, std::span<const Input> inputs) override;
  Status readState(uint64_t offset, std::span<uint8_t> bytes) override;
  Status writeState(uint64_t offset, std::span<const uint8_t> bytes) override;
  Result<std::span<const uint8_t>> output(uint32_t entry,
                                          uint32_t index) override;
  Result<std::span<const uint8_t>> result(uint32_t entry, uint32_t index,
                                          uint32_t age) override;
  Status synchronize() override;
  Result<std::vector<uint8_t>> exportPlans() override;
  MemoryUse memory() const override;
  WaitCounts waitCounts() const override { return counts; }
  uint32_t rank() const override {
    return collectives ? collectives->rank() : 0;
  }
  uint32_t threads() const override { return 1; }

private:
  struct EntryState {
    EntrySteps steps;
    GraphExec graph; ///< none if there are no records, or with ranges
    ResultSlots results;
  };

  CudaExecutor(const Platform &platform, const program::Program &program,
               const DeviceOptions &options)
      : platform(platform), api(*platform.cuda), program(program),
        options(options) {}
  Status open(const Log &log);
  Status allocate();
  Status makeStreams();
  Status openCollectives(const Log &log);
  Status makeEntries();
  Status prepareCalls();
  Status connectRanks();
  Status buildGraph(EntryState &entry);
  Status fillMemory();

  Status enqueue(uint32_t entry, std::span<const Input> inputs);
  Status launch(EntryState &entry);
  /// Waits until the device is idle.
  Status drain();
  /// Enqueues a copy and drains.
  Status transfer(void *result, const void *source, uint64_t bytes,
                  cudaMemcpyKind kind);
  /// Runs `body` with the device current, unless a call has failed before, and
  /// remembers its failure.
  template <typename Body> Status guarded(const Body &body);

  const Platform &platform;
  const CudaApi &api;
  const program::Program &program;
  const DeviceOptions options;

  Device device;
  std::optional<Layout> layout;
  DeviceMemory deviceBlock;
  PinnedMemory pinnedBlock;
  Modules modules;
  Stream ownStream, collectiveStream;
  Event fork, join;
  cudaStream_t stream = nullptr; ///< the caller's or ownStream
  CallLibraries libraries;
  std::unique_ptr<Collectives> collectives;
  InputSlots inputSlots;
  std::vector<EntryState> entries;

  WaitCounts counts;
  Status failure; ///< the first
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CUDAEXECUTOR_H

// A CUDA device made of host memory, behind the table of cudart.
//
// It is as late as a device may be: what is enqueued runs only when somebody
// waits for it, in the order that streams, events and edges of graphs demand
// and, where they leave it open, in the reverse of the order of creation (or in
// that order, with eager). So an ordering that is missing shows. Copies move
// bytes; kernels run if they have a body.
//
// It keeps a log of calls, knows what is alive, and can let the n-th call fail.
// One fake is in use at a time.
#ifndef MPC_TEST_RUNTIME_CUDA_FAKECUDA_H
#define MPC_TEST_RUNTIME_CUDA_FAKECUDA_H

#include "FakeObjects.h"
#include "Runtime/Cuda/Api/CudaApi.h"

#include <mutex>

namespace mpc::test {

class FakeCuda {
public:
  FakeCuda();
  ~FakeCuda();

  /// Calls of the table go to this fake.
  const runtime::CudaApi &api() const;
  static FakeCuda &current();
  /// Held by every call: the watchdog of collectives has a thread.
  std::recursive_mutex mutex;

  // What the machine is like.
  int driver = 13000, devices = 1;
  cudaDeviceProp properties = {};
  uint64_t memoryLimit = uint64_t(1) << 32;
  /// Kernels of libraries by symbol, and of the host program by address.
  std::map<std::string, FakeKernel> kernels;
  std::map<const void *, FakeKernel> functions;
  /// Bytes of dynamic shared memory that were asked for beyond 48 KiB.
  std::map<const void *, size_t> sharedLimits;
  std::optional<FakeKernel> anyFunction; ///< at an address that is not there
  bool eager = false;  ///< independent nodes in their order of creation
  bool logging = true; ///< keep the log
  /// As with CUDA_LAUNCH_BLOCKING=1: a launch that is not captured waits for
  /// its kernel, and answers how that ended.
  bool blocking = false;
  /// Told at once of each rule that was not kept.
  std::function<void(const std::string &)> onBroken;

  // What fails.
  uint64_t failingCall = 0; ///< number of the call, from 1; 0: none
  uint64_t failingWork = 0; ///< number of the piece of work, from 1
  cudaError_t failure = cudaErrorUnknown;
  std::function<void()> onFailure; ///< told when the failing call comes

  // What happened.
  std::vector<std::string> log;
  uint64_t calls = 0, work = 0;
  std::vector<std::string> broken; ///< rules of CUDA that were not kept
  /// "2 events, 1 graph": what has not been given back.
  std::string alive() const;
  /// Of all calls, those of `name`.
  size_t count(const std::string &name) const;
  /// Nodes of the graph that was instantiated as number `index`.
  std::vector<std::string> nodes(size_t index) const;

  /// Enqueues what a library would: a node if the stream is under capture.
  /// `early`: as a kernel that lets the next one start before it has ended.
  cudaError_t enqueue(cudaStream_t stream, const std::string &text,
                      std::function<void()> body, bool early = false);
  /// Runs everything that is queued.
  cudaError_t runAll();
  /// "device+256", "pinned+0", "host".
  std::string place(const void *pointer) const;

private:
  friend struct FakeCalls;
  /// Begins a call: logs it, says whether it fails.
  cudaError_t enter(const std::string &name, const std::string &text = "");
  cudaError_t breakRule(const std::string &rule, cudaError_t error);
  cudaError_t addNode(FakeGraph *graph, std::span<FakeNode *const> after,
                      FakeWork work, FakeNode *&node);
  cudaError_t run(FakeWork &piece);
  cudaError_t runGraph(FakeGraph &graph);
  /// Runs `stream` up to its first `end` pieces of work since it was made.
  cudaError_t runStream(FakeStream &stream, uint64_t end);
  bool isDevice(const void *pointer, uint64_t bytes) const;
  bool isPinned(const void *pointer, uint64_t bytes) const;

  std::map<void *, uint64_t> deviceBlocks, pinnedBlocks;
  std::vector<std::unique_ptr<FakeStream>> streams;
  std::vector<std::unique_ptr<FakeEvent>> events;
  std::vector<std::unique_ptr<FakeLibrary>> libraries;
  std::vector<std::unique_ptr<FakeGraph>> graphs;
  std::vector<std::shared_ptr<FakeGraph>> execs;
  std::vector<std::vector<std::string>> instantiated;
  int currentDevice = 0;
  uint64_t used = 0;
  cudaError_t sticky = cudaSuccess;
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_CUDA_FAKECUDA_H

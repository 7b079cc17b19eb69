// What the handles of FakeCuda stand for.
#ifndef MPC_TEST_RUNTIME_CUDA_FAKEOBJECTS_H
#define MPC_TEST_RUNTIME_CUDA_FAKEOBJECTS_H

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mpc::test {

struct FakeLaunch {
  uint32_t grid, block, sharedBytes;
  void *const *arguments; ///< one address per parameter
  const void *function;   ///< as the launch named it
};

struct FakeKernel {
  std::string name;
  std::vector<size_t> parameters; ///< bytes of each
  /// Null: launches are recorded and do nothing. What went wrong, or "".
  std::function<std::string(const FakeLaunch &)> body;
};

/// Something that the device does, and how the log names it.
struct FakeWork {
  std::string text;
  std::function<cudaError_t()> body;
};

struct FakeNode {
  uint32_t number; ///< in its graph
  FakeWork work;
  std::vector<FakeNode *> after;
  int priority = 0; ///< of the stream where it was captured
};

struct FakeGraph {
  std::vector<std::unique_ptr<FakeNode>> nodes;
};

struct FakeEvent;

struct FakeStream {
  uint32_t number;
  int priority = 0;
  /// Work that was enqueued and has not run; `done` ran before.
  std::deque<FakeWork> queue;
  uint64_t done = 0;
  // Under capture.
  FakeGraph *capture = nullptr;
  bool origin = false, invalid = false;
  std::vector<FakeNode *> last; ///< what the next node waits for
  /// Not empty: of the edges to these, which then are no whole waits.
  std::vector<cudaGraphEdgeData> edges;
};

struct FakeEvent {
  uint32_t number;
  // Recorded on a stream: happened when it has done so much.
  FakeStream *stream = nullptr;
  uint64_t at = 0;
  // Recorded under capture.
  FakeGraph *capture = nullptr;
  std::vector<FakeNode *> nodes;
};

struct FakeLibrary {
  std::vector<std::unique_ptr<FakeKernel>> kernels;
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_CUDA_FAKEOBJECTS_H

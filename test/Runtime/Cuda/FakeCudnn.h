// cuDNN's backend on host memory: descriptors as NVIDIA documents them, graphs
// run by FakeCudnnMath. It recognizes every graph, so which of them the library
// recognizes is a question for the library (see CudnnLibraryTest).
#ifndef MPC_TEST_RUNTIME_CUDA_FAKECUDNN_H
#define MPC_TEST_RUNTIME_CUDA_FAKECUDNN_H

#include "Runtime/Cuda/Api/CudnnApi.h"

#include <driver_types.h>
#include <functional>
#include <map>
#include <vector>

namespace mpc::runtime::fake {

/// One at a time; it takes the place of the library while it lives.
class FakeCudnn {
public:
  FakeCudnn();
  ~FakeCudnn();
  FakeCudnn(const FakeCudnn &) = delete;
  FakeCudnn &operator=(const FakeCudnn &) = delete;

  const CudnnApi &api() const { return table; }

  /// Called with the function's name at the start of each call that can fail;
  /// what it answers is the call's answer unless it is success.
  std::function<cudnnStatus_t(const char *function)> interfere;
  /// Where a graph that is executed goes; it answers what went wrong.
  std::function<void(cudaStream_t stream, std::function<std::string()> work)>
      submit;

  /// Does the work of a graph in its place, on the addresses of its tensors.
  std::function<void(const std::map<int64_t, void *> &places)> replace;

  /// Called when a handle is destroyed.
  std::function<void()> closes;

  size_t version = 91900;
  int proposals = 2; ///< engines by the first heuristic
  int broken = 0;    ///< so many of the first become no plan
  /// What is noted of each engine; nothing of those behind the last.
  std::vector<std::vector<cudnnBackendNumericalNote_t>> notes;
  int64_t workspace = 256; ///< of each plan; overwritten when it runs
  int plans = 0;           ///< made so far
  int executed = 0;
  int live = 0; ///< handles and descriptors that are not destroyed

private:
  CudnnApi table;
};

} // namespace mpc::runtime::fake

#endif // MPC_TEST_RUNTIME_CUDA_FAKECUDNN_H

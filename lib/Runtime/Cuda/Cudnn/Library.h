// cuDNN opened on a device for one kind of call, and the plans that it has: one
// for each problem, shared by the calls that have it.
#ifndef MPC_LIB_RUNTIME_CUDA_CUDNN_LIBRARY_H
#define MPC_LIB_RUNTIME_CUDA_CUDNN_LIBRARY_H

#include "../Api/Platform.h"
#include "Plan.h"
#include "mpc/Program/Calls.h"

#include <map>

namespace mpc::runtime {

/// What the plan of a call depends on.
using CudnnProblem = std::vector<int64_t>;
/// How an operand lies; null is told apart from every one.
void addOperand(CudnnProblem &problem, const program::CallOperand *operand);

class CudnnLibrary {
public:
  /// `platform` outlives it.
  CudnnLibrary(const Platform &platform, int ordinal)
      : platform(platform), ordinal(ordinal) {}
  ~CudnnLibrary();
  CudnnLibrary(const CudnnLibrary &) = delete;
  CudnnLibrary &operator=(const CudnnLibrary &) = delete;

  /// What came of it: the library is opened the first time.
  const Status &open();

  // Of one that is open.
  const CudnnApi &api() const { return *functions; }
  cudnnHandle_t handle() const { return opened; }
  size_t version() const { return functions->cudnnGetVersion(); }
  Result<Plan> plan(Graph graph, const RefusedNotes &refused = {}) const {
    return Plan::make(*functions, device, std::move(graph), refused);
  }

  /// The plan of a problem, or why there is none: what `make` said the first
  /// time.
  const Result<Plan> &find(CudnnProblem problem,
                           const std::function<Result<Plan>()> &make);

private:
  Status openOnce();

  const Platform &platform;
  int ordinal;
  std::optional<Status> outcome; ///< once tried
  const CudnnApi *functions = nullptr;
  cudnnHandle_t opened = nullptr;
  Descriptor device;
  std::map<CudnnProblem, Result<Plan>> plans;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CUDNN_LIBRARY_H

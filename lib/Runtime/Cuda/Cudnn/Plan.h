// What cuDNN found for a graph on a device: one of its engines, compiled.
#ifndef MPC_LIB_RUNTIME_CUDA_CUDNN_PLAN_H
#define MPC_LIB_RUNTIME_CUDA_CUDNN_PLAN_H

#include "Graph.h"

#include <functional>
#include <string_view>

namespace mpc::runtime {

/// The device that plans are made for: one of this machine, or by the
/// properties that the library wrote of one of another machine (JSON).
Result<Descriptor> describeDevice(const CudnnApi &api, int32_t ordinal);
Result<Descriptor> describeDevice(const CudnnApi &api,
                                  std::string_view properties);

/// The next multiple of what workspaces, and their parts, begin at.
constexpr uint64_t alignWorkspace(uint64_t bytes) {
  return (bytes + 255) / 256 * 256;
}

/// What engines may not do to the numbers of a graph.
using RefusedNotes = std::vector<cudnnBackendNumericalNote_t>;

/// Makes no use of addresses: calls on any share it.
class Plan {
public:
  /// Compiles the library's favourite that works, and of which it notes nothing
  /// that is refused. LibraryError where it has none: what it said of the last
  /// one that it tried, or why none was.
  static Result<Plan> make(const CudnnApi &api, const Descriptor &device,
                           Graph graph, const RefusedNotes &refused = {});

  const Graph &graph() const { return computed; }
  /// Device memory while it runs, at a multiple of 256; a multiple itself.
  uint64_t workspaceBytes() const { return alignWorkspace(workspace); }

  /// The addresses of all tensors, for Plan::enqueue. `locate` answers where
  /// the tensor of a role lies.
  Result<Descriptor> bind(const std::function<void *(int role)> &locate,
                          void *workspace) const;
  /// On the stream of `handle`. Allocates nothing on the device; may be
  /// captured.
  Status enqueue(cudnnHandle_t handle, const Descriptor &bound) const;

private:
  Plan(const CudnnApi &api, Graph graph)
      : api(&api), computed(std::move(graph)) {}

  struct Choice;
  /// Whether one of the proposals of a heuristic became the plan.
  Result<bool> choose(cudnnBackendHeurMode_t mode, Choice &choice);

  const CudnnApi *api;
  Graph computed;
  Descriptor plan;
  uint64_t workspace = 0;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CUDNN_PLAN_H

#include "GraphQueue.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;

Status GraphQueue::start() {
  // Relaxed: libraries may load a kernel for the first time.
  if (auto error =
          api.cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed))
    return makeStatus(api, error, "cudaStreamBeginCapture");
  capturing = true;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (auto error = api.cudaStreamGetCaptureInfo(
          stream, &status, nullptr, &graph, nullptr, nullptr, nullptr))
    return makeStatus(api, error, "cudaStreamGetCaptureInfo");
  return {};
}

Result<Graph> GraphQueue::endCapture() {
  capturing = false;
  cudaGraph_t captured = nullptr;
  cudaError_t error = api.cudaStreamEndCapture(stream, &captured);
  Graph owned(api, captured); // null if the capture has become invalid
  if (error != cudaSuccess)
    return makeStatus(api, error, "cudaStreamEndCapture");
  return owned;
}

GraphQueue::~GraphQueue() {
  if (capturing)
    (void)endCapture();
}

/// Adds what is not there yet.
static void merge(std::vector<cudaGraphNode_t> &nodes,
                  const std::vector<cudaGraphNode_t> &more) {
  for (cudaGraphNode_t node : more)
    if (std::ranges::find(nodes, node) == nodes.end())
      nodes.push_back(node);
}

Status GraphQueue::begin(std::span<const uint32_t> after, const char *) {
  last.clear();
  for (uint32_t record : after) {
    merge(last, tails[record]);
    awaited[record] = true;
  }
  return {};
}

Status GraphQueue::end() {
  tails.push_back(last);
  awaited.push_back(false);
  return {};
}

Status GraphQueue::kernel(const KernelCall &call) {
  cudaKernelNodeParams parameters = {};
  parameters.func = const_cast<void *>(call.function);
  parameters.gridDim = {call.grid, 1, 1};
  parameters.blockDim = {call.block, 1, 1};
  parameters.sharedMemBytes = call.sharedBytes;
  parameters.kernelParams = call.parameters;
  cudaGraphNode_t node = nullptr;
  if (auto error = api.cudaGraphAddKernelNode(&node, graph, last.data(),
                                              last.size(), &parameters))
    return makeStatus(api, error, "cudaGraphAddKernelNode");
  last = {node};
  return {};
}

Status GraphQueue::copy(void *result, const void *source, uint64_t bytes) {
  cudaGraphNode_t node = nullptr;
  if (auto error = api.cudaGraphAddMemcpyNode1D(
          &node, graph, last.data(), last.size(), result, source, bytes,
          cudaMemcpyDeviceToDevice))
    return makeStatus(api, error, "cudaGraphAddMemcpyNode1D");
  last = {node};
  return {};
}

Status GraphQueue::fill(void *result, uint64_t bytes) {
  cudaMemsetParams parameters = {};
  parameters.dst = result;
  // Words where it is made of them: they are faster.
  bool words = bytes % 4 == 0 && reinterpret_cast<uintptr_t>(result) % 4 == 0;
  parameters.elementSize = words ? 4 : 1;
  parameters.width = bytes / parameters.elementSize;
  parameters.height = 1;
  parameters.pitch = bytes;
  cudaGraphNode_t node = nullptr;
  if (auto error = api.cudaGraphAddMemsetNode(&node, graph, last.data(),
                                              last.size(), &parameters))
    return makeStatus(api, error, "cudaGraphAddMemsetNode");
  last = {node};
  return {};
}

Status GraphQueue::setCaptureDependencies(const Nodes &nodes) {
  auto error = api.cudaStreamUpdateCaptureDependencies(
      stream, const_cast<cudaGraphNode_t *>(nodes.data()), nullptr,
      nodes.size(), cudaStreamSetCaptureDependencies);
  return makeStatus(api, error, "cudaStreamUpdateCaptureDependencies");
}

Result<GraphQueue::Nodes> GraphQueue::captureDependencies(cudaStream_t of) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t *nodes = nullptr;
  // A library that lets its next kernel start early (programmatic launches)
  // leaves edges with data, and CUDA refuses to name the nodes without it
  // (cudaErrorLossyQuery). It is not kept: to wait for the whole node is right
  // for whoever comes next.
  const cudaGraphEdgeData *edges = nullptr;
  size_t count = 0;
  if (auto error = api.cudaStreamGetCaptureInfo(of, &status, nullptr, nullptr,
                                                &nodes, &edges, &count))
    return makeStatus(api, error, "cudaStreamGetCaptureInfo");
  if (status != cudaStreamCaptureStatusActive)
    return Status(StatusCode::DeviceFailed,
                  "expected the capture to go on, but it has become invalid");
  return Nodes(nodes, nodes + count);
}

Status GraphQueue::library(const Enqueue &call) {
  if (Status status = setCaptureDependencies(last); !status.ok())
    return status;
  if (Status status = call(stream); !status.ok())
    return status;
  Result<Nodes> nodes = captureDependencies(stream);
  if (!nodes)
    return nodes.status();
  last = std::move(*nodes);
  return {};
}

Status GraphQueue::collective(const Enqueue &call) {
  if (Status status = setCaptureDependencies(last); !status.ok())
    return status;
  if (auto error = api.cudaEventRecord(line.fork, stream))
    return makeStatus(api, error, "cudaEventRecord");
  if (auto error = api.cudaStreamWaitEvent(line.stream, line.fork, 0))
    return makeStatus(api, error, "cudaStreamWaitEvent");
  forked = true;
  if (Status status = call(line.stream); !status.ok())
    return status;
  Result<Nodes> nodes = captureDependencies(line.stream);
  if (!nodes)
    return nodes.status();
  last = std::move(*nodes);
  return {};
}

/// What no record waits for.
GraphQueue::Nodes GraphQueue::leaves() const {
  Nodes nodes;
  for (size_t i = 0; i < tails.size(); ++i)
    if (!awaited[i])
      merge(nodes, tails[i]);
  return nodes;
}

Result<GraphExec> GraphQueue::finish() {
  // A capture ends where it began, with everything that was forked off joined.
  if (Status status = setCaptureDependencies(leaves()); !status.ok())
    return status;
  if (forked) {
    if (auto error = api.cudaEventRecord(line.join, line.stream))
      return makeStatus(api, error, "cudaEventRecord");
    if (auto error = api.cudaStreamWaitEvent(stream, line.join, 0))
      return makeStatus(api, error, "cudaStreamWaitEvent");
  }
  Result<Graph> captured = endCapture();
  if (!captured)
    return captured.status();
  cudaGraphExec_t exec = nullptr;
  // Else all nodes would have the priority of the stream that the graph is
  // launched into, and not that of the line where they were captured.
  unsigned long long flags =
      forked ? cudaGraphInstantiateFlagUseNodePriority : 0;
  if (auto error = api.cudaGraphInstantiate(&exec, captured->get(), flags))
    return makeStatus(api, error, "cudaGraphInstantiate");
  return GraphExec(api, exec);
}

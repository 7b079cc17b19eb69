// Captures and graphs.
#include "FakeCalls.h"

#include <algorithm>
#include <set>

using namespace mpc;
using namespace mpc::test;
using Calls = FakeCalls;

static FakeGraph *graphOf(cudaGraph_t handle) {
  return reinterpret_cast<FakeGraph *>(handle);
}
static std::string name(const FakeStream *stream) {
  return "stream" + std::to_string(stream->number);
}
/// "after 0 3": which nodes.
static std::string list(std::span<FakeNode *const> nodes) {
  std::set<uint32_t> numbers;
  for (const FakeNode *node : nodes)
    numbers.insert(node->number);
  std::string text = "after";
  for (uint32_t number : numbers)
    text += " " + std::to_string(number);
  return numbers.empty() ? "first" : text;
}
static std::span<FakeNode *const> toNodes(const cudaGraphNode_t *nodes,
                                          size_t count) {
  return {reinterpret_cast<FakeNode *const *>(nodes), count};
}

static cudaError_t beginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  FakeStream *stream = Calls::stream(handle);
  if (auto error = Calls::enter("cudaStreamBeginCapture", name(stream)))
    return error;
  if (stream->capture)
    return Calls::breakRule("a capture inside a capture",
                            cudaErrorIllegalState);
  Calls::graphs().push_back(std::make_unique<FakeGraph>());
  stream->capture = Calls::graphs().back().get();
  stream->origin = true;
  stream->last.clear();
  stream->edges.clear();
  return cudaSuccess;
}
static cudaError_t getCaptureInfo(cudaStream_t handle,
                                  cudaStreamCaptureStatus *status,
                                  unsigned long long *, cudaGraph_t *graph,
                                  const cudaGraphNode_t **nodes,
                                  const cudaGraphEdgeData **edges,
                                  size_t *count) {
  FakeStream *stream = Calls::stream(handle);
  if (auto error = Calls::enter("cudaStreamGetCaptureInfo", name(stream)))
    return error;
  // "If called with non-NULL dependencies_out and NULL edgeData_out, but there
  // is non-zero edge data": cuda_runtime_api.h.
  if (nodes && !edges && !stream->edges.empty())
    return cudaErrorLossyQuery;
  if (edges)
    *edges = stream->edges.empty() ? nullptr : stream->edges.data();
  *status = stream->capture ? cudaStreamCaptureStatusActive
                            : cudaStreamCaptureStatusNone;
  if (graph)
    *graph = reinterpret_cast<cudaGraph_t>(stream->capture);
  if (nodes)
    *nodes = reinterpret_cast<const cudaGraphNode_t *>(stream->last.data());
  if (count)
    *count = stream->last.size();
  return cudaSuccess;
}
static cudaError_t updateDependencies(cudaStream_t handle,
                                      cudaGraphNode_t *nodes,
                                      const cudaGraphEdgeData *, size_t count,
                                      unsigned flags) {
  FakeStream *stream = Calls::stream(handle);
  auto set = toNodes(nodes, count);
  if (auto error = Calls::enter("cudaStreamUpdateCaptureDependencies",
                                name(stream) + " " + list(set)))
    return error;
  if (!stream->capture)
    return Calls::breakRule("no capture", cudaErrorIllegalState);
  std::vector<FakeNode *> chosen(set.begin(), set.end());
  if (flags != cudaStreamSetCaptureDependencies)
    chosen.insert(chosen.end(), stream->last.begin(), stream->last.end());
  stream->last = std::move(chosen);
  stream->edges.clear(); // no data given: whole waits
  return cudaSuccess;
}

/// All nodes that come before `nodes`, and these.
static std::set<FakeNode *> reach(const std::vector<FakeNode *> &nodes) {
  std::set<FakeNode *> found;
  std::vector<FakeNode *> open = nodes;
  while (!open.empty()) {
    FakeNode *node = open.back();
    open.pop_back();
    if (found.insert(node).second)
      open.insert(open.end(), node->after.begin(), node->after.end());
  }
  return found;
}

static cudaError_t endCapture(cudaStream_t handle, cudaGraph_t *graph) {
  FakeStream *stream = Calls::stream(handle);
  cudaError_t error = Calls::enter("cudaStreamEndCapture", name(stream));
  FakeGraph *captured = stream->capture;
  if (!captured || !stream->origin)
    return Calls::breakRule("the end of no capture", cudaErrorIllegalState);
  std::set<FakeNode *> joined = reach(stream->last);
  bool unjoined = false;
  for (const auto &other : Calls::streams()) {
    if (other->capture != captured)
      continue;
    for (FakeNode *node : other->last)
      unjoined |= !joined.contains(node);
    other->capture = nullptr;
    other->origin = false;
    other->last.clear();
    other->edges.clear();
  }
  if (!error && unjoined)
    error = cudaErrorStreamCaptureUnjoined;
  if (error) {
    (void)Calls::release(Calls::graphs(), captured, "graph");
    *graph = nullptr;
    return error;
  }
  *graph = reinterpret_cast<cudaGraph_t>(captured);
  return cudaSuccess;
}

static cudaError_t addNode(const char *call, cudaGraphNode_t *made,
                           cudaGraph_t graph, const cudaGraphNode_t *after,
                           size_t count, FakeWork work) {
  auto nodes = toNodes(after, count);
  if (auto error = Calls::enter(call, work.text + " " + list(nodes)))
    return error;
  if (!work.body)
    return cudaErrorInvalidValue;
  FakeNode *node = nullptr;
  cudaError_t error =
      Calls::addNode(graphOf(graph), nodes, std::move(work), node);
  *made = reinterpret_cast<cudaGraphNode_t>(node);
  return error;
}
static cudaError_t addKernelNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                 const cudaGraphNode_t *after, size_t count,
                                 const cudaKernelNodeParams *call) {
  return addNode("cudaGraphAddKernelNode", made, graph, after, count,
                 Calls::makeLaunch(call->func, call->gridDim, call->blockDim,
                                   call->sharedMemBytes, call->kernelParams));
}
static cudaError_t addMemcpyNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                 const cudaGraphNode_t *after, size_t count,
                                 void *result, const void *source, size_t bytes,
                                 cudaMemcpyKind kind) {
  return addNode("cudaGraphAddMemcpyNode1D", made, graph, after, count,
                 Calls::makeCopy(result, source, bytes, kind));
}
static cudaError_t addMemsetNode(cudaGraphNode_t *made, cudaGraph_t graph,
                                 const cudaGraphNode_t *after, size_t count,
                                 const cudaMemsetParams *call) {
  return addNode("cudaGraphAddMemsetNode", made, graph, after, count,
                 Calls::makeFill(call->dst, static_cast<int>(call->value),
                                 call->width * call->elementSize));
}

static cudaError_t graphDestroy(cudaGraph_t graph) {
  cudaError_t error = Calls::enter("cudaGraphDestroy");
  cudaError_t other =
      Calls::release(Calls::graphs(), reinterpret_cast<void *>(graph), "graph");
  return error ? error : other;
}
static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                               unsigned long long flags) {
  if (auto error = Calls::enter("cudaGraphInstantiate"))
    return error;
  bool keepsPriorities = flags & cudaGraphInstantiateFlagUseNodePriority;
  auto copy = std::make_shared<FakeGraph>();
  std::vector<std::string> lines;
  for (const auto &node : graphOf(graph)->nodes) {
    FakeNode *made = nullptr;
    (void)Calls::addNode(copy.get(), {}, node->work, made);
    for (const FakeNode *before : node->after)
      made->after.push_back(copy->nodes[before->number].get());
    lines.push_back(node->work.text + " " + list(node->after));
    if (keepsPriorities && node->priority)
      lines.back() += " priority " + std::to_string(node->priority);
  }
  Calls::instantiated().push_back(std::move(lines));
  *exec = reinterpret_cast<cudaGraphExec_t>(copy.get());
  Calls::execs().push_back(std::move(copy));
  return cudaSuccess;
}
static cudaError_t execDestroy(cudaGraphExec_t exec) {
  cudaError_t error = Calls::enter("cudaGraphExecDestroy");
  cudaError_t other = Calls::release(
      Calls::execs(), reinterpret_cast<void *>(exec), "executable graph");
  return error ? error : other;
}
static cudaError_t graphUpload(cudaGraphExec_t, cudaStream_t stream) {
  return Calls::enter("cudaGraphUpload", name(Calls::stream(stream)));
}
static cudaError_t graphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
  if (auto error = Calls::enter("cudaGraphLaunch", name(Calls::stream(stream))))
    return error;
  for (const auto &exec : Calls::execs())
    if (exec.get() == reinterpret_cast<FakeGraph *>(handle))
      return Calls::submit(
          Calls::stream(stream),
          {"graph", [exec] { return Calls::runGraph(*exec); }});
  return Calls::breakRule("no such executable graph", cudaErrorInvalidValue);
}

void FakeCalls::fillGraphs(runtime::CudaApi &api) {
  api.cudaStreamBeginCapture = Locked<beginCapture>::call;
  api.cudaStreamGetCaptureInfo = Locked<getCaptureInfo>::call;
  api.cudaStreamUpdateCaptureDependencies = Locked<updateDependencies>::call;
  api.cudaStreamEndCapture = Locked<endCapture>::call;
  api.cudaGraphAddKernelNode = Locked<addKernelNode>::call;
  api.cudaGraphAddMemcpyNode1D = Locked<addMemcpyNode>::call;
  api.cudaGraphAddMemsetNode = Locked<addMemsetNode>::call;
  api.cudaGraphDestroy = Locked<graphDestroy>::call;
  api.cudaGraphInstantiate = Locked<instantiate>::call;
  api.cudaGraphExecDestroy = Locked<execDestroy>::call;
  api.cudaGraphUpload = Locked<graphUpload>::call;
  api.cudaGraphLaunch = Locked<graphLaunch>::call;
}

const runtime::CudaApi &FakeCuda::api() const {
  static const runtime::CudaApi api = [] {
    runtime::CudaApi made;
    FakeCalls::fillDevice(made);
    FakeCalls::fillStreams(made);
    FakeCalls::fillGraphs(made);
    return made;
  }();
  return api;
}

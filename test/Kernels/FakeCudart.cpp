// The functions of cudart that the driver of kernels/ calls, on a device made
// of host memory and emulated threads: the driver's own code runs without a
// GPU. Launches run at once; captured ones when their graph does.
#include "Kernels/EmulatedKernels.h"
#include "kernels/driver/Fill.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <functional>

using namespace mpc;

struct CUgraph_st {
  std::vector<std::function<cudaError_t()>> nodes;
};
struct CUgraphExec_st {
  CUgraph_st graph;
};
struct CUstream_st {
  CUgraph_st *capturing = nullptr;
};
struct CUevent_st {
  double milliseconds = 0;
};

/// Milliseconds of this device: one per node, and per launch without a graph.
static double now = 0;

static cudaError_t queue(cudaStream_t stream,
                         std::function<cudaError_t()> node) {
  if (!stream->capturing) {
    now += 1;
    return node();
  }
  stream->capturing->nodes.push_back(std::move(node));
  return cudaSuccess;
}

cudaError_t kernels::fillRandom(void *data, DType type, uint64_t count,
                                float low, float high, uint64_t, cudaStream_t) {
  for (uint64_t i = 0; i < count; ++i) {
    float value = low + (high - low) * float(i % 997) / 997;
    uint16_t bits =
        type == DType::F16 ? floatToHalf(value) : floatToBFloat(value);
    if (type == DType::F32)
      static_cast<float *>(data)[i] = value;
    else
      static_cast<uint16_t *>(data)[i] = bits;
  }
  return cudaSuccess;
}

extern "C" {
const char *cudaGetErrorString(cudaError_t) { return "a made-up failure"; }
cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  std::memset(properties, 0, sizeof *properties);
  std::strcpy(properties->name, "made-up card");
  properties->multiProcessorCount = 2;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes) {
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void *memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return queue(stream, [=] { return cudaMemcpy(to, from, bytes, kind); });
}
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute attribute,
                                 int bytes) {
  return attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && bytes >= 0
             ? cudaSuccess
             : cudaErrorInvalidValue;
}
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block,
                             void **arguments, size_t sharedBytes,
                             cudaStream_t stream) {
  std::vector<const void *> attention = test::findAttentionKernels();
  if (std::ranges::count(attention, function)) {
    auto parameters =
        *static_cast<kernels::AttentionParameters *>(arguments[0]);
    auto bytes = static_cast<uint32_t>(sharedBytes);
    return queue(stream, [=] {
      return test::runAttention(function, grid.x, block.x, bytes, parameters)
                     .empty()
                 ? cudaSuccess
                 : cudaErrorLaunchFailure;
    });
  }
  auto parameters = *static_cast<kernels::Parameters *>(arguments[0]);
  return queue(stream, [=] {
    return test::runKernel(function, grid.x, block.x, parameters).empty()
               ? cudaSuccess
               : cudaErrorLaunchFailure;
  });
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return stream->capturing ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  stream->capturing = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  *graph = std::exchange(stream->capturing, nullptr);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long) {
  *exec = new CUgraphExec_st{*graph};
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t) {
  for (auto &node : exec->graph.nodes) {
    now += 1;
    if (cudaError_t error = node(); error != cudaSuccess)
      return error;
  }
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->milliseconds = now;
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t first,
                                 cudaEvent_t last) {
  *milliseconds = float(last->milliseconds - first->milliseconds);
  return cudaSuccess;
}
}

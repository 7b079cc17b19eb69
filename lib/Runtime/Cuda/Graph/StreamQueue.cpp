#include "StreamQueue.h"

using namespace mpc;
using namespace mpc::runtime;

StreamQueue::~StreamQueue() {
  if (open)
    marker.pop();
}

Status StreamQueue::begin(std::span<const uint32_t>, const char *name) {
  marker.push(name);
  open = true;
  return {};
}

Status StreamQueue::end() {
  marker.pop();
  open = false;
  return {};
}

Status StreamQueue::kernel(const KernelCall &call) {
  cudaLaunchConfig_t config = {};
  config.gridDim = {call.grid, 1, 1};
  config.blockDim = {call.block, 1, 1};
  config.dynamicSmemBytes = call.sharedBytes;
  config.stream = stream;
  auto error = api.cudaLaunchKernelExC(&config, call.function, call.parameters);
  return makeStatus(api, error, "cudaLaunchKernelExC");
}

Status StreamQueue::copy(void *result, const void *source, uint64_t bytes) {
  auto error = api.cudaMemcpyAsync(result, source, bytes,
                                   cudaMemcpyDeviceToDevice, stream);
  return makeStatus(api, error, "cudaMemcpyAsync");
}

Status StreamQueue::fill(void *result, uint64_t bytes) {
  auto error = api.cudaMemsetAsync(result, 0, bytes, stream);
  return makeStatus(api, error, "cudaMemsetAsync");
}

Status StreamQueue::library(const Enqueue &call) { return call(stream); }

Status StreamQueue::collective(const Enqueue &call) {
  if (auto error = api.cudaEventRecord(line.fork, stream))
    return makeStatus(api, error, "cudaEventRecord");
  if (auto error = api.cudaStreamWaitEvent(line.stream, line.fork, 0))
    return makeStatus(api, error, "cudaStreamWaitEvent");
  if (Status status = call(line.stream); !status.ok())
    return status;
  if (auto error = api.cudaEventRecord(line.join, line.stream))
    return makeStatus(api, error, "cudaEventRecord");
  auto error = api.cudaStreamWaitEvent(stream, line.join, 0);
  return makeStatus(api, error, "cudaStreamWaitEvent");
}

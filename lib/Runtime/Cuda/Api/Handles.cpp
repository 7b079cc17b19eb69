#include "Handles.h"

using namespace mpc;
using namespace mpc::runtime;

Result<Stream> runtime::makeStream(const CudaApi &api) {
  cudaStream_t stream = nullptr;
  cudaError_t error =
      api.cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error != cudaSuccess)
    return makeStatus(api, error, "cudaStreamCreateWithFlags");
  return Stream(api, stream);
}

Result<Stream> runtime::makeUrgentStream(const CudaApi &api) {
  int least = 0, greatest = 0;
  if (auto error = api.cudaDeviceGetStreamPriorityRange(&least, &greatest))
    return makeStatus(api, error, "cudaDeviceGetStreamPriorityRange");
  cudaStream_t stream = nullptr;
  if (auto error = api.cudaStreamCreateWithPriority(
          &stream, cudaStreamNonBlocking, greatest))
    return makeStatus(api, error, "cudaStreamCreateWithPriority");
  return Stream(api, stream);
}

Result<Event> runtime::makeEvent(const CudaApi &api) {
  cudaEvent_t event = nullptr;
  cudaError_t error =
      api.cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  if (error != cudaSuccess)
    return makeStatus(api, error, "cudaEventCreateWithFlags");
  return Event(api, event);
}

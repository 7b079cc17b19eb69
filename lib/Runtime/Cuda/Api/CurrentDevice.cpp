#include "CurrentDevice.h"

using namespace mpc;
using namespace mpc::runtime;

CurrentDevice::CurrentDevice(const CudaApi &api, int device)
    : api(api), before(device), device(device) {
  if (cudaError_t error = api.cudaGetDevice(&before); error != cudaSuccess) {
    before = device;
    failure = makeStatus(api, error, "cudaGetDevice");
  } else if (before != device) {
    failure = makeStatus(api, api.cudaSetDevice(device), "cudaSetDevice");
  }
}

CurrentDevice::~CurrentDevice() {
  if (before != device)
    (void)api.cudaSetDevice(before);
}

#include "kernels/Formats.h"
#include "kernels/driver/Fill.h"

using namespace mpc;
using namespace mpc::kernels;

namespace {
/// The finalizer of splitmix64: neighbours become unlike.
__device__ uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

__device__ void store(float &at, float value) { at = value; }
__device__ void store(Half &at, float value) { at = narrow<Half>(value); }
__device__ void store(BFloat &at, float value) { at = narrow<BFloat>(value); }

template <typename T>
__global__ void __launch_bounds__(256)
    fill(T *data, uint64_t count, float low, float high, uint64_t seed) {
  uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    uint64_t bits = mix((i + 1) * 0x9e3779b97f4a7c15 + seed);
    store(data[i], low + (high - low) * (float(bits >> 40) * 0x1p-24f));
  }
}
} // namespace

cudaError_t kernels::fillRandom(void *data, DType type, uint64_t count,
                                float low, float high, uint64_t seed,
                                cudaStream_t stream) {
  constexpr unsigned grid = 1024, block = 256;
  switch (type) {
  case DType::F32:
    fill<<<grid, block, 0, stream>>>(static_cast<float *>(data), count, low,
                                     high, seed);
    break;
  case DType::F16:
    fill<<<grid, block, 0, stream>>>(static_cast<Half *>(data), count, low,
                                     high, seed);
    break;
  case DType::BF16:
    fill<<<grid, block, 0, stream>>>(static_cast<BFloat *>(data), count, low,
                                     high, seed);
    break;
  default:
    return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

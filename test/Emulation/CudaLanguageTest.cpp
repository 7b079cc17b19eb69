// CUDA C++ compiled as plain C++.
#include "Emulation/CudaLanguage.h"
#include <gtest/gtest.h>
#include <vector>

using namespace mpc::emulation;

namespace {
template <bool synchronize>
__global__ void sumBlocks(const float *x, float *y, int size) {
  __shared__ float parts[8];
  float sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < unsigned(size);
       i += gridDim.x * blockDim.x)
    sum += x[i];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = sum;
  if (synchronize)
    __syncthreads();
  if (threadIdx.x < 32) {
    float part = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    for (int offset = 4; offset > 0; offset /= 2)
      part += __shfl_down_sync(0xffffffff, part, offset, 8);
    if (threadIdx.x == 0)
      y[blockIdx.x] = part;
  }
}

__global__ void countPositive(const float *x, unsigned *count) {
  unsigned bits = __ballot_sync(0xffffffff, x[threadIdx.x] > 0);
  if (threadIdx.x % 32 == 0)
    atomicAdd(count, std::popcount(bits));
}
} // namespace

TEST(CudaLanguage, kernelsRunAsOnAGpu) {
  std::vector<float> x(10000), y(4);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i % 17);
  EXPECT_EQ(launchKernel({.grid = {4}, .block = {256}},
                         [&] { sumBlocks<true>(x.data(), y.data(), 10000); }),
            "");
  float sum = 0; // Of integers below 2^24: exact in any order.
  for (float value : x)
    sum += value;
  EXPECT_EQ(y[0] + y[1] + y[2] + y[3], sum);
}

TEST(CudaLanguage, aMissingBarrierShows) {
  std::vector<float> x(10000, 1), y(4);
  EXPECT_EQ(launchKernel({.grid = {4}, .block = {256}},
                         [&] { sumBlocks<false>(x.data(), y.data(), 10000); }),
            "");
  EXPECT_NE(y[0] + y[1] + y[2] + y[3], 10000);
}

TEST(CudaLanguage, votesAndAtomics) {
  std::vector<float> x(64, -1);
  x[3] = x[40] = x[41] = 1;
  unsigned count = 0;
  EXPECT_EQ(
      launchKernel({.block = {64}}, [&] { countPositive(x.data(), &count); }),
      "");
  EXPECT_EQ(count, 3u);
}

TEST(CudaLanguage, oneBlockRunsAtATime) {
  EXPECT_EQ(launchKernel({.hostThreads = 2}, [] {}),
            "kernels with shared variables run on one host thread");
}

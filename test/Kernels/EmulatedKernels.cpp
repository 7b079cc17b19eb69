#include "Kernels/EmulatedKernels.h"
#include "Kernels/KernelLanguage.h"
#include "kernels/Attention/Kernels.h"
#include <algorithm>
#include <cstdlib>

using namespace mpc;
using namespace mpc::test;

static std::vector<Barrier> barriers;
static std::optional<Barrier> removed;

std::vector<Barrier> test::takeBarriers() {
  return std::exchange(barriers, {});
}
void test::removeBarrier(std::optional<Barrier> barrier) {
  removed = std::move(barrier);
}

void test::synchronizeAt(const char *file, int line) {
  Barrier barrier{file, line};
  if (std::ranges::find(barriers, barrier) == barriers.end())
    barriers.push_back(barrier);
  if (removed != barrier)
    emulation::barrier(uint32_t(line));
}

std::string test::runKernel(const void *function, uint32_t grid, uint32_t block,
                            const kernels::Parameters &parameters,
                            uint64_t seed) {
  auto *kernel = reinterpret_cast<void (*)(kernels::Parameters)>(
      const_cast<void *>(function));
  return emulation::launchKernel(
      {.grid = {grid}, .block = {block}, .seed = seed},
      [&] { kernel(parameters); });
}

std::string test::runAttention(const void *function, uint32_t grid,
                               uint32_t block, uint32_t sharedBytes,
                               const kernels::AttentionParameters &parameters,
                               uint64_t seed) {
  auto *kernel = reinterpret_cast<void (*)(kernels::AttentionParameters)>(
      const_cast<void *>(function));
  kernels::forgetCopies();
  return emulation::launchKernel({.grid = {grid},
                                  .block = {block},
                                  .sharedBytes = sharedBytes,
                                  .seed = seed},
                                 [&] { kernel(parameters); });
}

std::vector<const void *> test::findAttentionKernels() {
  std::vector<const void *> found;
  for (DType type : {DType::F32, DType::F16, DType::BF16}) {
    found.push_back(kernels::findDeltas(type).function);
    for (int64_t width : {1, 65})
      for (auto *find : {kernels::findForward, kernels::findQueryGradient,
                         kernels::findKeyGradients})
        found.push_back(find(type, width).function);
  }
  return found;
}

void EmulatedDevice::Release::operator()(void *memory) const {
  std::free(memory);
}

Result<void *> EmulatedDevice::upload(std::span<const uint8_t> bytes) {
  constexpr size_t alignment = 256;
  size_t size = (bytes.size() + alignment) / alignment * alignment;
  void *memory = std::aligned_alloc(alignment, size);
  blocks.emplace_back(memory);
  std::ranges::copy(bytes, static_cast<uint8_t *>(memory));
  return memory;
}

Status EmulatedDevice::write(void *to, std::span<const uint8_t> bytes) {
  std::ranges::copy(bytes, static_cast<uint8_t *>(to));
  return {};
}

Status EmulatedDevice::run(kernels::Launch &launch) {
  auto *parameters =
      static_cast<kernels::Parameters *>(launch.kernelParameters()[0]);
  std::string failure =
      runKernel(launch.function, launch.grid, launch.block, *parameters, seed);
  if (failure.empty())
    return {};
  return {StatusCode::Internal, failure};
}

Status EmulatedDevice::run(kernels::AttentionLaunch &launch) {
  auto *parameters =
      static_cast<kernels::AttentionParameters *>(launch.kernelParameters()[0]);
  std::string failure = runAttention(launch.function, launch.grid, launch.block,
                                     launch.sharedBytes, *parameters, seed);
  if (failure.empty())
    return {};
  return {StatusCode::Internal, failure};
}

Status EmulatedDevice::download(const void *from, std::span<uint8_t> bytes) {
  std::copy_n(static_cast<const uint8_t *>(from), bytes.size(), bytes.data());
  return {};
}

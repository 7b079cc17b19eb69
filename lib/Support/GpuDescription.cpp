// Figures of NVIDIA's data sheets and of the compute capability table in the
// CUDA C++ Programming Guide 13.0, section 17.2.
#include "mpc/Support/GpuDescription.h"

#include <algorithm>

using namespace mpc;

static constexpr uint64_t kMiB = uint64_t(1024) * 1024;
static constexpr uint32_t kKiB = 1024;

static constexpr GpuDescription kGpus[] = {
    {"sm_80", "A100", 108, 2048, 32, 65536, 164 * kKiB, 48 * kKiB, 40 * kMiB,
     2.039e12, false},
    {"sm_86", "A40", 84, 1536, 16, 65536, 100 * kKiB, 48 * kKiB, 6 * kMiB,
     0.696e12, false},
    {"sm_89", "L40S", 142, 1536, 24, 65536, 100 * kKiB, 48 * kKiB, 96 * kMiB,
     0.864e12, true},
    {"sm_90", "H200", 132, 2048, 32, 65536, 228 * kKiB, 48 * kKiB, 50 * kMiB,
     4.8e12, true},
    {"sm_100", "B200", 148, 2048, 32, 65536, 228 * kKiB, 48 * kKiB, 126 * kMiB,
     8.0e12, true},
    {"sm_120", "RTX PRO 6000", 188, 1536, 24, 65536, 100 * kKiB, 48 * kKiB,
     128 * kMiB, 1.792e12, true},
};

/// The digits of "sm_90".
static uint32_t versionOf(std::string_view arch) {
  uint32_t version = 0;
  for (char digit : arch.substr(3))
    version = version * 10 + static_cast<uint32_t>(digit - '0');
  return version;
}

uint32_t GpuDescription::major() const { return versionOf(arch) / 10; }
uint32_t GpuDescription::minor() const { return versionOf(arch) % 10; }

std::span<const GpuDescription> mpc::knownGpus() { return kGpus; }

const GpuDescription *mpc::findGpu(std::string_view arch) {
  auto found = std::ranges::find(kGpus, arch, &GpuDescription::arch);
  return found == std::end(kGpus) ? nullptr : &*found;
}

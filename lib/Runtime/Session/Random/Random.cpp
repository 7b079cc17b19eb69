#include "mpc/Runtime/Random.h"
#include "RandomKernels.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;

/// FNV-1a, 64 bits.
static uint64_t hashName(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char byte : name)
    hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

RandomStream::RandomStream(uint64_t seed, std::string_view name)
    : stream{{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
             hashName(name)} {}

const RandomKernels &runtime::getRandomKernels() {
  static const bool hasAvx2 = __builtin_cpu_supports("avx2");
  return hasAvx2 ? kAvx2Random : kBaselineRandom;
}

/// Whole groups go to their place at once, and what is cut off of others does
/// not.
static void make(RandomKernels::Kernel kernel, const StreamKey &stream,
                 uint64_t first, std::span<double> to) {
  while (!to.empty()) {
    uint64_t group = first / kGroup, skipped = first % kGroup;
    uint64_t groups = skipped ? 0 : to.size() / kGroup;
    uint64_t count = groups * kGroup;
    if (groups) {
      kernel(stream, group, groups, to.data());
    } else {
      double whole[kGroup];
      kernel(stream, group, 1, whole);
      count = std::min<uint64_t>(kGroup - skipped, to.size());
      std::copy_n(whole + skipped, count, to.data());
    }
    first += count;
    to = to.subspan(count);
  }
}

void RandomStream::uniform(uint64_t first, std::span<double> to) const {
  make(getRandomKernels().uniform, stream, first, to);
}

void RandomStream::normal(uint64_t first, std::span<double> to) const {
  make(getRandomKernels().normal, stream, first, to);
}

// The largest error of the CPU target's functions of f32 over all 2^32 inputs,
// against the C library in f64, and whether all instruction sets of this
// machine give the same bits. Takes minutes; the outcome is recorded in
// docs/Precision.md. Sampled by test/Target/Cpu/MathTest.cpp.
//
//   MathErrors [FUNCTION...]     all of them without a name
//
// Exits with 1 if a bound of the table is exceeded, or if bits differ.
#include "../test/Target/Cpu/KernelCode.h"
#include "../test/Target/Cpu/MathFunctions.h"

#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

using namespace mpc::target;

namespace {

constexpr int64_t kBatch = 1 << 16;

struct Worst {
  double ulps = 0;
  float at = 0, actual = 0;
  uint64_t flushed = 0; ///< Results below `least32` that are 0.
  uint64_t others = 0;  ///< Batches with other bits on other instruction sets.

  void merge(const Worst &other) {
    if (other.ulps > ulps)
      ulps = other.ulps, at = other.at, actual = other.actual;
    flushed += other.flushed;
    others += other.others;
  }
};

void compare(const MathFunction &function, float x, float actual,
             Worst &worst) {
  double exact = function.inDouble(x);
  auto nearest = static_cast<float>(exact);
  if (std::bit_cast<uint32_t>(actual) == std::bit_cast<uint32_t>(nearest) &&
      worst.ulps >= 0.5 && function.unit32 == 0)
    return; // Half a unit at most.
  if (std::fabs(exact) < function.least32 && actual == 0) {
    ++worst.flushed;
    return;
  }
  double ulps = countError(function, actual, exact);
  if (ulps > worst.ulps)
    worst.ulps = ulps, worst.at = x, worst.actual = actual;
}

/// Takes batches of inputs until there are none left.
Worst sweep(const std::vector<KernelFunction> &kernels,
            const MathFunction &function, std::atomic<uint64_t> &next) {
  std::vector<float> x(kBatch), y(kBatch), z(kBatch);
  Worst worst;
  for (uint64_t first; (first = next.fetch_add(kBatch)) < uint64_t(1) << 32;) {
    for (int64_t i = 0; i < kBatch; ++i) {
      x[i] = std::bit_cast<float>(uint32_t(first + i));
      if (function.ofNegative)
        x[i] = std::copysign(x[i], -1.0f);
    }
    void *args[] = {x.data(), y.data()}, *again[] = {x.data(), z.data()};
    kernels.front()(args, 0, 1);
    for (size_t i = 1; i < kernels.size(); ++i) {
      kernels[i](again, 0, 1);
      worst.others +=
          std::memcmp(y.data(), z.data(), kBatch * sizeof(float)) != 0;
    }
    for (int64_t i = 0; i < kBatch; ++i)
      compare(function, x[i], y[i], worst);
  }
  return worst;
}

bool measure(KernelCode &code, const MathFunction &function) {
  std::string text =
      makeUnaryKernel(function.op, "f32", kBatch, function.attributes);
  std::vector<KernelFunction> kernels;
  for (const std::string &target : KernelCode::machineTargets())
    kernels.push_back(code.compile(text, target));
  if (llvm::is_contained(kernels, nullptr)) {
    std::fprintf(stderr, "%s: cannot be compiled\n", function.name);
    return false;
  }
  std::atomic<uint64_t> next = 0;
  std::mutex mutex;
  Worst worst;
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency());
         ++i)
      threads.emplace_back([&] {
        Worst own = sweep(kernels, function, next);
        std::lock_guard lock(mutex);
        worst.merge(own);
      });
  }
  bool isBounded = worst.ulps <= function.ulps32;
  std::printf("%-21s %8.4f %s (bound %g%s) at %a = %.9g: %.9g", function.name,
              worst.ulps, function.unit32 == 0 ? "ulp" : "1e-6",
              function.ulps32, isBounded ? "" : ", EXCEEDED", worst.at,
              worst.at, worst.actual);
  if (worst.flushed)
    std::printf("; %llu results below %a are 0",
                static_cast<unsigned long long>(worst.flushed),
                function.least32);
  std::printf(worst.others ? "; OTHER BITS on other instruction sets\n"
                           : "; the same bits on %zu instruction sets\n",
              kernels.size());
  std::fflush(stdout);
  return isBounded && worst.others == 0;
}

} // namespace

int main(int argc, char **argv) {
  KernelCode code;
  bool holds = true;
  for (const MathFunction &function : getMathFunctions()) {
    bool isWanted = argc == 1;
    for (int i = 1; i < argc; ++i)
      isWanted |= std::strcmp(argv[i], function.name) == 0;
    if (isWanted)
      holds &= measure(code, function);
  }
  return holds ? 0 : 1;
}

#include "Device.h"

#include "Failure.h"

using namespace mpc::run;

void DeviceChoice::declare(Options &options) {
  options.addCount("--threads", "T",
                   "of target cpu; 0: all processors (default)", threads);
  options.addCount("--device", "N", "of target cuda: number of the GPU (0)",
                   device);
  options.addCount("--tune", "MS",
                   "of target cuda: time to try plans of matrix products (0)",
                   tuningMilliseconds);
  options.addText("--plans", "FILE",
                  "of target cuda: plans of matrix products; read if the file "
                  "is there, and written at the end",
                  plans);
  options.addFlag("--allow-tf32",
                  "of target cuda: f32 matrix products may round to tf32",
                  allowTf32);
  options.addFlag("--nvtx", "of target cuda: name the steps for a profiler",
                  nvtx);
}

void DeviceChoice::check(const std::string &command) const {
  auto atMost = [&](std::optional<uint64_t> given, uint64_t limit,
                    const char *what) {
    if (given.value_or(0) > limit)
      throw usageError(command + ": expected at most " + std::to_string(limit) +
                       what + ", but got " + std::to_string(*given));
  };
  atMost(threads, 4096, " threads");
  atMost(device, 1023, " as the number of a device");
  atMost(tuningMilliseconds, 3600000, " ms of tuning");
}

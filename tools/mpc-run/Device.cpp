#include "Device.h"

#include "Failure.h"

using namespace mpc::run;

void DeviceChoice::declare(Options &options) {
  options.beginGroup("Device");
  options
      .addCount("--threads", "T", "of target cpu; 0: all processors (default)",
                threads)
      .atMost(4096);
  options
      .addCount("--device", "N", "of target cuda: number of the GPU (0)",
                device)
      .atMost(1023);
  options
      .addCount("--tune", "MS",
                "of target cuda: time to try plans of matrix products (0)",
                tuningMilliseconds)
      .atMost(3600000);
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

void DeviceChoice::checkTarget(const std::string &path,
                               std::string_view target) const {
  struct Row {
    const char *option, *target;
    bool isGiven;
  };
  const Row rows[] = {{"--threads", "cpu", threads.has_value()},
                      {"--device", "cuda", device.has_value()},
                      {"--tune", "cuda", tuningMilliseconds.has_value()},
                      {"--plans", "cuda", !plans.empty()},
                      {"--allow-tf32", "cuda", allowTf32},
                      {"--nvtx", "cuda", nvtx}};
  for (const Row &row : rows)
    if (row.isGiven && row.target != target)
      throw usageError("'" + path + "': '" + row.option +
                       "' means nothing for a program of target '" +
                       std::string(target) + "'; leave it out");
}

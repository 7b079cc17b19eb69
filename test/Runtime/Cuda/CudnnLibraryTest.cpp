// cuDNN itself, on a machine without a GPU: it compiles a plan for each graph,
// for devices that it is told of. Results need a device; here it is shown that
// its engines recognize the graphs.
#include "AttentionCase.h"
#include "Runtime/Cuda/Calls/Attention/AttentionGraph.h"
#include "Runtime/Cuda/Cudnn/Plan.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::test;

/// Properties as cuDNN writes them; those of an H200 but for what is given.
static std::string makeProperties(const char *name, int capability,
                                  int multiprocessors, int sharedBytes) {
  return nlohmann::json{{"deviceName", name},
                        {"deviceVer", 10 * capability},
                        {"driverVer", 13000},
                        {"maxGridSize", {2147483647, 65535, 65535}},
                        {"maxBlockSize", {1024, 1024, 64}},
                        {"regsPerBlock", 65536},
                        {"multiProcessorCount", multiprocessors},
                        {"warpSize", 32},
                        {"maxSharedMemoryPerBlock", 49152},
                        {"maxSharedMemoryPerBlockOptin", sharedBytes},
                        {"reservedSharedMemoryPerBlock", 1024},
                        {"maxRegistersPerSM", 65536},
                        {"maxCtasPerSM", 32},
                        {"maxThreadsPerBlock", 1024},
                        {"maxThreadsPerSM", 2048},
                        {"pciDeviceId", 0},
                        {"isTccDriver", 0},
                        {"supportCoopLaunch", 1},
                        {"smClockRateKHz", 1980000},
                        {"memClockRateKHz", 2619000},
                        {"l2CacheSize", 62914560},
                        {"totalGlobalMem", 150754820096},
                        {"cudaDeviceId", 0}}
      .dump();
}

namespace {
/// Skipped where cuDNN is not installed.
struct CudnnLibrary : testing::Test {
  void SetUp() override {
    // What the library opens by this name later is this one.
    ASSERT_TRUE(dlopen(MPC_TEST_STUB_DRIVER, RTLD_NOW | RTLD_GLOBAL))
        << dlerror();
    Result<const CudnnApi *> opened = openCudnn();
    if (!opened)
      GTEST_SKIP() << opened.status().message();
    api = *opened;
  }

  Result<Plan> plan(const std::string &properties,
                    const AttentionShape &shape) {
    Result<Descriptor> device = describeDevice(*api, properties);
    if (!device)
      return device.status();
    AttentionOnHost made(shape);
    program::AttentionCall call(made.call());
    EXPECT_EQ(findAttentionObstacle(call), "");
    return Plan::make(*api, *device,
                      shape.backward ? makeBackwardGraph(call)
                                     : makeForwardGraph(call));
  }

  const CudnnApi *api = nullptr;
};
} // namespace

TEST_F(CudnnLibrary, compilesAttentionForEachKindOfDevice) {
  const std::string devices[] = {makeProperties("A100", 80, 108, 166912),
                                 makeProperties("L40", 89, 142, 101376),
                                 makeProperties("H200", 90, 132, 232448),
                                 makeProperties("B200", 100, 148, 232448),
                                 makeProperties("RTX", 120, 170, 101376)};
  AttentionShape plain = {.batch = 2,
                          .queries = 320,
                          .keys = 320,
                          .heads = 4,
                          .keyHeads = 4,
                          .width = 64,
                          .valueWidth = 64};
  AttentionShape packed = plain;
  packed.causal = packed.isPacked = true;
  AttentionShape half = packed;
  half.type = DType::F16;
  half.queries = half.keys = 301;
  AttentionShape grouped = plain;
  grouped.keyHeads = 2;
  grouped.width = grouped.valueWidth = 128;
  grouped.causal = true;
  grouped.window = 100;
  AttentionShape shared = grouped;
  shared.isPacked = true;
  shared.window = 0;
  AttentionShape cross = plain;
  cross.keys = 77;
  AttentionShape band = cross;
  band.window = 1;
  band.keys = 320;
  AttentionShape evaluated = packed;
  evaluated.storesSums = false;
  for (const std::string &device : devices)
    for (AttentionShape shape :
         {plain, packed, half, grouped, shared, cross, band, evaluated})
      for (bool backward : {false, true}) {
        if (backward && !shape.storesSums)
          continue;
        // All on one, and what differs most on the others.
        if (&device != &devices[2] && shape.type != DType::F16 &&
            shape.window != 100)
          continue;
        shape.backward = backward;
        Result<Plan> made = plan(device, shape);
        ASSERT_TRUE(made) << describe(shape) << " on " << device << ": "
                          << made.status().message();
        // No scores in memory: what is there grows with rows, not with pairs.
        EXPECT_LT(made->workspaceBytes(), uint64_t(4) << 20)
            << describe(shape) << " on " << device;
      }
}

TEST_F(CudnnLibrary, saysWhatItDoesNotTake) {
  AttentionShape odd = {
      .queries = 64, .keys = 64, .width = 12, .valueWidth = 12};
  AttentionOnHost call(odd);
  Result<Descriptor> one =
      describeDevice(*api, makeProperties("H200", 90, 132, 232448));
  ASSERT_TRUE(one) << one.status().message();
  Result<Plan> made = Plan::make(
      *api, *one, makeForwardGraph(program::AttentionCall(call.call())));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.status().code(), StatusCode::LibraryError);
  EXPECT_NE(made.status().message(), "");
  Result<Descriptor> device = describeDevice(*api, "{}");
  ASSERT_FALSE(device);
  EXPECT_NE(device.status().message().find(
                "cudnnBackendFinalize of a device's properties: "),
            std::string::npos)
      << device.status().message();
}

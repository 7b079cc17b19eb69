// cuDNN itself, on a machine without a GPU: it compiles a plan for each graph,
// for devices that it is told of. Results need a device; here it is shown that
// its engines recognize the graphs.
#include "../ConvolutionProblem.h"
#include "AttentionCase.h"
#include "Runtime/Cuda/Calls/Attention/AttentionGraph.h"
#include "Runtime/Cuda/Calls/Convolution/ConvolutionGraph.h"
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

static std::vector<std::string> listDevices() {
  return {makeProperties("A100", 80, 108, 166912),
          makeProperties("L40", 89, 142, 101376),
          makeProperties("H200", 90, 132, 232448),
          makeProperties("B200", 100, 148, 232448),
          makeProperties("RTX", 120, 170, 101376)};
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

  Result<Plan> plan(const std::string &properties, const ConvolutionSpec &spec,
                    ConvolutionTensor written,
                    const DeviceOptions &options = {}) {
    Result<Descriptor> device = describeDevice(*api, properties);
    if (!device)
      return device.status();
    flatbuffers::FlatBufferBuilder builder;
    program::CallT made = makeCall(spec, written);
    builder.Finish(program::Call::Pack(builder, &made));
    program::ConvolutionCall call(
        *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer()));
    EXPECT_EQ(findConvolutionObstacle(call), "");
    return Plan::make(*api, *device, makeConvolutionGraph(call),
                      getRefusedNotes(call, options));
  }

  const CudnnApi *api = nullptr;
};
} // namespace

TEST_F(CudnnLibrary, compilesAttentionForEachKindOfDevice) {
  const std::vector<std::string> devices = listDevices();
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

/// With exact f32, an order of sums that is the same each time, and no option:
/// every kind of convolution has an engine on every kind of device.
TEST_F(CudnnLibrary, compilesConvolutionsForEachKindOfDevice) {
  const std::vector<std::string> devices = listDevices();
  const ConvolutionSpec plain = {.batch = 8,
                                 .channels = 32,
                                 .results = 32,
                                 .space = {14, 14},
                                 .low = {1, 1},
                                 .high = {1, 1}};
  ConvolutionSpec one = plain, odd = plain, groups = plain, depthwise = plain,
                  dilated = plain, uneven = plain, rest = plain, row = plain,
                  cube = plain, stem = plain;
  one.kernel = {1, 1};
  one.low = one.high = {0, 0};
  odd.channels = 5;
  odd.results = 7;
  odd.kernel = {3, 2};
  groups.groups = 4;
  depthwise.groups = 32;
  dilated.dilations = dilated.low = dilated.high = {2, 2};
  uneven.strides = {2, 2};
  uneven.low = {0, 0};
  rest = one;
  rest.strides = {2, 2};
  row.space = {50};
  row.kernel = {5};
  row.strides = row.dilations = {1};
  row.low = row.high = {2};
  cube.space = {6, 6, 6};
  cube.kernel = {3, 3, 3};
  cube.strides = cube.dilations = cube.low = cube.high = {1, 1, 1};
  stem.channels = 3;
  stem.kernel = {7, 7};
  stem.strides = {2, 2};
  stem.low = stem.high = {3, 3};
  for (const std::string &device : devices)
    for (ConvolutionSpec spec : {plain, one, odd, groups, depthwise, dilated,
                                 uneven, rest, row, cube, stem})
      for (ElementType type : {F64, F32, BF16, F16})
        for (bool isLast : {true, false})
          for (ConvolutionTensor written : kConvolutionTensors) {
            // All on one, and one order of dims of each type on the others.
            if (&device != &devices[2] && isLast != (type != F64))
              continue;
            spec.type = type;
            spec.isLast = isLast;
            Result<Plan> made = plan(device, spec, written);
            EXPECT_TRUE(made) << describe(spec, written) << " on " << device
                              << ": " << made.status().message();
          }
}

/// TargetDescription::biasedConvolutionTypes: with a bias, too.
TEST_F(CudnnLibrary, compilesConvolutionsWithABias) {
  const std::vector<std::string> devices = listDevices();
  const ConvolutionSpec plain = {.batch = 8,
                                 .channels = 32,
                                 .results = 32,
                                 .space = {14, 14},
                                 .low = {1, 1},
                                 .high = {1, 1}};
  ConvolutionSpec one = plain, odd = plain, groups = plain, depthwise = plain,
                  uneven = plain, row = plain, cube = plain;
  one.kernel = {1, 1};
  one.low = one.high = {0, 0};
  odd.channels = 5;
  odd.results = 7;
  odd.kernel = {3, 2};
  groups.groups = 4;
  depthwise.groups = 32;
  uneven.strides = {2, 2};
  uneven.low = {0, 0};
  row.space = {50};
  row.kernel = {5};
  row.strides = row.dilations = {1};
  row.low = row.high = {2};
  cube.space = {6, 6, 6};
  cube.kernel = {3, 3, 3};
  cube.strides = cube.dilations = cube.low = cube.high = {1, 1, 1};
  for (const std::string &device : devices)
    for (ConvolutionSpec spec :
         {plain, one, odd, groups, depthwise, uneven, row, cube})
      for (ElementType type : {BF16, F16})
        for (bool isLast : {true, false}) {
          // All on one, and one order of dims of each type on the others.
          if (&device != &devices[2] && isLast != (type == BF16))
            continue;
          spec.type = type;
          spec.bias = type;
          spec.isLast = isLast;
          Result<Plan> made = plan(device, spec, ConvolutionTensor::Result);
          EXPECT_TRUE(made)
              << describe(spec, ConvolutionTensor::Result) << " on " << device
              << ": " << made.status().message();
        }
}

TEST_F(CudnnLibrary, compilesConvolutionsOfTensorsThatLieApart) {
  ConvolutionSpec spec = {.batch = 8,
                          .channels = 32,
                          .results = 32,
                          .space = {14, 14},
                          .turnsWeight = true};
  for (ElementType type : {F64, F32, BF16, F16})
    for (bool isLast : {true, false})
      for (int64_t groups : {1, 4, 32})
        for (ConvolutionTensor written : kConvolutionTensors) {
          spec.type = type;
          spec.isLast = isLast;
          spec.groups = groups;
          Result<Plan> made =
              plan(makeProperties("H200", 90, 132, 232448), spec, written);
          EXPECT_TRUE(made)
              << describe(spec, written) << ": " << made.status().message();
        }
}

/// TargetDescription::hasWideConvolutions: of 16 bits to f32 there is none.
TEST_F(CudnnLibrary, hasNoGradientsOfConvolutionsInF32) {
  ConvolutionSpec spec = {
      .channels = 64, .results = 64, .type = BF16, .isWide = true};
  Result<Plan> made = plan(makeProperties("H200", 90, 132, 232448), spec,
                           ConvolutionTensor::Weight);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.status().code(), StatusCode::LibraryError);
}

/// What it notes of engines is understood: the one that there is for f32 of
/// bf16 multiplies by tensor cores.
TEST_F(CudnnLibrary, leavesOutEnginesForTheirNumbers) {
  ConvolutionSpec spec = {
      .channels = 64, .results = 64, .type = BF16, .isWide = true};
  const std::string device = makeProperties("H200", 90, 132, 232448);
  Result<Plan> made = plan(device, spec, ConvolutionTensor::Result);
  ASSERT_TRUE(made) << made.status().message();
  Result<Descriptor> described = describeDevice(*api, device);
  ASSERT_TRUE(described) << described.status().message();
  Result<Plan> refused = Plan::make(*api, *described, made->graph(),
                                    {CUDNN_NUMERICAL_NOTE_TENSOR_CORE});
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.status().message(),
      "none is left of 1 engines, whose numbers are not what is promised");
}

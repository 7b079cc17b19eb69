// What is said where a machine or its device does not suit.
#include "SmallProgram.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;

static std::string refusal(OnFake &made) {
  Status status = made.open();
  EXPECT_EQ(status.code(), StatusCode::DeviceUnsupported);
  EXPECT_EQ(made.cuda.alive(), "");
  return status.message();
}

TEST(CudaDevice, NoDriver) {
  OnFake made;
  made.cuda.driver = 0;
  EXPECT_EQ(refusal(made), "expected an NVIDIA driver for CUDA 13.0 or newer, "
                           "but found no driver");
}

TEST(CudaDevice, OldDriver) {
  OnFake made;
  made.cuda.driver = 12040;
  EXPECT_EQ(refusal(made), "expected an NVIDIA driver for CUDA 13.0 or newer, "
                           "but the driver is for CUDA 12.4");
}

TEST(CudaDevice, NoDevice) {
  OnFake made;
  made.cuda.devices = 0;
  EXPECT_EQ(refusal(made),
            "expected a CUDA device, but cudaGetDeviceCount says: "
            "cudaErrorNoDevice (100), no CUDA-capable device is detected");
}

TEST(CudaDevice, OrdinalBeyond) {
  OnFake made;
  made.options.ordinal = 3;
  EXPECT_EQ(refusal(made), "expected CUDA device 3, but found 1 device");
}

TEST(CudaDevice, NoCodeForIt) {
  OnFake made;
  made.cuda.properties.major = 7;
  made.cuda.properties.minor = 5;
  EXPECT_EQ(refusal(made),
            "device 0 'Fake' is sm_75, but the program has code for sm_80 "
            "(cubin); compile it with --arch=sm_75");
}

/// The code that a device of `major`.`minor` takes, of many.
static std::string chosen(int major, int minor) {
  HandMade made = makeSmallProgram();
  made.program.code.clear();
  for (const char *arch : {"sm_80", "sm_86", "sm_90", "sm_100"})
    addSection(made, arch, CodeFormat::Cubin, 0, 2);
  for (const char *arch : {"sm_80", "sm_90"}) {
    addSection(made, arch, CodeFormat::Ptx, 0, 1);
    addSection(made, arch, CodeFormat::Ptx, 1, 2);
  }
  OnFake on(std::move(made));
  runtime::Device device;
  device.major = static_cast<uint32_t>(major);
  device.minor = static_cast<uint32_t>(minor);
  auto sections = runtime::chooseCode(**on.file, device);
  std::string text;
  if (!sections)
    return "none";
  for (const CodeSection *section : *sections)
    text += section->target()->str() +
            (section->format() == CodeFormat::Ptx ? " PTX " : " cubin ");
  return text;
}

TEST(CudaDevice, BestCode) {
  EXPECT_EQ(chosen(8, 0), "sm_80 cubin ");
  EXPECT_EQ(chosen(8, 6), "sm_86 cubin ");
  EXPECT_EQ(chosen(8, 9), "sm_86 cubin ");
  EXPECT_EQ(chosen(9, 0), "sm_90 cubin ");
  EXPECT_EQ(chosen(10, 3), "sm_100 cubin ");
  EXPECT_EQ(chosen(12, 0), "sm_90 PTX sm_90 PTX ") << "cubins are of a major";
  EXPECT_EQ(chosen(7, 5), "none");
}

/// "sm_90a" is for one chip, "sm_100f" for a family: with whatever format.
TEST(CudaDevice, SpecificCode) {
  auto chosen = [](std::vector<const char *> archs, CodeFormat format,
                   uint32_t major, uint32_t minor) -> std::string {
    HandMade made = makeSmallProgram();
    made.program.code.clear();
    for (const char *arch : archs)
      addSection(made, arch, format, 0, 2);
    OnFake on(std::move(made));
    runtime::Device device;
    device.major = major;
    device.minor = minor;
    auto sections = runtime::chooseCode(**on.file, device);
    return sections ? sections->front()->target()->str() : "none";
  };
  for (CodeFormat format : {CodeFormat::Cubin, CodeFormat::Ptx}) {
    EXPECT_EQ(chosen({"sm_90a", "sm_90"}, format, 9, 0), "sm_90a");
    EXPECT_EQ(chosen({"sm_90", "sm_90a"}, format, 9, 0), "sm_90a");
    EXPECT_EQ(chosen({"sm_90a"}, format, 9, 0), "sm_90a");
    EXPECT_EQ(chosen({"sm_100a", "sm_100"}, format, 10, 3), "sm_100");
    EXPECT_EQ(chosen({"sm_100a", "sm_100f", "sm_100"}, format, 10, 3),
              "sm_100f");
    EXPECT_EQ(chosen({"sm_100a", "sm_100f"}, format, 10, 0), "sm_100a");
    EXPECT_EQ(chosen({"sm_90a", "sm_100f"}, format, 12, 0), "none");
    EXPECT_EQ(chosen({"sm_103f", "sm_100f"}, format, 10, 0), "sm_100f");
  }
}

TEST(CudaDevice, OutOfMemory) {
  HandMade program = makeSmallProgram();
  auto category = std::make_unique<MemoryCategoryT>();
  category->name = "parameters";
  category->bytes = 20;
  program.program.memory.push_back(std::move(category));
  OnFake made(std::move(program));
  made.cuda.memoryLimit = 9000;
  Status status = made.open();
  EXPECT_EQ(status.code(), StatusCode::OutOfMemory);
  EXPECT_EQ(
      status.message(),
      "no memory for 9728 bytes: cudaMalloc: cudaErrorMemoryAllocation "
      "(2), out of memory; planned bytes: parameters 20, state 768, "
      "arena 8704, constants 0, inputs 256, inputs on their way 0, "
      "multi-tensor tables 0, kernel "
      "workspace 0, workspace of library calls 0, pinned host memory 9728");
  EXPECT_EQ(made.cuda.alive(), "");
}

TEST(CudaDevice, MissingKernel) {
  OnFake made;
  made.cuda.kernels.erase("update_0");
  Status status = made.open();
  EXPECT_EQ(status.code(), StatusCode::DeviceFailed);
  EXPECT_EQ(status.message(), "kernel 'update_0': cudaErrorSymbolNotFound "
                              "(500), named symbol not found");
}

TEST(CudaDevice, PtxIsRefused) {
  HandMade program = makeSmallProgram();
  program.program.code.clear();
  addSection(program, "sm_80", CodeFormat::Ptx, 0, 2);
  size_t call = 0;
  {
    OnFake made(program.program);
    ASSERT_TRUE(made.open().ok());
    while (made.cuda.log[call] != "cudaLibraryLoadData PTX")
      ++call;
  }
  OnFake made(std::move(program));
  made.cuda.failingCall = call + 1;
  made.cuda.failure = cudaErrorInvalidPtx;
  EXPECT_EQ(
      made.open().message(),
      "could not load the kernels for sm_80: cudaErrorInvalidPtx (218), a "
      "PTX JIT compilation failed: line 7: unknown opcode");
}

/// The plug-in's own platform, on a machine without a driver.
TEST(CudaDevice, ThisMachine) {
  int driver = 0;
  const runtime::Platform &real = runtime::getPlatform();
  ASSERT_EQ(real.cuda->cudaDriverGetVersion(&driver), cudaSuccess);
  if (driver != 0)
    GTEST_SKIP() << "this machine has a driver, for CUDA " << driver;
  OnFake made;
  auto executor = runtime::CudaExecutor::create(real, **made.file, {}, {});
  ASSERT_FALSE(executor);
  EXPECT_EQ(executor.status().code(), StatusCode::DeviceUnsupported);
  EXPECT_EQ(executor.status().message(),
            "expected an NVIDIA driver for CUDA 13.0 or newer, but found no "
            "driver");
}

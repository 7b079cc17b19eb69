// Devices, memory and libraries of kernels.
#include "FakeCalls.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace mpc;
using namespace mpc::test;
using Calls = FakeCalls;

static cudaError_t driverGetVersion(int *version) {
  *version = Calls::fake().driver;
  return Calls::enter("cudaDriverGetVersion");
}
static cudaError_t runtimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return Calls::enter("cudaRuntimeGetVersion");
}
static cudaError_t getDeviceCount(int *count) {
  *count = Calls::fake().devices;
  if (auto error = Calls::enter("cudaGetDeviceCount"))
    return error;
  return *count ? cudaSuccess : cudaErrorNoDevice;
}
static cudaError_t getDevice(int *device) {
  *device = Calls::currentDevice();
  return Calls::enter("cudaGetDevice");
}
static cudaError_t setDevice(int device) {
  if (auto error = Calls::enter("cudaSetDevice", std::to_string(device)))
    return error;
  Calls::currentDevice() = device;
  return cudaSuccess;
}
static cudaError_t getDeviceProperties(cudaDeviceProp *properties, int) {
  *properties = Calls::fake().properties;
  return Calls::enter("cudaGetDeviceProperties");
}
static cudaError_t deviceGetAttribute(int *value, cudaDeviceAttr, int) {
  *value = 0;
  return Calls::enter("cudaDeviceGetAttribute");
}

/// Full of NaN, so that what nobody has written shows.
static void *allocate(std::map<void *, uint64_t> &blocks, size_t bytes) {
  size_t rounded = (bytes + 255) / 256 * 256;
  void *memory = std::aligned_alloc(256, rounded);
  std::memset(memory, 0xff, rounded);
  blocks[memory] = bytes;
  return memory;
}
static cudaError_t release(std::map<void *, uint64_t> &blocks, void *memory) {
  // Frees wait for everything queued.
  cudaError_t error = Calls::fake().runAll();
  auto found = blocks.find(memory);
  if (found == blocks.end())
    return Calls::breakRule("no such memory", cudaErrorInvalidValue);
  std::free(memory);
  blocks.erase(found);
  return error;
}

static cudaError_t deviceMalloc(void **memory, size_t bytes) {
  if (auto error = Calls::enter("cudaMalloc", std::to_string(bytes)))
    return error;
  if (Calls::used() + bytes > Calls::fake().memoryLimit)
    return cudaErrorMemoryAllocation;
  Calls::used() += bytes;
  *memory = allocate(Calls::deviceBlocks(), bytes);
  return cudaSuccess;
}
static cudaError_t deviceFree(void *memory) {
  cudaError_t error = Calls::enter("cudaFree");
  cudaError_t other = release(Calls::deviceBlocks(), memory);
  return error ? error : other;
}
static cudaError_t hostAlloc(void **memory, size_t bytes, unsigned) {
  if (auto error = Calls::enter("cudaHostAlloc", std::to_string(bytes)))
    return error;
  *memory = allocate(Calls::pinnedBlocks(), bytes);
  return cudaSuccess;
}
static cudaError_t freeHost(void *memory) {
  cudaError_t error = Calls::enter("cudaFreeHost");
  cudaError_t other = release(Calls::pinnedBlocks(), memory);
  return error ? error : other;
}

static cudaError_t libraryLoadData(cudaLibrary_t *library, const void *,
                                   cudaJitOption *options, void **values,
                                   unsigned count, cudaLibraryOption *, void **,
                                   unsigned) {
  if (auto error = Calls::enter("cudaLibraryLoadData", count ? "PTX" : "")) {
    // What the driver's compiler would say.
    if (count == 2 && options[0] == cudaJitErrorLogBuffer &&
        options[1] == cudaJitErrorLogBufferSizeBytes)
      std::strncpy(static_cast<char *>(values[0]), "line 7: unknown opcode",
                   reinterpret_cast<size_t>(values[1]) - 1);
    return error;
  }
  Calls::libraries().push_back(std::make_unique<FakeLibrary>());
  *library = reinterpret_cast<cudaLibrary_t>(Calls::libraries().back().get());
  return cudaSuccess;
}
static cudaError_t libraryUnload(cudaLibrary_t library) {
  cudaError_t error = Calls::enter("cudaLibraryUnload");
  cudaError_t other = Calls::release(
      Calls::libraries(), reinterpret_cast<void *>(library), "library");
  return error ? error : other;
}
static cudaError_t libraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library,
                                    const char *name) {
  if (auto error = Calls::enter("cudaLibraryGetKernel", name))
    return error;
  auto found = Calls::fake().kernels.find(name);
  if (found == Calls::fake().kernels.end())
    return cudaErrorSymbolNotFound;
  auto &list = reinterpret_cast<FakeLibrary *>(library)->kernels;
  list.push_back(std::make_unique<FakeKernel>(found->second));
  list.back()->name = name;
  *kernel = reinterpret_cast<cudaKernel_t>(list.back().get());
  return cudaSuccess;
}
static cudaError_t kernelSetAttribute(cudaKernel_t kernel, cudaFuncAttribute,
                                      int value, int) {
  Calls::fake().sharedLimits[kernel] = static_cast<size_t>(value);
  return Calls::enter("cudaKernelSetAttributeForDevice",
                      reinterpret_cast<FakeKernel *>(kernel)->name + " " +
                          std::to_string(value));
}
static cudaError_t funcGetAttributes(cudaFuncAttributes *attributes,
                                     const void *) {
  *attributes = {};
  return Calls::enter("cudaFuncGetAttributes");
}
static cudaError_t funcSetAttribute(const void *function, cudaFuncAttribute,
                                    int value) {
  Calls::fake().sharedLimits[function] = static_cast<size_t>(value);
  return Calls::enter("cudaFuncSetAttribute");
}

static const char *getErrorName(cudaError_t error) {
  return ::cudaGetErrorName(error);
}
static const char *getErrorString(cudaError_t error) {
  return ::cudaGetErrorString(error);
}

void FakeCalls::fillDevice(runtime::CudaApi &api) {
  api.cudaDriverGetVersion = Locked<driverGetVersion>::call;
  api.cudaRuntimeGetVersion = Locked<runtimeGetVersion>::call;
  api.cudaGetDeviceCount = Locked<getDeviceCount>::call;
  api.cudaGetDevice = Locked<getDevice>::call;
  api.cudaSetDevice = Locked<setDevice>::call;
  api.cudaGetDeviceProperties = Locked<getDeviceProperties>::call;
  api.cudaDeviceGetAttribute = Locked<deviceGetAttribute>::call;
  api.cudaMalloc = Locked<deviceMalloc>::call;
  api.cudaFree = Locked<deviceFree>::call;
  api.cudaHostAlloc = Locked<hostAlloc>::call;
  api.cudaFreeHost = Locked<freeHost>::call;
  api.cudaLibraryLoadData = Locked<libraryLoadData>::call;
  api.cudaLibraryUnload = Locked<libraryUnload>::call;
  api.cudaLibraryGetKernel = Locked<libraryGetKernel>::call;
  api.cudaKernelSetAttributeForDevice = Locked<kernelSetAttribute>::call;
  api.cudaFuncGetAttributes = Locked<funcGetAttributes>::call;
  api.cudaFuncSetAttribute = Locked<funcSetAttribute>::call;
  api.cudaGetErrorName = getErrorName;
  api.cudaGetErrorString = getErrorString;
}

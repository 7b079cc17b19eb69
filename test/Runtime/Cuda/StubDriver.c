/* In the place of libcuda.so.1: as much of a driver as cuDNN needs to compile a
 * plan for a device that is not there. What it loads is thrown away, all else
 * fails with CUDA_ERROR_STUB_LIBRARY. */
enum { kSuccess = 0, kStubLibrary = 34 };

static int object; /* what handles point to */

int cuGetErrorString(int error, const char **text) {
  (void)error;
  *text = "of a driver that is a stub";
  return kSuccess;
}
int cuLibraryLoadData(void **library) {
  *library = &object;
  return kSuccess;
}
int cuLibraryGetKernel(void **kernel) {
  *kernel = &object;
  return kSuccess;
}
int cuLibraryUnload(void *library) {
  (void)library;
  return kSuccess;
}

/* Looked up, not called while a plan is made. */
#define MISSING(name)                                                          \
  int name(void) { return kStubLibrary; }
MISSING(cuCtxGetCurrent)
MISSING(cuCtxGetDevice)
MISSING(cuCtxGetLimit)
MISSING(cuCtxPopCurrent)
MISSING(cuCtxPushCurrent)
MISSING(cuDeviceGet)
MISSING(cuDeviceGetAttribute)
MISSING(cuDeviceGetCount)
MISSING(cuDevicePrimaryCtxRelease)
MISSING(cuDevicePrimaryCtxReset)
MISSING(cuDevicePrimaryCtxRetain)
MISSING(cuDriverGetVersion)
MISSING(cuFuncGetAttribute)
MISSING(cuFuncSetAttribute)
MISSING(cuGetErrorName)
MISSING(cuInit)
MISSING(cuKernelGetAttribute)
MISSING(cuKernelGetFunction)
MISSING(cuKernelSetAttribute)
MISSING(cuLaunchCooperativeKernel)
MISSING(cuLaunchKernel)
MISSING(cuLaunchKernelEx)
MISSING(cuLibraryLoadFromFile)
MISSING(cuLinkAddData)
MISSING(cuLinkAddData_v2)
MISSING(cuLinkAddFile_v2)
MISSING(cuLinkComplete)
MISSING(cuLinkCreate)
MISSING(cuLinkCreate_v2)
MISSING(cuLinkDestroy)
MISSING(cuMemcpyDtoH_v2)
MISSING(cuModuleGetFunction)
MISSING(cuModuleGetGlobal_v2)
MISSING(cuModuleLoadData)
MISSING(cuModuleLoadDataEx)
MISSING(cuModuleLoadFatBinary)
MISSING(cuModuleUnload)
MISSING(cuOccupancyMaxActiveBlocksPerMultiprocessor)
MISSING(cuOccupancyMaxPotentialClusterSize)
MISSING(cuStreamGetCtx)
MISSING(cuStreamGetGreenCtx)
MISSING(cuStreamSynchronize)
MISSING(cuTensorMapEncodeTiled)

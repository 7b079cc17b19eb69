// Owners of what cudart hands out: each gives back its own, through the table
// that it came from.
#ifndef MPC_LIB_RUNTIME_CUDA_API_HANDLES_H
#define MPC_LIB_RUNTIME_CUDA_API_HANDLES_H

#include "CudaApi.h"

#include <utility>

namespace mpc::runtime {

/// `Release` is the member of CudaApi that takes the handle back.
template <typename Handle, auto Release> class Owned {
public:
  Owned() = default;
  Owned(const CudaApi &api, Handle handle) : api(&api), handle(handle) {}
  Owned(Owned &&other) noexcept
      : api(other.api), handle(std::exchange(other.handle, nullptr)) {}
  Owned &operator=(Owned &&other) noexcept {
    std::swap(api, other.api);
    std::swap(handle, other.handle);
    return *this;
  }
  /// A failure to release is one of work queued before; it was or will be
  /// reported where somebody waits for that work.
  ~Owned() {
    if (handle)
      (void)(api->*Release)(handle);
  }

  Handle get() const { return handle; }
  explicit operator bool() const { return handle != nullptr; }

private:
  const CudaApi *api = nullptr;
  Handle handle = nullptr;
};

using Stream = Owned<cudaStream_t, &CudaApi::cudaStreamDestroy>;
using Event = Owned<cudaEvent_t, &CudaApi::cudaEventDestroy>;
using Library = Owned<cudaLibrary_t, &CudaApi::cudaLibraryUnload>;
using Graph = Owned<cudaGraph_t, &CudaApi::cudaGraphDestroy>;
using GraphExec = Owned<cudaGraphExec_t, &CudaApi::cudaGraphExecDestroy>;
using DeviceMemory = Owned<void *, &CudaApi::cudaFree>;
using PinnedMemory = Owned<void *, &CudaApi::cudaFreeHost>;

/// A stream that does not wait for the legacy default stream.
Result<Stream> makeStream(const CudaApi &api);
/// The same, whose kernels go in front of those of others where both wait for
/// the device.
Result<Stream> makeUrgentStream(const CudaApi &api);
/// An event that measures no time.
Result<Event> makeEvent(const CudaApi &api);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_API_HANDLES_H

// Attention on a device: cuDNN's fused engines where they take a call and are
// there, else kernels of our own.
#include "CudnnAttention.h"
#include "KernelAttention.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;
using program::AttentionCall;

namespace {
class CudaAttention final : public CallLibrary {
public:
  explicit CudaAttention(const LibraryContext &context)
      : api(*context.platform.cuda), cudnn(context) {}

  uint64_t workspaceBytes(const program::Call &call) const override;
  Result<std::unique_ptr<LibraryCall>> makeCall(const program::Call &call,
                                                std::span<void *const> args,
                                                bool mayBePlain) override;
  Status prepare(std::span<LibraryCall *const> calls, void *workspace,
                 cudaStream_t stream) override;

private:
  const CudaApi &api;
  /// Its plans are made when they are asked for the first time.
  mutable CudnnAttention cudnn;
};
} // namespace

uint64_t CudaAttention::workspaceBytes(const program::Call &call) const {
  AttentionCall attention(call);
  // Which of the two makes the call depends on addresses too.
  uint64_t bytes = kernelAttentionWorkspace(attention);
  if (const Plan *plan = cudnn.find(attention))
    bytes = std::max(bytes, CudnnAttention::workspaceBytes(attention, *plan));
  return bytes;
}

static bool areAligned(std::span<void *const> args) {
  return std::ranges::all_of(args, [](const void *address) {
    return reinterpret_cast<uintptr_t>(address) % 16 == 0;
  });
}

Result<std::unique_ptr<LibraryCall>>
CudaAttention::makeCall(const program::Call &call, std::span<void *const> args,
                        bool) {
  const Plan *plan =
      areAligned(args) ? cudnn.find(AttentionCall(call)) : nullptr;
  if (plan)
    return cudnn.makeCall(call, *plan, args);
  return makeKernelAttention(api, call, args);
}

/// Kernels are loaded when they are launched for the first time.
Status CudaAttention::prepare(std::span<LibraryCall *const> calls,
                              void *workspace, cudaStream_t stream) {
  for (LibraryCall *call : calls)
    if (Status status = call->enqueue(stream, workspace); !status.ok())
      return status;
  return makeStatus(api, api.cudaStreamSynchronize(stream),
                    "cudaStreamSynchronize after the first attention");
}

static Result<std::unique_ptr<CallLibrary>>
open(const LibraryContext &context) {
  return std::unique_ptr<CallLibrary>(std::make_unique<CudaAttention>(context));
}

OpenLibrary runtime::getLibrary(const program::Attention &) { return open; }

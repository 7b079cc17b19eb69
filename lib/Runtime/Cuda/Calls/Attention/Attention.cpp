// Attention on a device: cuDNN's fused engines where they take a call and are
// there, else kernels of our own.
#include "CudnnAttention.h"
#include "KernelAttention.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;
using program::AttentionCall;

namespace {
/// One call by either of the two.
class ChosenCall final : public LibraryCall {
public:
  /// `byCudnn`: null where kernels of our own are chosen from the start.
  ChosenCall(std::unique_ptr<LibraryCall> byKernels,
             std::unique_ptr<LibraryCall> byCudnn, std::string name)
      : byKernels(std::move(byKernels)), byCudnn(std::move(byCudnn)),
        name(std::move(name)) {}

  Status enqueue(cudaStream_t stream, void *workspace) override {
    return (byCudnn ? byCudnn : byKernels)->enqueue(stream, workspace);
  }
  /// Once: where a plan that was made does not run.
  Status prepare(cudaStream_t stream, void *workspace, const Log &log) {
    Status status = enqueue(stream, workspace);
    if (status.ok() || !byCudnn)
      return status;
    byCudnn.reset();
    if (log)
      log(LogLevel::Warning,
          name + ": kernels of mpc's own after all, since " + status.message());
    return enqueue(stream, workspace);
  }

private:
  std::unique_ptr<LibraryCall> byKernels, byCudnn;
  std::string name;
};

class CudaAttention final : public CallLibrary {
public:
  explicit CudaAttention(const LibraryContext &context)
      : api(*context.platform.cuda), log(context.log), cudnn(context) {}

  uint64_t workspaceBytes(const program::Call &call) const override;
  Result<std::unique_ptr<LibraryCall>> makeCall(const program::Call &call,
                                                std::span<void *const> args,
                                                bool mayBePlain) override;
  Status prepare(std::span<LibraryCall *const> calls, void *workspace,
                 cudaStream_t stream) override;

private:
  const CudaApi &api;
  Log log;
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
    return reinterpret_cast<uintptr_t>(address) % kCudnnAlignment == 0;
  });
}

Result<std::unique_ptr<LibraryCall>>
CudaAttention::makeCall(const program::Call &call, std::span<void *const> args,
                        bool) {
  AttentionCall attention(call);
  Result<std::unique_ptr<LibraryCall>> byKernels =
      makeKernelAttention(api, call, args);
  if (!byKernels)
    return byKernels.status();
  const Plan *plan = areAligned(args) ? cudnn.find(attention) : nullptr;
  return std::unique_ptr<LibraryCall>(std::make_unique<ChosenCall>(
      std::move(*byKernels), plan ? cudnn.makeCall(call, *plan, args) : nullptr,
      describe(attention)));
}

/// Kernels are loaded when they are launched for the first time.
Status CudaAttention::prepare(std::span<LibraryCall *const> calls,
                              void *workspace, cudaStream_t stream) {
  for (LibraryCall *call : calls) // all of them are made here
    if (Status status =
            static_cast<ChosenCall *>(call)->prepare(stream, workspace, log);
        !status.ok())
      return status;
  return makeStatus(api, api.cudaStreamSynchronize(stream),
                    "cudaStreamSynchronize after the first attention");
}

static Result<std::unique_ptr<CallLibrary>>
open(const LibraryContext &context) {
  return std::unique_ptr<CallLibrary>(std::make_unique<CudaAttention>(context));
}

OpenLibrary runtime::getLibrary(const program::Attention &) { return open; }

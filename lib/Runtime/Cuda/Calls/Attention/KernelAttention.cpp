#include "KernelAttention.h"
#include "kernels/Attention/Attention.h"

#include <cmath>

using namespace mpc;
using namespace mpc::runtime;
using kernels::AttentionLaunch;
using kernels::AttentionProblem;
using kernels::HeadRows;
using program::AttentionCall;
using program::CallOperand;

namespace {
/// Finds operands of a call among its arguments.
struct Arguments {
  const program::Call &call;
  std::span<void *const> args;

  template <typename T> T *address(const CallOperand *operand) const {
    if (!operand)
      return nullptr;
    return static_cast<T *>(args[*program::findOperand(call, operand->role())]);
  }
  HeadRows rows(const CallOperand *operand) const {
    if (!operand)
      return {};
    std::span<const int64_t> strides = program::toSpan(operand->strides());
    return {address<void>(operand), strides[0], strides[1], strides[2]};
  }
  kernels::AttentionMask mask(const CallOperand *operand) const {
    if (!operand)
      return {};
    std::span<const int64_t> strides = program::toSpan(operand->strides());
    return {address<void>(operand),
            static_cast<DType>(operand->type()),
            strides[0],
            strides[1],
            strides[2],
            strides[3]};
  }
};

class AttentionKernels final : public LibraryCall {
public:
  AttentionKernels(const CudaApi &api, std::vector<AttentionLaunch> launches)
      : api(api), launches(std::move(launches)) {}

  Status enqueue(cudaStream_t stream, void *workspace) override;

private:
  const CudaApi &api;
  std::vector<AttentionLaunch> launches;
};
} // namespace

/// What does not depend on addresses.
static AttentionProblem describe(const AttentionCall &call) {
  AttentionProblem made;
  made.type = static_cast<DType>(call.query->type());
  made.batch = call.batch();
  made.queries = call.queries();
  made.keys = call.keys();
  made.heads = call.heads();
  made.keyHeads = call.keyHeads();
  made.width = call.width();
  made.valueWidth = call.valueWidth();
  made.causal = call.options.causal();
  made.window = call.window();
  made.scale = call.options.scale();
  made.softcap = call.options.softcap();
  return made;
}

static AttentionProblem locate(const AttentionCall &call,
                               const Arguments &arguments) {
  AttentionProblem made = describe(call);
  made.query = arguments.rows(call.query);
  made.key = arguments.rows(call.key);
  made.value = arguments.rows(call.value);
  made.mask = arguments.mask(call.mask);
  if (call.options.dropout() != 0)
    made.dropout = {
        static_cast<uint32_t>(std::lround(call.options.dropout() * 0x1p16)),
        call.options.stream(), arguments.address<uint32_t>(call.randomStep),
        arguments.address<uint32_t>(call.randomSeed)};
  made.result = arguments.rows(call.result);
  made.logSumExp = arguments.address<float>(call.logSumExp);
  made.cotangent = arguments.rows(call.cotangent);
  made.queryGradient = arguments.rows(call.queryGradient);
  made.keyGradient = arguments.rows(call.keyGradient);
  made.valueGradient = arguments.rows(call.valueGradient);
  return made;
}

Status AttentionKernels::enqueue(cudaStream_t stream, void *workspace) {
  for (AttentionLaunch &launch : launches) {
    launch.setWorkspace(workspace);
    cudaLaunchConfig_t config = {};
    config.gridDim = {launch.grid, 1, 1};
    config.blockDim = {launch.block, 1, 1};
    config.dynamicSmemBytes = launch.sharedBytes;
    config.stream = stream;
    if (auto error = api.cudaLaunchKernelExC(&config, launch.function,
                                             launch.kernelParameters()))
      return makeStatus(api, error, "cudaLaunchKernelExC of attention");
  }
  return {};
}

uint64_t runtime::kernelAttentionWorkspace(const AttentionCall &call) {
  return call.options.backward()
             ? kernels::backwardWorkspaceBytes(describe(call))
             : 0;
}

static Status allowSharedMemory(const CudaApi &api,
                                const AttentionLaunch &launch) {
  auto bytes = static_cast<int>(launch.sharedBytes);
  auto error = api.cudaFuncSetAttribute(
      launch.function, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  return makeStatus(api, error,
                    std::to_string(bytes) +
                        " bytes of shared memory for attention");
}

Result<std::unique_ptr<LibraryCall>>
runtime::makeKernelAttention(const CudaApi &api, const program::Call &call,
                             std::span<void *const> args) {
  AttentionCall attention(call);
  AttentionProblem problem = locate(attention, {call, args});
  Result<std::vector<AttentionLaunch>> launches =
      attention.options.backward() ? kernels::planBackward(problem)
                                   : kernels::planForward(problem);
  if (!launches)
    return Status(StatusCode::InvalidProgram,
                  "attention: " + launches.status().message());
  for (const AttentionLaunch &launch : *launches)
    if (Status status = allowSharedMemory(api, launch); !status.ok())
      return status;
  return std::unique_ptr<LibraryCall>(
      std::make_unique<AttentionKernels>(api, std::move(*launches)));
}

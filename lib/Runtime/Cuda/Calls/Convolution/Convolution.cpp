// Convolutions and their gradients on a device: plans of cuDNN.
#include "../../Cudnn/PlannedCall.h"
#include "ConvolutionGraph.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;
using program::CallOperand;
using program::ConvolutionCall;
using program::OperandRole;

namespace {
class CudnnConvolution final : public CallLibrary {
public:
  explicit CudnnConvolution(const LibraryContext &context)
      : cuda(*context.platform.cuda), options(context.options),
        log(context.log), library(context.platform, context.device.ordinal) {}
  Status open() { return library.open(); }

  uint64_t workspaceBytes(const program::Call &call) const override;
  Result<std::unique_ptr<LibraryCall>> makeCall(const program::Call &call,
                                                std::span<void *const> args,
                                                bool mayBePlain) override;
  Status prepare(std::span<LibraryCall *const> calls, void *workspace,
                 cudaStream_t stream) override;

private:
  const Result<Plan> &find(const ConvolutionCall &call) const;
  Result<Plan> make(const ConvolutionCall &call) const;

  const CudaApi &cuda;
  const DeviceOptions &options;
  Log log;
  /// Its plans are made when they are asked for the first time.
  mutable CudnnLibrary library;
};
} // namespace

static CudnnProblem identify(const ConvolutionCall &call) {
  CudnnProblem made;
  for (const CallOperand *operand : {call.input, call.weight, call.result}) {
    made.push_back(operand->written());
    made.push_back(static_cast<int64_t>(operand->type()));
    addOperand(made, operand);
  }
  addOperand(made, call.bias);
  for (const auto *numbers :
       {call.options.strides(), call.options.low(), call.options.dilations()})
    made.insert(made.end(), numbers->begin(), numbers->end());
  return made;
}

Result<Plan> CudnnConvolution::make(const ConvolutionCall &call) const {
  if (std::string why = findConvolutionObstacle(call); !why.empty())
    return Status(StatusCode::DeviceUnsupported, describe(call) + ": " + why);
  Result<Plan> made =
      library.plan(makeConvolutionGraph(call), getRefusedNotes(call, options));
  if (made) {
    if (log)
      log(LogLevel::Info, describe(call) + ": cuDNN, with " +
                              std::to_string(made->workspaceBytes()) +
                              " bytes of workspace");
    return made;
  }
  const Status &status = made.status();
  std::string advice = ", or compile for target 'cpu'";
  if (!options.allowNondeterministic)
    advice = ", give allow_nondeterministic" + advice;
  return Status(status.code(), describe(call) +
                                   ": cuDNN has no engine for it on this "
                                   "device: " +
                                   status.message() + "; take another version" +
                                   advice);
}

const Result<Plan> &CudnnConvolution::find(const ConvolutionCall &call) const {
  return library.find(identify(call), [&] { return make(call); });
}

/// Why there is no plan is said when the call is made.
uint64_t CudnnConvolution::workspaceBytes(const program::Call &call) const {
  const Result<Plan> &plan = find(ConvolutionCall(call));
  return plan ? plan->workspaceBytes() : 0;
}

Result<std::unique_ptr<LibraryCall>>
CudnnConvolution::makeCall(const program::Call &call,
                           std::span<void *const> args, bool) {
  ConvolutionCall convolution(call);
  const Result<Plan> &plan = find(convolution);
  if (!plan)
    return plan.status();
  static constexpr std::pair<int, OperandRole> roles[] = {
      {static_cast<int>(ConvolutionSide::Input), OperandRole::Input},
      {static_cast<int>(ConvolutionSide::Weight), OperandRole::Weight},
      {static_cast<int>(ConvolutionSide::Result), OperandRole::Result},
      {kBiasRole, OperandRole::Bias}};
  std::map<int, void *> addresses;
  for (auto [name, role] : roles) {
    std::optional<uint32_t> operand = program::findOperand(call, role);
    if (!operand) // a bias
      continue;
    void *address = args[*operand];
    if (reinterpret_cast<uintptr_t>(address) % kCudnnAlignment != 0)
      return Status(StatusCode::InvalidProgram,
                    describe(convolution) +
                        ": expected operands at multiples of " +
                        std::to_string(kCudnnAlignment) + " bytes");
    addresses[name] = address;
  }
  return std::unique_ptr<LibraryCall>(
      std::make_unique<PlannedCall>(library, *plan, std::move(addresses)));
}

/// Kernels are loaded when they are launched for the first time.
Status CudnnConvolution::prepare(std::span<LibraryCall *const> calls,
                                 void *workspace, cudaStream_t stream) {
  for (LibraryCall *call : calls)
    if (Status status = call->enqueue(stream, workspace); !status.ok())
      return status;
  return makeStatus(cuda, cuda.cudaStreamSynchronize(stream),
                    "cudaStreamSynchronize after the first convolutions");
}

static Result<std::unique_ptr<CallLibrary>>
open(const LibraryContext &context) {
  auto made = std::make_unique<CudnnConvolution>(context);
  if (Status status = made->open(); !status.ok())
    return status;
  return std::unique_ptr<CallLibrary>(std::move(made));
}

OpenLibrary runtime::getLibrary(const program::Convolution &) { return open; }

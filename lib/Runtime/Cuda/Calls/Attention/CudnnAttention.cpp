#include "CudnnAttention.h"
#include "../../Api/CurrentDevice.h"
#include "AttentionGraph.h"

#include <bit>

using namespace mpc;
using namespace mpc::runtime;
using program::AttentionCall;
using program::CallOperand;

/// Of the backend that plans are made with: devices by their properties.
static constexpr size_t kOldestCudnn = 91100;
static constexpr uint64_t kAlignment = 256;

static uint64_t alignUp(uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

namespace {
class CudnnCall final : public LibraryCall {
public:
  CudnnCall(const CudnnApi &api, cudnnHandle_t handle, const Plan &plan,
            std::map<int, void *> addresses, uint64_t deltaBytes)
      : api(api), handle(handle), plan(plan), addresses(std::move(addresses)),
        deltaBytes(deltaBytes) {}

  Status enqueue(cudaStream_t stream, void *workspace) override;

private:
  Status bind(void *workspace);

  const CudnnApi &api;
  cudnnHandle_t handle;
  const Plan &plan;
  std::map<int, void *> addresses; ///< by role
  uint64_t deltaBytes;
  Descriptor bound;
  void *boundTo = nullptr; ///< the workspace of `bound`
};
} // namespace

CudnnAttention::CudnnAttention(const LibraryContext &context)
    : platform(context.platform), ordinal(context.device.ordinal),
      own(context.options.ownAttention),
      nondeterministic(context.options.allowNondeterministic),
      log(context.log) {}

CudnnAttention::~CudnnAttention() {
  if (!handle)
    return;
  // It synchronizes the device that is current.
  CurrentDevice current(*platform.cuda, ordinal);
  (void)api->cudnnDestroy(handle);
}

Status CudnnAttention::open() {
  Result<const CudnnApi *> library = platform.openCudnn();
  if (!library)
    return library.status();
  api = *library;
  if (size_t version = api->cudnnGetVersion(); version < kOldestCudnn)
    return {StatusCode::DeviceUnsupported,
            "expected cuDNN 9.11 or newer, but found version " +
                std::to_string(version)};
  if (Status status =
          makeStatus(*api, api->cudnnCreate(&handle), "cudnnCreate");
      !status.ok())
    return status;
  Result<Descriptor> described = describeDevice(*api, ordinal);
  if (!described)
    return described.status();
  device = std::move(*described);
  return {};
}

std::string runtime::describe(const AttentionCall &call) {
  std::string text(getInfo(static_cast<DType>(call.query->type())).name);
  text += " attention [";
  for (int64_t size : {call.batch(), call.queries(), call.heads()})
    text += std::to_string(size) + ", ";
  text += std::to_string(call.width()) + "] by " +
          std::to_string(call.keyHeads()) + " heads of " +
          std::to_string(call.keys()) + " keys";
  if (call.options.causal())
    text += ", causal";
  if (call.window() != 0)
    text += ", window " + std::to_string(call.window());
  return text + (call.options.backward() ? ", backward" : ", forward");
}

CudnnAttention::Problem CudnnAttention::identify(const AttentionCall &call) {
  auto bitsOf = [](double value) { return std::bit_cast<int64_t>(value); };
  Problem made = {call.options.backward(),
                  call.logSumExp != nullptr,
                  call.mask != nullptr,
                  call.options.causal(),
                  call.window(),
                  bitsOf(call.options.scale()),
                  bitsOf(call.options.softcap()),
                  bitsOf(call.options.dropout()),
                  static_cast<int64_t>(call.query->type())};
  for (const CallOperand *operand :
       {call.query, call.key, call.value, call.result, call.cotangent,
        call.queryGradient, call.keyGradient, call.valueGradient})
    if (operand)
      for (auto *numbers : {operand->shape(), operand->strides()})
        made.insert(made.end(), numbers->begin(), numbers->end());
    else
      made.push_back(-1); // no size, so that what follows is told apart
  return made;
}

Result<Plan> CudnnAttention::make(const AttentionCall &call) {
  auto leave = [](std::string why) {
    return Status(StatusCode::DeviceUnsupported, std::move(why));
  };
  if (own)
    return leave("own_attention is given");
  if (std::string why = findAttentionObstacle(call); !why.empty())
    return leave(std::move(why));
  if (call.options.backward() && !nondeterministic)
    return leave("the order of its sums is left to chance, and "
                 "allow_nondeterministic is not given");
  if (!opened)
    opened = open();
  if (!opened->ok())
    return *opened;
  if (std::string why = findVersionObstacle(call, api->cudnnGetVersion());
      !why.empty())
    return leave(std::move(why));
  return Plan::make(*api, device,
                    call.options.backward() ? makeBackwardGraph(call)
                                            : makeForwardGraph(call));
}

const Plan *CudnnAttention::find(const AttentionCall &call) {
  auto [at, isNew] = plans.try_emplace(identify(call));
  if (isNew) {
    Result<Plan> made = make(call);
    if (made)
      at->second = std::move(*made);
    if (log)
      log(LogLevel::Info,
          describe(call) +
              (made ? ": cuDNN, with " +
                          std::to_string(at->second->workspaceBytes()) +
                          " bytes of workspace"
                    : ": kernels of mpc's own, not cuDNN: " +
                          made.status().message()));
  }
  return at->second ? &*at->second : nullptr;
}

/// Of backward's deltas: f32 [batch, head, query].
static uint64_t deltaBytes(const AttentionCall &call) {
  return call.options.backward()
             ? alignUp(4 * static_cast<uint64_t>(call.batch() * call.heads() *
                                                 call.queries()))
             : 0;
}

uint64_t CudnnAttention::workspaceBytes(const AttentionCall &call,
                                        const Plan &plan) {
  uint64_t deltas = deltaBytes(call);
  uint64_t querySums = deltas * static_cast<uint64_t>(call.width());
  return alignUp(plan.workspaceBytes()) + deltas + querySums;
}

std::unique_ptr<LibraryCall>
CudnnAttention::makeCall(const program::Call &call, const Plan &plan,
                         std::span<void *const> args) {
  using program::OperandRole;
  static constexpr std::pair<AttentionRole, OperandRole> roles[] = {
      {AttentionRole::Query, OperandRole::Query},
      {AttentionRole::Key, OperandRole::Key},
      {AttentionRole::Value, OperandRole::Value},
      {AttentionRole::Result, OperandRole::Result},
      {AttentionRole::LogSumExp, OperandRole::LogSumExp},
      {AttentionRole::Cotangent, OperandRole::Cotangent},
      {AttentionRole::QueryGradient, OperandRole::QueryGradient},
      {AttentionRole::KeyGradient, OperandRole::KeyGradient},
      {AttentionRole::ValueGradient, OperandRole::ValueGradient}};
  std::map<int, void *> addresses;
  for (auto [role, operand] : roles)
    if (std::optional<uint32_t> index = program::findOperand(call, operand))
      addresses[static_cast<int>(role)] = args[*index];
  return std::make_unique<CudnnCall>(*api, handle, plan, std::move(addresses),
                                     deltaBytes(AttentionCall(call)));
}

Status CudnnCall::bind(void *workspace) {
  // The plan's own part, the deltas, the sums.
  auto *deltas =
      static_cast<std::byte *>(workspace) + alignUp(plan.workspaceBytes());
  addresses[static_cast<int>(AttentionRole::Deltas)] = deltas;
  addresses[static_cast<int>(AttentionRole::QuerySums)] = deltas + deltaBytes;
  Result<Descriptor> made =
      plan.bind([&](int role) { return addresses.at(role); }, workspace);
  if (!made)
    return made.status();
  bound = std::move(*made);
  boundTo = workspace;
  return {};
}

Status CudnnCall::enqueue(cudaStream_t stream, void *workspace) {
  if (!bound.get() || boundTo != workspace)
    if (Status status = bind(workspace); !status.ok())
      return status;
  if (Status status =
          makeStatus(api, api.cudnnSetStream(handle, stream), "cudnnSetStream");
      !status.ok())
    return status;
  return plan.enqueue(handle, bound);
}

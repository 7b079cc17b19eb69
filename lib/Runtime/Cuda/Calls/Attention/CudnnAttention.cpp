#include "CudnnAttention.h"
#include "AttentionGraph.h"

#include <bit>

using namespace mpc;
using namespace mpc::runtime;
using program::AttentionCall;
using program::CallOperand;

CudnnAttention::CudnnAttention(const LibraryContext &context)
    : library(context.platform, context.device.ordinal),
      own(context.options.ownAttention),
      nondeterministic(context.options.allowNondeterministic),
      log(context.log) {}

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

CudnnProblem CudnnAttention::identify(const AttentionCall &call) {
  auto bitsOf = [](double value) { return std::bit_cast<int64_t>(value); };
  CudnnProblem made = {call.options.backward(),
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
    addOperand(made, operand);
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
  if (const Status &opened = library.open(); !opened.ok())
    return opened;
  if (std::string why = findVersionObstacle(call, library.version());
      !why.empty())
    return leave(std::move(why));
  return library.plan(call.options.backward() ? makeBackwardGraph(call)
                                              : makeForwardGraph(call));
}

const Plan *CudnnAttention::find(const AttentionCall &call) {
  const Result<Plan> &found = library.find(identify(call), [&] {
    Result<Plan> made = make(call);
    if (log)
      log(LogLevel::Info,
          describe(call) + (made ? ": cuDNN, with " +
                                       std::to_string(made->workspaceBytes()) +
                                       " bytes of workspace"
                                 : ": kernels of mpc's own, not cuDNN: " +
                                       made.status().message()));
    return made;
  });
  return found ? &*found : nullptr;
}

/// Of backward's deltas: f32 [batch, head, query].
static uint64_t deltaBytes(const AttentionCall &call) {
  return call.options.backward()
             ? alignWorkspace(
                   4 * static_cast<uint64_t>(call.batch() * call.heads() *
                                             call.queries()))
             : 0;
}

uint64_t CudnnAttention::workspaceBytes(const AttentionCall &call,
                                        const Plan &plan) {
  uint64_t deltas = deltaBytes(call);
  uint64_t querySums = deltas * static_cast<uint64_t>(call.width());
  return plan.workspaceBytes() + deltas + querySums;
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
  std::map<int, uint64_t> insideWorkspace = {
      {static_cast<int>(AttentionRole::Deltas), 0},
      {static_cast<int>(AttentionRole::QuerySums),
       deltaBytes(AttentionCall(call))}};
  return std::make_unique<PlannedCall>(library, plan, std::move(addresses),
                                       std::move(insideWorkspace));
}

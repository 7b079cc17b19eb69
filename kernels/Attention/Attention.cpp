#include "kernels/Attention/Kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

using namespace mpc;
using namespace mpc::kernels;

void AttentionLaunch::setWorkspace(void *memory) {
  parameters.deltas = static_cast<float *>(memory);
}

void **AttentionLaunch::kernelParameters() {
  addresses[0] = &parameters;
  return addresses;
}

AttentionParameters::AttentionParameters(const AttentionProblem &problem)
    : problem(problem), positions(problem) {
  plain = !problem.mask.data && problem.softcap == 0;
  toPowers = problem.mask.data ? std::numbers::log2e_v<float> : 1;
  unit = problem.mask.data ? 1 : std::numbers::log2e_v<float>;
  scale = static_cast<float>(problem.scale * unit);
  softcap = static_cast<float>(problem.softcap * unit);
  keptFactor = static_cast<float>(1 / (1 - problem.dropout.leftOut * 0x1p-16));
  // Slopes are left alone, as by FlashAttention-2, where that is not what keeps
  // them in the range of f16: a small scale goes with large operands.
  bool isSmall = std::abs(problem.scale) < 1. / 16;
  (isSmall ? slopeScale : gradientScale) = static_cast<float>(problem.scale);
}

static Status refuse(const std::string &what) {
  return {StatusCode::InvalidArgument, what};
}

static Status check(const AttentionProblem &problem) {
  for (int64_t size :
       {problem.batch, problem.queries, problem.keys, problem.heads,
        problem.keyHeads, problem.width, problem.valueWidth})
    if (size < 1)
      return refuse("expected sizes of at least 1, but got " +
                    std::to_string(size));
  if (problem.heads % problem.keyHeads != 0)
    return refuse("expected each head of keys to have as many of queries, but "
                  "got " +
                  std::to_string(problem.keyHeads) + " for " +
                  std::to_string(problem.heads));
  int64_t width = std::max(problem.width, problem.valueWidth);
  if (width > program::kMaxDeviceAttentionWidth)
    return refuse("expected rows of at most " +
                  std::to_string(program::kMaxDeviceAttentionWidth) +
                  " elements, but got " + std::to_string(width));
  int64_t longest = std::max(problem.queries, problem.keys);
  if (longest > program::kMaxDeviceAttentionTimes)
    return refuse("expected at most 2^29 queries and keys, but got " +
                  std::to_string(longest));
  return {};
}

/// `parts`: rows of all heads that `kernel` has blocks for, `heads` times.
static Result<AttentionLaunch> launch(const AttentionKernel &kernel,
                                      const AttentionProblem &problem,
                                      int64_t rows, int64_t heads) {
  if (!kernel.function)
    return refuse("expected attention of f32, f16 or bf16, but got " +
                  std::string(getInfo(problem.type).name));
  int64_t parts = (rows + kernel.rows - 1) / kernel.rows;
  if (parts > std::numeric_limits<int32_t>::max() / heads)
    return refuse("expected fewer than 2^31 blocks of attention, but got " +
                  std::to_string(parts) + " for each of " +
                  std::to_string(heads) + " heads");
  AttentionLaunch made;
  made.function = kernel.function;
  made.grid = static_cast<uint32_t>(parts * heads);
  made.block = 128;
  made.sharedBytes = kernel.sharedBytes;
  made.parameters = AttentionParameters(problem);
  return made;
}

Result<std::vector<AttentionLaunch>>
kernels::planForward(const AttentionProblem &problem) {
  if (Status status = check(problem); !status.ok())
    return status;
  int64_t width = std::max(problem.width, problem.valueWidth);
  Result<AttentionLaunch> made =
      launch(findForward(problem.type, width), problem, problem.queries,
             problem.batch * problem.heads);
  if (!made)
    return made.status();
  return std::vector<AttentionLaunch>{*made};
}

uint64_t kernels::backwardWorkspaceBytes(const AttentionProblem &problem) {
  return sizeof(float) *
         static_cast<uint64_t>(problem.batch * problem.heads * problem.queries);
}

Result<std::vector<AttentionLaunch>>
kernels::planBackward(const AttentionProblem &problem) {
  if (Status status = check(problem); !status.ok())
    return status;
  int64_t width = std::max(problem.width, problem.valueWidth);
  int64_t heads = problem.batch * problem.heads;
  std::vector<Result<AttentionLaunch>> planned;
  planned.push_back(
      launch(findDeltas(problem.type), problem, heads * problem.queries, 1));
  if (problem.queryGradient.data)
    planned.push_back(launch(findQueryGradient(problem.type, width), problem,
                             problem.queries, heads));
  if (problem.keyGradient.data || problem.valueGradient.data)
    planned.push_back(launch(findKeyGradients(problem.type, width), problem,
                             problem.keys, problem.batch * problem.keyHeads));
  std::vector<AttentionLaunch> launches;
  for (const Result<AttentionLaunch> &each : planned) {
    if (!each)
      return each.status();
    launches.push_back(*each);
  }
  return launches;
}

#include "kernels/Attention/Attention.h"
#include "kernels/driver/Bench.h"
#include "kernels/driver/Fill.h"
#include <cmath>

using namespace mpc;
using namespace mpc::kernels;

namespace {
/// Attention on packed queries, keys and values, as a layer of GPT-2 has it.
class AttentionWorkshop {
public:
  AttentionWorkshop(CudaDevice &device, const BenchOptions::Heads &heads,
                    DType type)
      : device(device), heads(heads), type(type) {}

  Status addTo(TimedList &list);

private:
  /// Random numbers: `parts` times the elements of the queries.
  Status allocate(void *&memory, int64_t parts);
  HeadRows part(void *packed, int64_t parts, int64_t number) const;
  Status prepare();
  Status add(TimedList &list, const char *what, double products,
             Result<std::vector<AttentionLaunch>> launches);

  CudaDevice &device;
  const BenchOptions::Heads &heads;
  DType type;
  AttentionProblem problem;
  void *workspace = nullptr;
};
} // namespace

Status AttentionWorkshop::allocate(void *&memory, int64_t parts) {
  uint64_t count =
      uint64_t(parts * heads.batch * heads.time * heads.heads * heads.width);
  Result<void *> made = device.allocate(count * getInfo(type).bytes);
  if (!made)
    return made.status();
  memory = *made;
  return statusOf(
      fillRandom(memory, type, count, -1, 1, uint64_t(parts), device.stream()),
      "fillRandom");
}

HeadRows AttentionWorkshop::part(void *packed, int64_t parts,
                                 int64_t number) const {
  int64_t own = heads.heads * heads.width, row = parts * own;
  auto *data = static_cast<uint8_t *>(packed) +
               uint64_t(number * own) * getInfo(type).bytes;
  return {data, heads.time * row, row, heads.width};
}

Status AttentionWorkshop::prepare() {
  void *packed = nullptr, *gradients = nullptr, *result = nullptr,
       *cotangent = nullptr;
  Status status = allocate(packed, 3);
  for (auto [memory, parts] : {std::pair(&gradients, 3), std::pair(&result, 1),
                               std::pair(&cotangent, 1)})
    if (status.ok())
      status = allocate(*memory, parts);
  if (!status.ok())
    return status;
  problem.type = type;
  problem.batch = heads.batch;
  problem.queries = problem.keys = heads.time;
  problem.heads = problem.keyHeads = heads.heads;
  problem.width = problem.valueWidth = heads.width;
  problem.causal = true;
  problem.scale = 1 / std::sqrt(double(heads.width));
  HeadRows *parts[] = {&problem.query, &problem.key, &problem.value};
  HeadRows *slopes[] = {&problem.queryGradient, &problem.keyGradient,
                        &problem.valueGradient};
  for (int i = 0; i < 3; ++i) {
    *parts[i] = part(packed, 3, i);
    *slopes[i] = part(gradients, 3, i);
  }
  problem.result = part(result, 1, 0);
  problem.cotangent = part(cotangent, 1, 0);
  uint64_t rows = backwardWorkspaceBytes(problem);
  Result<void *> logSum = device.allocate(rows), own = device.allocate(rows);
  if (!logSum || !own)
    return logSum ? own.status() : logSum.status();
  problem.logSumExp = static_cast<float *>(*logSum);
  workspace = *own;
  return {};
}

/// `products` of queries by keys by width, of which half is seen.
Status AttentionWorkshop::add(TimedList &list, const char *what,
                              double products,
                              Result<std::vector<AttentionLaunch>> launches) {
  if (!launches)
    return launches.status();
  for (AttentionLaunch &launch : *launches) {
    launch.setWorkspace(workspace);
    if (Status status = device.allow(launch); !status.ok())
      return status;
  }
  auto run = [&](cudaStream_t stream) {
    Status status;
    for (AttentionLaunch &launch : *launches)
      if (status.ok())
        status =
            statusOf(cudaLaunchKernel(launch.function, launch.grid,
                                      launch.block, launch.kernelParameters(),
                                      launch.sharedBytes, stream),
                     "cudaLaunchKernel");
    return status;
  };
  double scores = double(heads.batch * heads.heads) * double(heads.time) *
                  double(heads.time) / 2;
  double operations = products * 2 * scores * double(heads.width);
  std::string name = std::string(what) + " " + std::string(getInfo(type).name) +
                     " T" + std::to_string(heads.time) + " d" +
                     std::to_string(heads.width);
  Result<std::unique_ptr<Timed>> timed =
      Timed::record(std::move(name), 0, 1, device.stream(), run, operations);
  if (!timed)
    return timed.status();
  list.push_back(std::move(*timed));
  return {};
}

Status AttentionWorkshop::addTo(TimedList &list) {
  if (Status status = prepare(); !status.ok())
    return status;
  Status status = add(list, "attention", 2, planForward(problem));
  // Of the seven products that are computed, five are needed.
  return status.ok() ? add(list, "attention-backward", 5, planBackward(problem))
                     : status;
}

Status kernels::addAttention(TimedList &list, CudaDevice &device,
                             const BenchOptions::Heads &heads) {
  for (DType type : {DType::BF16, DType::F16, DType::F32})
    if (Status status = AttentionWorkshop(device, heads, type).addTo(list);
        !status.ok())
      return status;
  return {};
}

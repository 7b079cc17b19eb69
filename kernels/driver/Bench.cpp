#include "kernels/driver/Bench.h"
#include "kernels/driver/Fill.h"
#include <numeric>

using namespace mpc;
using namespace mpc::kernels;

#define MPC_RETURN_IF_FAILED(expression)                                       \
  if (Status status_ = (expression); !status_.ok())                            \
  return status_

namespace {
/// Lists of parameters in device memory, and operations planned on them.
class Workshop {
public:
  Workshop(CudaDevice &device, std::vector<uint64_t> counts)
      : device(device), counts(std::move(counts)) {}

  uint64_t elements() const {
    return std::accumulate(counts.begin(), counts.end(), uint64_t(0));
  }
  /// Weights, moments, gradients and copies in `type`, with random numbers.
  Status prepare(DType type);
  Result<Launch> planNorm();
  Result<Launch> planAdamW();
  Result<Launch> planSgd(double momentum);

private:
  using List = std::vector<void *>;
  Status allocate(List &list, DType type, float low, float high);
  Result<void *> scalar(const void *value, size_t bytes);
  Status prepareScalars();
  Result<Launch> finish(const MultiTensor &op, const std::vector<List> &lists,
                        List scalars, const List &last = {});
  MultiTensor update(Kind kind) const;

  CudaDevice &device;
  std::vector<uint64_t> counts;
  DType type = DType::F32;
  List weights, firsts, seconds, gradients, copies;
  void *foundInf = nullptr, *scale = nullptr, *coefficient = nullptr;
  void *learningRate = nullptr, *step = nullptr, *norm = nullptr;
};
} // namespace

/// One block with all tensors of a list on boundaries of 256 bytes, as the
/// memory plan of a program has them.
Status Workshop::allocate(List &list, DType type, float low, float high) {
  list.clear();
  uint64_t bytes = 0;
  std::vector<uint64_t> offsets;
  for (uint64_t count : counts) {
    offsets.push_back(bytes);
    bytes += (count * getInfo(type).bytes + 255) / 256 * 256;
  }
  Result<void *> block = device.allocate(bytes);
  if (!block)
    return block.status();
  for (uint64_t offset : offsets)
    list.push_back(static_cast<uint8_t *>(*block) + offset);
  return statusOf(fillRandom(*block, type, bytes / getInfo(type).bytes, low,
                             high, bytes + uint64_t(type), device.stream()),
                  "fillRandom");
}

Result<void *> Workshop::scalar(const void *value, size_t bytes) {
  return device.upload({static_cast<const uint8_t *>(value), bytes});
}

Status Workshop::prepareScalars() {
  uint8_t no = 0;
  float scaleValue = 1024, coefficientValue = 0.5f, rate = 1e-4f, zero = 0;
  int32_t stepValue = 1000;
  struct {
    void *&place;
    const void *value;
    size_t bytes;
  } scalars[] = {{foundInf, &no, 1},
                 {scale, &scaleValue, 4},
                 {coefficient, &coefficientValue, 4},
                 {learningRate, &rate, 4},
                 {step, &stepValue, 4},
                 {norm, &zero, 4}};
  for (auto &each : scalars) {
    Result<void *> memory = scalar(each.value, each.bytes);
    if (!memory)
      return memory.status();
    each.place = *memory;
  }
  return {};
}

Status Workshop::prepare(DType newType) {
  type = newType;
  if (weights.empty()) {
    MPC_RETURN_IF_FAILED(prepareScalars());
    MPC_RETURN_IF_FAILED(allocate(weights, DType::F32, -0.05f, 0.05f));
    MPC_RETURN_IF_FAILED(allocate(firsts, DType::F32, -1e-3f, 1e-3f));
    MPC_RETURN_IF_FAILED(allocate(seconds, DType::F32, 1e-8f, 1e-6f));
  }
  MPC_RETURN_IF_FAILED(allocate(gradients, type, -1.0f, 1.0f));
  return allocate(copies, type == DType::F32 ? DType::BF16 : type, 0, 1);
}

Result<Launch> Workshop::finish(const MultiTensor &op,
                                const std::vector<List> &lists, List scalars,
                                const List &last) {
  List arguments = std::move(scalars);
  for (const List &list : lists)
    arguments.insert(arguments.end(), list.begin(), list.end());
  arguments.insert(arguments.end(), last.begin(), last.end());
  Result<Launch> launch = plan(op, counts, arguments, device.multiprocessors());
  if (!launch)
    return launch;
  Result<void *> table = device.upload(launch->table);
  if (!table)
    return table.status();
  launch->setTable(*table);
  return launch;
}

MultiTensor Workshop::update(Kind kind) const {
  MultiTensor op;
  op.kind = kind;
  op.gradientType = type;
  op.copyType = type == DType::F32 ? DType::BF16 : type;
  op.hasFoundInf = op.hasScale = op.hasCoefficient = true;
  op.beta1 = 0.9;
  op.beta2 = 0.95;
  op.epsilon = 1e-8;
  op.weightDecay = 0.1;
  return op;
}

Result<Launch> Workshop::planNorm() {
  MultiTensor op;
  op.gradientType = type;
  op.hasScale = true;
  return finish(op, {gradients}, {scale}, {foundInf, norm});
}

Result<Launch> Workshop::planAdamW() {
  return finish(
      update(Kind::AdamW),
      {weights, gradients, firsts, seconds, weights, firsts, seconds, copies},
      {foundInf, scale, coefficient, learningRate, step});
}

Result<Launch> Workshop::planSgd(double momentum) {
  MultiTensor op = update(Kind::Sgd);
  op.momentum = momentum;
  List scalars = {foundInf, scale, coefficient, learningRate};
  if (momentum == 0)
    return finish(op, {weights, gradients, weights, copies}, scalars);
  return finish(op, {weights, gradients, firsts, weights, firsts, copies},
                scalars);
}

namespace {
/// Collects benchmarks, and the first failure.
class Collector {
public:
  explicit Collector(CudaDevice &device) : device(device) {}

  void addCopy(uint64_t bytes) {
    Result<void *> from = device.allocate(bytes), to = device.allocate(bytes);
    if (!from || !to)
      return fail(from ? to.status() : from.status());
    fail(statusOf(
        fillRandom(*from, DType::F32, bytes / 4, -1, 1, 1, device.stream()),
        "fillRandom"));
    take(queueCopy(*to, *from, bytes, device.stream()));
  }

  void addList(const std::string &list, std::vector<uint64_t> counts,
               uint32_t repeatsIfSmall) {
    Workshop workshop(device, std::move(counts));
    uint64_t elements = workshop.elements();
    repeats = elements > (1 << 24) ? 2 : repeatsIfSmall;
    for (DType type : {DType::BF16, DType::F16, DType::F32}) {
      if (Status status = workshop.prepare(type); !status.ok())
        return fail(status);
      std::string suffix = " " + std::string(getInfo(type).name) + " " + list;
      uint64_t g = getInfo(type).bytes;
      Result<Launch> norm = workshop.planNorm(), adamW = workshop.planAdamW();
      Result<Launch> plain = workshop.planSgd(0), sgd = workshop.planSgd(0.9);
      add("norm" + suffix, elements * g, {&norm});
      add("adamw" + suffix, elements * (g + 26), {&adamW});
      add("norm+adamw" + suffix, elements * (2 * g + 26), {&norm, &adamW});
      add("sgd" + suffix, elements * (g + 10), {&plain});
      add("sgd-momentum" + suffix, elements * (g + 18), {&sgd});
    }
  }

  TimedList list;
  Status failure;

private:
  void fail(Status status) {
    if (failure.ok())
      failure = std::move(status);
  }

  void take(Result<std::unique_ptr<Timed>> timed) {
    if (!timed)
      return fail(timed.status());
    list.push_back(std::move(*timed));
  }

  /// The kernels of `planned`, one after the other.
  void add(std::string name, uint64_t bytes,
           std::vector<Result<Launch> *> planned) {
    for (Result<Launch> *launch : planned)
      if (!*launch)
        return fail(launch->status());
    auto run = [&](cudaStream_t stream) {
      Status status;
      for (Result<Launch> *each : planned) {
        Launch &launch = **each;
        if (status.ok())
          status = statusOf(
              cudaLaunchKernel(launch.function, launch.grid, launch.block,
                               launch.kernelParameters(), 0, stream),
              "cudaLaunchKernel");
      }
      return status;
    };
    take(Timed::record(std::move(name), bytes, repeats, device.stream(), run));
  }

  CudaDevice &device;
  uint32_t repeats = 1;
};
} // namespace

Result<TimedList> kernels::makeBenchmarks(CudaDevice &device,
                                          const BenchOptions &options) {
  Collector collector(device);
  collector.addCopy(options.copyBytes);
  for (const auto &[name, counts] : options.lists)
    collector.addList(name, counts, options.repeats);
  if (!collector.failure.ok())
    return collector.failure;
  for (const BenchOptions::Heads &heads : options.attention)
    if (Status status = addAttention(collector.list, device, heads);
        !status.ok())
      return status;
  return std::move(collector.list);
}

#include "MatmulTuner.h"

#include <algorithm>
#include <chrono>
#include <random>

using namespace mpc;
using namespace mpc::runtime;

Clock runtime::getSteadyClock() {
  return [] {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
}

MatmulTuner::MatmulTuner(const CudaApi &cuda, double budget, const Clock &clock,
                         const Log &log)
    : cuda(cuda), clock(clock), end(clock() + budget), log(log) {}

MatmulTuner::~MatmulTuner() {
  for (cudaEvent_t event : events)
    cuda.cudaEventDestroy(event);
}

/// Random bits that are a number below 2 in every type that products read: as
/// f16 from 1 on, as bf16 and f32 from 2^-7, as f64 from 2^-63, and as f8 no
/// byte is NaN or infinite. Either sign.
static std::vector<uint16_t> makeNumbers(size_t count) {
  std::mt19937 random(1);
  std::vector<uint16_t> numbers(count);
  for (uint16_t &number : numbers)
    number = static_cast<uint16_t>((random() & 0x83bf) | 0x3c00);
  return numbers;
}

/// A piece comes from the host and is doubled on the device.
Status MatmulTuner::fill(const ReadMemory &memory, cudaStream_t stream) {
  constexpr uint64_t kPieceBytes = uint64_t(1) << 20;
  if (numbers.empty())
    numbers = makeNumbers(kPieceBytes / sizeof(uint16_t));
  auto *to = static_cast<uint8_t *>(memory.address);
  uint64_t filled = std::min(memory.bytes, kPieceBytes);
  auto error = cuda.cudaMemcpyAsync(to, numbers.data(), filled,
                                    cudaMemcpyHostToDevice, stream);
  while (!error && filled < memory.bytes) {
    uint64_t more = std::min(filled, memory.bytes - filled);
    error = cuda.cudaMemcpyAsync(to + filled, to, more,
                                 cudaMemcpyDeviceToDevice, stream);
    filled += more;
  }
  return makeStatus(cuda, error, "cudaMemcpyAsync of random numbers");
}

double MatmulTuner::budgetLeft() const { return std::max(end - clock(), 0.0); }

Result<cudaEvent_t> MatmulTuner::event(size_t index) {
  while (events.size() <= index) {
    cudaEvent_t made = nullptr;
    if (Status status = makeStatus(
            cuda, cuda.cudaEventCreateWithFlags(&made, cudaEventDefault),
            "cudaEventCreateWithFlags");
        !status.ok())
      return status;
    events.push_back(made);
  }
  return events[index];
}

/// Runs every candidate once, between two events each, and adds the times to
/// `samples` if that is given. False if none runs.
Result<bool> MatmulTuner::runRound(CublasLtMatmul &product, void *workspace,
                                   cudaStream_t stream, Samples *samples) {
  size_t count = product.candidates.size();
  Result<cudaEvent_t> before = event(0);
  if (!before)
    return before.status();
  Status status = makeStatus(cuda, cuda.cudaEventRecord(*before, stream),
                             "cudaEventRecord");
  std::vector<size_t> ran;
  for (size_t i = 0; status.ok() && i < count; ++i) {
    if (failed[i])
      continue;
    if (!product.enqueue(stream, workspace, product.candidates[i]).ok()) {
      failed[i] = true;
      continue;
    }
    ran.push_back(i);
    Result<cudaEvent_t> after = event(ran.size());
    if (!after)
      return after.status();
    status = makeStatus(cuda, cuda.cudaEventRecord(*after, stream),
                        "cudaEventRecord");
  }
  if (status.ok())
    status = makeStatus(cuda, cuda.cudaEventSynchronize(events[ran.size()]),
                        "timing matrix product " + product.text);
  for (size_t i = 0; samples && status.ok() && i < ran.size(); ++i) {
    float time = 0;
    status = makeStatus(
        cuda, cuda.cudaEventElapsedTime(&time, events[i], events[i + 1]),
        "cudaEventElapsedTime");
    (*samples)[ran[i]].push_back(time);
  }
  if (!status.ok())
    return status;
  return !ran.empty();
}

static double median(std::vector<float> samples) {
  auto middle = samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return static_cast<double>(*middle);
}

Result<MatmulPlan> MatmulTuner::tune(CublasLtMatmul &product, size_t left,
                                     void *workspace, cudaStream_t stream) {
  double until = clock() + budgetLeft() / static_cast<double>(left);
  Samples samples(product.candidates.size());
  failed.assign(product.candidates.size(), false);
  for (const ReadMemory &memory : product.reads)
    if (Status status = fill(memory, stream); !status.ok())
      return status;
  int rounds = 0;
  for (; rounds <= kRounds && clock() < until; ++rounds) {
    Result<bool> ran =
        runRound(product, workspace, stream, rounds ? &samples : nullptr);
    if (!ran)
      return ran.status();
    if (!*ran)
      break;
  }
  MatmulPlan best = product.plan;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].empty() || failed[i])
      continue;
    double time = median(samples[i]);
    if (best.milliseconds && *best.milliseconds <= time)
      continue;
    best = product.candidates[i];
    best.milliseconds = time;
  }
  if (log)
    log(LogLevel::Info, best.milliseconds
                            ? "matrix product " + product.text + ": " +
                                  std::to_string(*best.milliseconds * 1e3) +
                                  " us, best of " +
                                  std::to_string(samples.size()) + " in " +
                                  std::to_string(rounds - 1) + " rounds"
                            : "matrix product " + product.text +
                                  ": the tuning budget did not last for it");
  return best;
}

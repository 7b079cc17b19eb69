#include "kernels/driver/Timed.h"
#include "kernels/driver/CudaDevice.h"
#include "mpc/Support/Number.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <istream>
#include <ostream>
#include <sstream>

using namespace mpc;
using namespace mpc::kernels;

Timed::~Timed() {
  if (graph)
    cudaGraphExecDestroy(graph);
}

Result<std::unique_ptr<Timed>>
Timed::record(std::string name, uint64_t bytes, uint32_t repeats,
              cudaStream_t stream, const Run &run, double operations) {
  std::unique_ptr<Timed> timed(
      new Timed(std::move(name), bytes, operations, repeats, stream));
  // Once outside of the capture: kernels load at their first launch.
  Status status = run(stream);
  if (status.ok())
    status = statusOf(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  if (status.ok())
    status = statusOf(
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
  if (!status.ok())
    return status;
  for (uint32_t i = 0; i < repeats && status.ok(); ++i)
    status = run(stream);
  cudaGraph_t recorded = nullptr;
  cudaError_t error = cudaStreamEndCapture(stream, &recorded);
  if (status.ok())
    status = statusOf(error, "cudaStreamEndCapture");
  if (status.ok())
    status = statusOf(cudaGraphInstantiate(&timed->graph, recorded, 0),
                      "cudaGraphInstantiate");
  if (recorded)
    cudaGraphDestroy(recorded);
  if (!status.ok())
    return status;
  return timed;
}

std::unique_ptr<Timed> Timed::queue(std::string name, uint64_t bytes,
                                    cudaStream_t stream, Run run) {
  std::unique_ptr<Timed> timed(new Timed(std::move(name), bytes, 0, 1, stream));
  timed->run = std::move(run);
  return timed;
}

std::unique_ptr<Timed> kernels::queueCopy(void *to, const void *from,
                                          uint64_t bytes, cudaStream_t stream) {
  return Timed::queue("copy", 2 * bytes, stream, [=](cudaStream_t queue) {
    return statusOf(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, queue),
        "cudaMemcpyAsync");
  });
}

//===-- One sample --------------------------------------------------------===//

namespace {
/// A pair of events.
class Stopwatch {
public:
  Stopwatch() {
    status = statusOf(cudaEventCreate(&first), "cudaEventCreate");
    if (status.ok())
      status = statusOf(cudaEventCreate(&last), "cudaEventCreate");
  }
  ~Stopwatch() {
    for (cudaEvent_t event : {first, last})
      if (event)
        cudaEventDestroy(event);
  }

  /// Seconds that the GPU takes for `count` times what `launch` queues.
  Result<double> run(const Timed::Run &launch, uint64_t count,
                     cudaStream_t stream) {
    check(cudaEventRecord(first, stream), "cudaEventRecord");
    for (uint64_t i = 0; i < count && status.ok(); ++i)
      status = launch(stream);
    check(cudaEventRecord(last, stream), "cudaEventRecord");
    check(cudaEventSynchronize(last), "cudaEventSynchronize");
    float milliseconds = 0;
    if (status.ok())
      check(cudaEventElapsedTime(&milliseconds, first, last),
            "cudaEventElapsedTime");
    if (!status.ok())
      return status;
    return milliseconds * 1e-3;
  }

private:
  /// Keeps the first failure.
  void check(cudaError_t error, const char *call) {
    if (status.ok())
      status = statusOf(error, call);
  }
  Status status;
  cudaEvent_t first = nullptr, last = nullptr;
};
} // namespace

Result<double> Timed::time(double seconds) {
  Stopwatch stopwatch;
  Run launch = run;
  if (graph)
    launch = [this](cudaStream_t queue) {
      return statusOf(cudaGraphLaunch(graph, queue), "cudaGraphLaunch");
    };
  if (estimate == 0) { // the first launch uploads the graph
    Result<double> first = stopwatch.run(launch, 1, stream);
    if (!first)
      return first;
    Result<double> second = stopwatch.run(launch, 3, stream);
    if (!second)
      return second;
    estimate = std::max(*second / 3 / repeats, 1e-9);
  }
  auto launches =
      uint64_t(std::max(1.0, std::ceil(seconds / (estimate * repeats))));
  Result<double> total = stopwatch.run(launch, launches, stream);
  if (!total)
    return total;
  estimate = *total / double(launches * repeats);
  return estimate;
}

//===-- Turns -------------------------------------------------------------===//

bool TurnOptions::read(std::string_view word, const char *number) {
  if (word == "--rounds")
    return parseNumber(number, rounds);
  return word == "--seconds" && parseNumber(number, seconds);
}

static double quantile(std::vector<double> samples, double fraction) {
  std::sort(samples.begin(), samples.end());
  return samples[size_t(std::lround(fraction * double(samples.size() - 1)))];
}

static void print(const Timed &timed, const std::vector<double> &samples,
                  double copyRate, bool json) {
  double seconds = quantile(samples, 0.5);
  double spread = quantile(samples, 0.75) - quantile(samples, 0.25);
  double rate = double(timed.bytes) / seconds;
  std::printf(json ? "{\"name\": \"%s\", \"us\": %.3f, \"iqr us\": %.3f, "
                   : "%-36s %10.2f us +- %-8.2f ",
              timed.name.c_str(), seconds * 1e6, spread * 1e6);
  if (timed.operations > 0)
    std::printf(json ? "\"TFLOP/s\": %.3f}\n" : "%8.1f TFLOP/s\n",
                timed.operations / seconds * 1e-12);
  else
    std::printf(json ? "\"GB/s\": %.1f, \"of copy\": %.3f}\n"
                     : "%8.1f GB/s %6.1f %% of a copy\n",
                rate * 1e-9, (json ? 1 : 100) * rate / copyRate);
}

Status kernels::timeInTurns(const TimedList &list, const TurnOptions &options) {
  std::vector<std::vector<double>> samples(list.size());
  for (int round = -1; round < options.rounds; ++round)
    for (size_t i = 0; i < list.size(); ++i) {
      Result<double> seconds = list[i]->time(options.seconds);
      if (!seconds)
        return seconds.status();
      if (round >= 0)
        samples[i].push_back(*seconds);
    }
  double copyRate = double(list[0]->bytes) / quantile(samples[0], 0.5);
  for (size_t i = 0; i < list.size(); ++i)
    print(*list[i], samples[i], copyRate, options.json);
  return {};
}

static std::string answer(const std::string &line, const TimedList &list) {
  if (line == "list") {
    std::string names;
    for (auto &each : list)
      names += (names.empty() ? "\"" : ", \"") + each->name + "\"";
    return "{\"names\": [" + names + "]}";
  }
  size_t first = line.find(' '), last = line.rfind(' ');
  double wanted = 0;
  if (line.rfind("run ", 0) != 0 || last <= first ||
      !parseNumber(std::string_view(line).substr(last + 1), wanted))
    return "{\"error\": \"expected 'list' or 'run NAME SECONDS'\"}";
  std::string name = line.substr(first + 1, last - first - 1);
  for (auto &each : list) {
    if (each->name != name)
      continue;
    Result<double> seconds = each->time(wanted);
    if (!seconds)
      return "{\"error\": \"" + seconds.status().message() + "\"}";
    std::ostringstream text;
    text.precision(9);
    text << "{\"seconds\": " << *seconds << ", \"bytes\": " << each->bytes
         << "}";
    return text.str();
  }
  return "{\"error\": \"there is no benchmark '" + name + "'\"}";
}

void kernels::serve(const TimedList &list, std::istream &in,
                    std::ostream &out) {
  for (std::string line; std::getline(in, line);)
    out << answer(line, list) << '\n' << std::flush;
}

// graph-nodes: what a node of a CUDA graph costs beside its work, and what
// uploads cost beside a graph.
//
//   graph-nodes [--json] [--seconds S]
//
// Chains of 10, 100 and 400 nodes that do next to nothing: kernels, kernels
// that may start before the one in front has ended, fills, copies, and these in
// turns. Then a chain of 400 kernels with an upload of 64 KB to 1 MB in front
// of it, on the same stream and on another.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no GPU.
#include "Touch.h"
#include "kernels/driver/CudaDevice.h"
#include "kernels/driver/Timed.h"
#include "mpc/Support/Number.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mpc;
using kernels::CudaDevice;
using kernels::statusOf;
using kernels::Timed;

namespace {
constexpr uint64_t kBytes = uint64_t(1) << 20;

struct Options {
  bool json = false;
  double seconds = 0.02;
};

/// Device memory, pinned memory, and a second stream.
class Bench {
public:
  explicit Bench(CudaDevice &device, const Options &options)
      : device(device), options(options) {}
  ~Bench();
  Status open();
  Status timeChains();
  Status timeUploads();

private:
  enum class Kind { Kernel, EarlyKernel, Fill, Copy, Turns };
  Status enqueue(Kind kind, uint32_t number, cudaStream_t stream);
  void print(const char *what, uint32_t count, const char *unit,
             double value) const;
  Result<double> timeWithUpload(cudaGraphExec_t graph, uint64_t bytes,
                                cudaStream_t uploads);

  CudaDevice &device;
  Options options;
  uint8_t *memory = nullptr;
  void *pinned = nullptr;
  cudaStream_t other = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
};
} // namespace

Status Bench::open() {
  Result<void *> block = device.allocate(2 * kBytes);
  if (!block)
    return block.status();
  memory = static_cast<uint8_t *>(*block);
  for (auto [error, call] :
       {std::pair(cudaHostAlloc(&pinned, kBytes, cudaHostAllocDefault),
                  "cudaHostAlloc"),
        std::pair(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking),
                  "cudaStreamCreateWithFlags"),
        std::pair(cudaEventCreate(&begin), "cudaEventCreate"),
        std::pair(cudaEventCreate(&end), "cudaEventCreate")})
    if (Status status = statusOf(error, call); !status.ok())
      return status;
  return {};
}

Bench::~Bench() {
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  if (other)
    cudaStreamDestroy(other);
  cudaFreeHost(pinned);
}

void Bench::print(const char *what, uint32_t count, const char *unit,
                  double value) const {
  std::printf(options.json
                  ? "{\"what\": \"%s\", \"count\": %u, \"unit\": \"%s\", "
                    "\"value\": %.4g}\n"
                  : "%-44s %6u %-12s %8.4g\n",
              what, count, unit, value);
}

Status Bench::enqueue(Kind kind, uint32_t number, cudaStream_t stream) {
  auto *counter = reinterpret_cast<float *>(memory);
  switch (kind) {
  case Kind::Kernel:
  case Kind::EarlyKernel:
    return statusOf(bench::touch(counter, kind == Kind::EarlyKernel, stream),
                    "touch");
  case Kind::Fill:
    return statusOf(cudaMemsetAsync(memory, 0, 4, stream), "cudaMemsetAsync");
  case Kind::Copy:
    return statusOf(cudaMemcpyAsync(memory + 256, memory, 4,
                                    cudaMemcpyDeviceToDevice, stream),
                    "cudaMemcpyAsync");
  case Kind::Turns:
    break;
  }
  constexpr Kind turns[] = {Kind::Kernel, Kind::Fill, Kind::Kernel, Kind::Copy};
  return enqueue(turns[number % 4], 0, stream);
}

Status Bench::timeChains() {
  constexpr std::pair<Kind, const char *> kinds[] = {
      {Kind::Kernel, "kernels"},
      {Kind::EarlyKernel, "kernels that may start early"},
      {Kind::Fill, "fills"},
      {Kind::Copy, "copies"},
      {Kind::Turns, "kernel, fill, kernel, copy, in turns"}};
  for (auto [kind, name] : kinds)
    for (uint32_t count : {10u, 100u, 400u}) {
      uint32_t number = 0;
      auto chain = Timed::record(
          name, 0, count, device.stream(),
          [&](cudaStream_t stream) { return enqueue(kind, number++, stream); });
      if (!chain)
        return chain.status();
      Result<double> each = (*chain)->time(options.seconds);
      if (!each)
        return each.status();
      print(name, count, "us a node", *each * 1e6);
    }
  return {};
}

/// Seconds of an upload and the graph after it, of 20 such in a row. Uploads
/// on another stream are for the graph after next, and nothing waits for them.
Result<double> Bench::timeWithUpload(cudaGraphExec_t graph, uint64_t bytes,
                                     cudaStream_t uploads) {
  constexpr int count = 20;
  cudaError_t error = cudaEventRecord(begin, device.stream());
  for (int i = 0; i < count && !error; ++i) {
    if (bytes)
      error = cudaMemcpyAsync(memory + kBytes, pinned, bytes,
                              cudaMemcpyHostToDevice, uploads);
    if (!error)
      error = cudaGraphLaunch(graph, device.stream());
  }
  if (!error)
    error = cudaEventRecord(end, device.stream());
  if (!error)
    error = cudaEventSynchronize(end);
  float milliseconds = 0;
  if (!error)
    error = cudaEventElapsedTime(&milliseconds, begin, end);
  if (Status status = statusOf(error, "uploads beside a graph"); !status.ok())
    return status;
  return static_cast<double>(milliseconds) * 1e-3 / count;
}

Status Bench::timeUploads() {
  cudaGraph_t captured = nullptr;
  Status status = statusOf(
      cudaStreamBeginCapture(device.stream(), cudaStreamCaptureModeRelaxed),
      "cudaStreamBeginCapture");
  for (int i = 0; i < 400 && status.ok(); ++i)
    status = enqueue(Kind::Kernel, 0, device.stream());
  cudaError_t ended = cudaStreamEndCapture(device.stream(), &captured);
  if (status.ok())
    status = statusOf(ended, "cudaStreamEndCapture");
  cudaGraphExec_t graph = nullptr;
  if (status.ok())
    status = statusOf(cudaGraphInstantiate(&graph, captured, 0),
                      "cudaGraphInstantiate");
  for (uint32_t kilobytes : {0u, 64u, 256u, 1024u})
    for (auto [stream, name] :
         {std::pair(device.stream(), "KB uploaded before 400 kernels"),
          std::pair(other, "KB uploaded beside 400 kernels")}) {
      // The first time warms up.
      for (bool counts : {false, true}) {
        Result<double> spent =
            status.ok()
                ? timeWithUpload(graph, uint64_t(kilobytes) << 10, stream)
                : Result<double>(status);
        if (!spent)
          status = spent.status();
        else if (counts)
          print(name, kilobytes, "us a step", *spent * 1e6);
      }
    }
  if (graph)
    cudaGraphExecDestroy(graph);
  if (captured)
    cudaGraphDestroy(captured);
  return status;
}

int main(int argc, char **argv) {
  enum ExitCode { Done = 0, Failed = 1, Usage = 2, NoGpu = 3 };
  Options options;
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--json") == 0)
      options.json = true;
    else if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc &&
             parseNumber(argv[i + 1], options.seconds))
      ++i;
    else {
      std::fputs("usage: graph-nodes [--json] [--seconds S]\n", stderr);
      return Usage;
    }
  Result<CudaDevice> device = CudaDevice::open();
  Status status = device ? Status() : device.status();
  if (device) {
    Bench bench(*device, options);
    for (auto step : {&Bench::open, &Bench::timeChains, &Bench::timeUploads})
      if (status.ok())
        status = (bench.*step)();
  }
  if (status.ok())
    return Done;
  std::fprintf(stderr, "graph-nodes: %s\n", status.message().c_str());
  return status.code() == StatusCode::DeviceUnsupported ? NoGpu : Failed;
}

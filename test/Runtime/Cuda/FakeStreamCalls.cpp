// Streams, events, and what is enqueued on streams.
#include "FakeCalls.h"

#include <algorithm>
#include <cstring>

using namespace mpc;
using namespace mpc::test;
using Calls = FakeCalls;

static std::string name(const FakeStream *stream) {
  return stream ? "stream" + std::to_string(stream->number) : "stream0";
}
static std::string name(const FakeEvent *event) {
  return "event" + std::to_string(event->number);
}

cudaError_t FakeCalls::submit(FakeStream *stream, FakeWork work) {
  if (!stream)
    return breakRule("the legacy default stream is used",
                     cudaErrorInvalidResourceHandle);
  if (!work.body)
    return cudaErrorInvalidValue; // a rule was broken
  if (!stream->capture) {
    stream->queue.push_back(std::move(work));
    return cudaSuccess;
  }
  FakeNode *node = nullptr;
  cudaError_t error =
      addNode(stream->capture, stream->last, std::move(work), node);
  if (error != cudaSuccess)
    return error;
  node->priority = stream->priority;
  stream->last = {node};
  stream->edges.clear();
  return cudaSuccess;
}

FakeWork FakeCalls::makeCopy(void *result, const void *source, size_t bytes,
                             cudaMemcpyKind kind) {
  std::string text = "copy " + fake().place(result) + " <- " +
                     fake().place(source) + " " + std::to_string(bytes);
  bool toDevice = kind != cudaMemcpyDeviceToHost;
  bool fromDevice = kind != cudaMemcpyHostToDevice;
  if (toDevice != isDevice(result, bytes) ||
      fromDevice != isDevice(source, bytes)) {
    breakRule("the direction of a copy is wrong: " + text, cudaSuccess);
    return {text, nullptr};
  }
  // Memory that is not pinned is staged before the call returns.
  std::shared_ptr<std::vector<uint8_t>> staged;
  if (!fromDevice && !isPinned(source, bytes)) {
    auto *begin = static_cast<const uint8_t *>(source);
    staged = std::make_shared<std::vector<uint8_t>>(begin, begin + bytes);
  }
  return {text, [=] {
            std::memmove(result, staged ? staged->data() : source, bytes);
            return cudaSuccess;
          }};
}

FakeWork FakeCalls::makeFill(void *result, int value, size_t bytes) {
  std::string text =
      "fill " + fake().place(result) + " " + std::to_string(bytes);
  if (!isDevice(result, bytes)) {
    breakRule("a fill of memory that is not the device's", cudaSuccess);
    return {text, nullptr};
  }
  return {text, [=] {
            std::memset(result, value, bytes);
            return cudaSuccess;
          }};
}

/// The kernel behind a handle or an address.
static const FakeKernel *findKernel(const void *function) {
  auto found = Calls::fake().functions.find(function);
  if (found != Calls::fake().functions.end())
    return &found->second;
  for (const auto &library : Calls::libraries())
    for (const auto &kernel : library->kernels)
      if (kernel.get() == function)
        return kernel.get();
  return Calls::fake().anyFunction ? &*Calls::fake().anyFunction : nullptr;
}

FakeWork FakeCalls::makeLaunch(const void *function, dim3 grid, dim3 block,
                               size_t shared, void *const *arguments) {
  const FakeKernel *kernel = findKernel(function);
  if (!kernel || grid.x == 0 || block.x == 0 || block.x > 1024) {
    breakRule("a launch of no kernel, or of nothing", cudaSuccess);
    return {"launch", nullptr};
  }
  if (shared > 48 * 1024 && shared > fake().sharedLimits[function]) {
    breakRule("a launch with more shared memory than was asked for",
              cudaSuccess);
    return {"launch", nullptr};
  }
  std::string text = "launch " + kernel->name + " " + std::to_string(grid.x) +
                     "x" + std::to_string(block.x) + " shared " +
                     std::to_string(shared);
  // Parameters are copied, as a launch does.
  auto values = std::make_shared<std::vector<std::vector<uint8_t>>>();
  for (size_t i = 0; i < kernel->parameters.size(); ++i) {
    auto *begin = static_cast<const uint8_t *>(arguments[i]);
    values->emplace_back(begin, begin + kernel->parameters[i]);
    void *pointer = nullptr;
    if (kernel->parameters[i] != sizeof pointer)
      continue;
    std::memcpy(&pointer, begin, sizeof pointer);
    text += " " + fake().place(pointer);
  }
  auto run = [=, copy = *kernel] {
    std::vector<void *> addresses;
    for (auto &value : *values)
      addresses.push_back(value.data());
    if (!copy.body)
      return cudaSuccess;
    std::string wrong =
        copy.body({grid.x, block.x, static_cast<uint32_t>(shared),
                   addresses.data(), function});
    if (wrong.empty())
      return cudaSuccess;
    return Calls::breakRule("kernel '" + copy.name + "': " + wrong,
                            cudaErrorLaunchFailure);
  };
  return {text, run};
}

/// Lower numbers are greater priorities.
static constexpr int kGreatestPriority = -5;

static cudaError_t makeStream(cudaStream_t *stream, unsigned flags,
                              int priority) {
  if (flags != cudaStreamNonBlocking)
    return Calls::breakRule("a stream waits for the legacy default stream",
                            cudaErrorInvalidValue);
  auto made = std::make_unique<FakeStream>();
  made->number = static_cast<uint32_t>(
      Calls::fake().count("cudaStreamCreateWithFlags") +
      Calls::fake().count("cudaStreamCreateWithPriority"));
  made->priority = priority;
  *stream = reinterpret_cast<cudaStream_t>(made.get());
  Calls::streams().push_back(std::move(made));
  return cudaSuccess;
}
static cudaError_t streamCreate(cudaStream_t *stream, unsigned flags) {
  if (auto error = Calls::enter("cudaStreamCreateWithFlags"))
    return error;
  return makeStream(stream, flags, 0);
}
static cudaError_t streamCreateWithPriority(cudaStream_t *stream,
                                            unsigned flags, int priority) {
  if (auto error = Calls::enter("cudaStreamCreateWithPriority"))
    return error;
  if (priority < kGreatestPriority || priority > 0)
    return Calls::breakRule("a priority that the device does not have",
                            cudaErrorInvalidValue);
  return makeStream(stream, flags, priority);
}
/// As of an H100.
static cudaError_t getPriorityRange(int *least, int *greatest) {
  *least = 0;
  *greatest = kGreatestPriority;
  return Calls::enter("cudaDeviceGetStreamPriorityRange");
}
static cudaError_t streamDestroy(cudaStream_t stream) {
  cudaError_t error =
      Calls::enter("cudaStreamDestroy", name(Calls::stream(stream)));
  (void)Calls::runStream(*Calls::stream(stream), UINT64_MAX);
  cudaError_t other = Calls::release(
      Calls::streams(), reinterpret_cast<void *>(stream), "stream");
  return error ? error : other;
}
static cudaError_t streamSynchronize(cudaStream_t handle) {
  FakeStream *stream = Calls::stream(handle);
  if (auto error = Calls::enter("cudaStreamSynchronize", name(stream)))
    return error;
  if (stream->capture)
    return Calls::breakRule("a wait inside a capture",
                            cudaErrorStreamCaptureUnsupported);
  return Calls::runStream(*stream, UINT64_MAX);
}
static cudaError_t streamWaitEvent(cudaStream_t handle, cudaEvent_t what,
                                   unsigned) {
  FakeStream *stream = Calls::stream(handle);
  FakeEvent *event = Calls::event(what);
  if (auto error =
          Calls::enter("cudaStreamWaitEvent", name(stream) + " " + name(event)))
    return error;
  if (event->capture) {
    if (stream->capture && stream->capture != event->capture)
      return Calls::breakRule("an event of another capture",
                              cudaErrorStreamCaptureMerge);
    stream->capture = event->capture;
    for (FakeNode *node : event->nodes)
      if (std::ranges::find(stream->last, node) == stream->last.end())
        stream->last.push_back(node);
    return cudaSuccess;
  }
  if (stream->capture)
    return Calls::breakRule("a capture waits for work outside of it",
                            cudaErrorStreamCaptureIsolation);
  FakeStream *other = event->stream;
  return Calls::submit(stream, {"wait " + name(event), [=, at = event->at] {
                                  return other ? Calls::runStream(*other, at)
                                               : cudaSuccess;
                                }});
}

static cudaError_t eventCreate(cudaEvent_t *event, unsigned) {
  if (auto error = Calls::enter("cudaEventCreateWithFlags"))
    return error;
  auto made = std::make_unique<FakeEvent>();
  made->number =
      static_cast<uint32_t>(Calls::fake().count("cudaEventCreateWithFlags"));
  *event = reinterpret_cast<cudaEvent_t>(made.get());
  Calls::events().push_back(std::move(made));
  return cudaSuccess;
}
static cudaError_t eventDestroy(cudaEvent_t event) {
  cudaError_t error =
      Calls::enter("cudaEventDestroy", name(Calls::event(event)));
  cudaError_t other =
      Calls::release(Calls::events(), reinterpret_cast<void *>(event), "event");
  return error ? error : other;
}
static cudaError_t eventRecord(cudaEvent_t handle, cudaStream_t where) {
  FakeStream *stream = Calls::stream(where);
  FakeEvent *event = Calls::event(handle);
  if (auto error =
          Calls::enter("cudaEventRecord", name(event) + " " + name(stream)))
    return error;
  event->capture = stream->capture;
  event->nodes = stream->last;
  event->stream = stream;
  event->at = stream->done + stream->queue.size();
  return cudaSuccess;
}
static cudaError_t eventQuery(cudaEvent_t handle) {
  FakeEvent *event = Calls::event(handle);
  if (auto error = Calls::enter("cudaEventQuery", name(event)))
    return error;
  if (event->capture)
    return Calls::breakRule("a question about an event inside a capture",
                            cudaErrorCapturedEvent);
  bool done = !event->stream || event->stream->done >= event->at;
  return done ? cudaSuccess : cudaErrorNotReady;
}
static cudaError_t eventSynchronize(cudaEvent_t handle) {
  FakeEvent *event = Calls::event(handle);
  if (auto error = Calls::enter("cudaEventSynchronize", name(event)))
    return error;
  return event->stream ? Calls::runStream(*event->stream, event->at)
                       : cudaSuccess;
}
static cudaError_t eventElapsedTime(float *milliseconds, cudaEvent_t,
                                    cudaEvent_t) {
  *milliseconds = 0.01f;
  return Calls::enter("cudaEventElapsedTime");
}

static cudaError_t memcpyAsync(void *result, const void *source, size_t bytes,
                               cudaMemcpyKind kind, cudaStream_t stream) {
  FakeWork work = Calls::makeCopy(result, source, bytes, kind);
  if (auto error = Calls::enter("cudaMemcpyAsync",
                                name(Calls::stream(stream)) + " " + work.text))
    return error;
  return Calls::submit(Calls::stream(stream), std::move(work));
}
static cudaError_t memsetAsync(void *result, int value, size_t bytes,
                               cudaStream_t stream) {
  FakeWork work = Calls::makeFill(result, value, bytes);
  if (auto error = Calls::enter("cudaMemsetAsync",
                                name(Calls::stream(stream)) + " " + work.text))
    return error;
  return Calls::submit(Calls::stream(stream), std::move(work));
}
static cudaError_t launchKernel(const cudaLaunchConfig_t *config,
                                const void *function, void **arguments) {
  FakeStream *stream = Calls::stream(config->stream);
  FakeWork work = Calls::makeLaunch(function, config->gridDim, config->blockDim,
                                    config->dynamicSmemBytes, arguments);
  if (auto error =
          Calls::enter("cudaLaunchKernelExC", name(stream) + " " + work.text))
    return error;
  if (auto error = Calls::submit(stream, std::move(work)))
    return error;
  return Calls::fake().blocking && !stream->capture
             ? Calls::runStream(*stream, UINT64_MAX)
             : cudaSuccess;
}

void FakeCalls::fillStreams(runtime::CudaApi &api) {
  api.cudaStreamCreateWithFlags = Locked<streamCreate>::call;
  api.cudaStreamCreateWithPriority = Locked<streamCreateWithPriority>::call;
  api.cudaDeviceGetStreamPriorityRange = Locked<getPriorityRange>::call;
  api.cudaStreamDestroy = Locked<streamDestroy>::call;
  api.cudaStreamSynchronize = Locked<streamSynchronize>::call;
  api.cudaStreamWaitEvent = Locked<streamWaitEvent>::call;
  api.cudaEventCreateWithFlags = Locked<eventCreate>::call;
  api.cudaEventDestroy = Locked<eventDestroy>::call;
  api.cudaEventRecord = Locked<eventRecord>::call;
  api.cudaEventQuery = Locked<eventQuery>::call;
  api.cudaEventSynchronize = Locked<eventSynchronize>::call;
  api.cudaEventElapsedTime = Locked<eventElapsedTime>::call;
  api.cudaMemcpyAsync = Locked<memcpyAsync>::call;
  api.cudaMemsetAsync = Locked<memsetAsync>::call;
  api.cudaLaunchKernelExC = Locked<launchKernel>::call;
}

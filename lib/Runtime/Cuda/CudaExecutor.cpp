#include "CudaExecutor.h"
#include "Api/CurrentDevice.h"
#include "Graph/GraphQueue.h"

using namespace mpc;
using namespace mpc::runtime;

template <typename Body> Status CudaExecutor::guarded(const Body &body) {
  if (!failure.ok())
    return {failure.code(),
            "the session can only be destroyed, since it failed: " +
                failure.message()};
  CurrentDevice current(api, device.ordinal);
  Status status = current.status();
  if (status.ok())
    status = body();
  // A collective that failed explains what the device says.
  if (collectives)
    if (Status ranks = collectives->check(); !ranks.ok())
      status = std::move(ranks);
  failure = status;
  return status;
}

Status CudaExecutor::launch(EntryState &entry) {
  if (entry.graph)
    return makeStatus(api, api.cudaGraphLaunch(entry.graph.get(), stream),
                      "cudaGraphLaunch");
  if (!options.nvtx)
    return {};
  const RangeMarker &marker = *platform.marker;
  marker.push(entry.steps.name());
  StreamQueue queue(api, stream,
                    {collectiveStream.get(), fork.get(), join.get()}, marker);
  Status status = entry.steps.issue(queue);
  marker.pop();
  return status;
}

Status CudaExecutor::enqueue(uint32_t entry, std::span<const Input> inputs) {
  auto *block = static_cast<uint8_t *>(deviceBlock.get());
  EntryState &state = entries[entry];
  Status status =
      inputSlots.upload(api, layout->inputPlans[entry], inputs,
                        block + layout->inputs.offset, stream, counts.waits);
  if (status.ok())
    status = launch(state);
  if (status.ok() && collectives && state.steps.hasCollectives())
    status = collectives->launched(stream);
  if (status.ok())
    status = state.results.fetch(api, block, stream);
  return status;
}

Status CudaExecutor::run(uint32_t entry, std::span<const Input> inputs) {
  return guarded([&] { return enqueue(entry, inputs); });
}

Status CudaExecutor::drain() {
  ++counts.synchronizations;
  return makeStatus(api, api.cudaStreamSynchronize(stream),
                    "cudaStreamSynchronize");
}

Status CudaExecutor::transfer(void *result, const void *source, uint64_t bytes,
                              cudaMemcpyKind kind) {
  if (bytes == 0)
    return {};
  if (auto error = api.cudaMemcpyAsync(result, source, bytes, kind, stream))
    return makeStatus(api, error, "cudaMemcpyAsync");
  return drain();
}

Status CudaExecutor::readState(uint64_t offset, std::span<uint8_t> bytes) {
  return guarded([&] {
    auto *state = static_cast<uint8_t *>(deviceBlock.get());
    return transfer(bytes.data(), state + layout->state.offset + offset,
                    bytes.size(), cudaMemcpyDeviceToHost);
  });
}

Status CudaExecutor::writeState(uint64_t offset,
                                std::span<const uint8_t> bytes) {
  return guarded([&] {
    auto *state = static_cast<uint8_t *>(deviceBlock.get());
    return transfer(state + layout->state.offset + offset, bytes.data(),
                    bytes.size(), cudaMemcpyHostToDevice);
  });
}

Result<std::span<const uint8_t>> CudaExecutor::output(uint32_t entry,
                                                      uint32_t index) {
  const program::Tensor &tensor =
      *program.entries()->Get(entry)->outputs()->Get(index);
  uint64_t bytes =
      program::getTensorBytes(tensor.type(), program::toSpan(tensor.shape()))
          .value_or(0);
  auto *staging =
      static_cast<uint8_t *>(pinnedBlock.get()) + layout->staging.offset;
  Status status = guarded([&] {
    auto *block = static_cast<uint8_t *>(deviceBlock.get());
    return transfer(staging, block + layout->resolve(entry, *tensor.location()),
                    bytes, cudaMemcpyDeviceToHost);
  });
  if (!status.ok())
    return status;
  return std::span<const uint8_t>(staging, bytes);
}

Result<std::span<const uint8_t>>
CudaExecutor::result(uint32_t entry, uint32_t index, uint32_t age) {
  std::span<const uint8_t> bytes;
  Status status = guarded([&]() -> Status {
    auto read = entries[entry].results.read(api, index, age, counts.waits);
    if (!read)
      return read.status();
    bytes = *read;
    return {};
  });
  if (!status.ok())
    return status;
  return bytes;
}

Status CudaExecutor::synchronize() {
  return guarded([&] { return drain(); });
}

Result<std::vector<uint8_t>> CudaExecutor::exportPlans() {
  std::string plans = libraries.writePlans();
  return std::vector<uint8_t>(plans.begin(), plans.end());
}

MemoryUse CudaExecutor::memory() const {
  MemoryUse use;
  use.planned.state = layout->state.bytes;
  use.planned.arena = layout->arena.bytes;
  use.planned.workspace =
      layout->deviceBytes - use.planned.state - use.planned.arena;
  use.used = use.planned;
  return use;
}

CudaExecutor::~CudaExecutor() {
  if (!stream)
    return;
  // What is queued uses what is released next. Its failure has been reported or
  // interests nobody any more.
  CurrentDevice current(api, device.ordinal);
  (void)api.cudaStreamSynchronize(stream);
  if (inputSlots.beside())
    (void)api.cudaStreamSynchronize(inputSlots.beside());
}

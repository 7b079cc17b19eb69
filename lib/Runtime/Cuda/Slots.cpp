#include "Slots.h"

#include <cstring>

using namespace mpc;
using namespace mpc::runtime;

Status runtime::waitFor(const CudaApi &api, cudaEvent_t event,
                        uint64_t &waits) {
  cudaError_t error = api.cudaEventQuery(event);
  if (error != cudaErrorNotReady)
    return makeStatus(api, error, "cudaEventQuery");
  ++waits;
  return makeStatus(api, api.cudaEventSynchronize(event),
                    "cudaEventSynchronize");
}

Result<InputSlots> InputSlots::make(const CudaApi &api, Memory first,
                                    Memory second) {
  InputSlots made;
  Result<Stream> stream = makeStream(api);
  if (!stream)
    return stream.status();
  made.arrivals = std::move(*stream);
  for (Slot &slot : made.slots)
    for (Event *event : {&slot.uploaded, &slot.taken}) {
      Result<Event> result = makeEvent(api);
      if (!result)
        return result.status();
      *event = std::move(*result);
    }
  made.slots[0].memory = first;
  made.slots[1].memory = second;
  return made;
}

Status InputSlots::uploadInLine(const CudaApi &api, const Slot &slot,
                                uint64_t bytes, uint8_t *device,
                                cudaStream_t stream) {
  if (auto error = api.cudaMemcpyAsync(device, slot.memory.pinned, bytes,
                                       cudaMemcpyHostToDevice, stream))
    return makeStatus(api, error, "cudaMemcpyAsync of inputs");
  return makeStatus(api, api.cudaEventRecord(slot.uploaded.get(), stream),
                    "cudaEventRecord");
}

Status InputSlots::uploadBeside(const CudaApi &api, const Slot &slot,
                                uint64_t bytes, uint8_t *device,
                                cudaStream_t stream) const {
  cudaStream_t beside = arrivals.get();
  cudaEvent_t uploaded = slot.uploaded.get(), taken = slot.taken.get();
  // An event that was never recorded holds up nothing.
  if (auto error = api.cudaStreamWaitEvent(beside, taken, 0))
    return makeStatus(api, error, "cudaStreamWaitEvent");
  if (auto error = api.cudaMemcpyAsync(slot.memory.arrival, slot.memory.pinned,
                                       bytes, cudaMemcpyHostToDevice, beside))
    return makeStatus(api, error, "cudaMemcpyAsync of inputs");
  if (auto error = api.cudaEventRecord(uploaded, beside))
    return makeStatus(api, error, "cudaEventRecord");
  if (auto error = api.cudaStreamWaitEvent(stream, uploaded, 0))
    return makeStatus(api, error, "cudaStreamWaitEvent");
  if (auto error = api.cudaMemcpyAsync(device, slot.memory.arrival, bytes,
                                       cudaMemcpyDeviceToDevice, stream))
    return makeStatus(api, error, "cudaMemcpyAsync of arrived inputs");
  return makeStatus(api, api.cudaEventRecord(taken, stream), "cudaEventRecord");
}

Status InputSlots::upload(const CudaApi &api, const InputPlan &plan,
                          std::span<const Input> inputs, uint8_t *device,
                          cudaStream_t stream, uint64_t &waits) {
  if (plan.bytes == 0)
    return {};
  Slot &slot = slots[next];
  if (slot.used)
    if (Status status = waitFor(api, slot.uploaded.get(), waits); !status.ok())
      return status;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].bytes)
      std::memcpy(slot.memory.pinned + plan.offsets[i], inputs[i].data,
                  inputs[i].bytes);
  Status status = plan.arriveBeside()
                      ? uploadBeside(api, slot, plan.bytes, device, stream)
                      : uploadInLine(api, slot, plan.bytes, device, stream);
  slot.used = true;
  next = 1 - next;
  return status;
}

Result<ResultSlots> ResultSlots::make(const CudaApi &api,
                                      const ResultPlan &plan, uint8_t *memory) {
  ResultSlots made;
  made.plan = &plan;
  made.memory = memory;
  for (uint32_t i = 0; !plan.fetches.empty() && i < Executor::kResultRuns;
       ++i) {
    Result<Event> event = makeEvent(api);
    if (!event)
      return event.status();
    made.fetched.push_back(std::move(*event));
  }
  return made;
}

Status ResultSlots::fetch(const CudaApi &api, const uint8_t *device,
                          cudaStream_t stream) {
  auto slot = static_cast<uint32_t>(runs++ % Executor::kResultRuns);
  for (const ResultPlan::Fetch &fetch : plan->fetches)
    if (auto error = api.cudaMemcpyAsync(
            memory + slot * plan->bytes + fetch.host, device + fetch.device,
            fetch.bytes, cudaMemcpyDeviceToHost, stream))
      return makeStatus(api, error, "cudaMemcpyAsync of results");
  if (plan->fetches.empty())
    return {};
  return makeStatus(api, api.cudaEventRecord(fetched[slot].get(), stream),
                    "cudaEventRecord");
}

Result<std::span<const uint8_t>> ResultSlots::read(const CudaApi &api,
                                                   uint32_t index, uint32_t age,
                                                   uint64_t &waits) {
  const std::optional<ResultPlan::Output> &output = plan->outputs[index];
  if (!output || age >= Executor::kResultRuns || age >= runs)
    return Status(StatusCode::Internal, "output " + std::to_string(index) +
                                            " of " + std::to_string(age) +
                                            " runs ago is not kept");
  if (output->bytes == 0)
    return std::span<const uint8_t>();
  auto slot = static_cast<uint32_t>((runs - 1 - age) % Executor::kResultRuns);
  if (Status status = waitFor(api, fetched[slot].get(), waits); !status.ok())
    return status;
  return std::span<const uint8_t>(memory + slot * plan->bytes + output->offset,
                                  output->bytes);
}

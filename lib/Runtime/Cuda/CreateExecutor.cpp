// How a CudaExecutor comes to be: everything is found, planned, allocated and
// built here, so that running only launches.
#include "Api/CurrentDevice.h"
#include "CudaExecutor.h"
#include "Graph/GraphQueue.h"
#include "Nccl/ConnectQueue.h"
#include "Nccl/NcclCollectives.h"

using namespace mpc;
using namespace mpc::runtime;

Status CudaExecutor::makeStreams() {
  Result<Stream> own = makeStream(api);
  // A collective that waits for the computation's blocks holds up all ranks.
  Result<Stream> urgent = own ? makeUrgentStream(api) : own.status();
  if (!urgent)
    return urgent.status();
  ownStream = std::move(*own);
  collectiveStream = std::move(*urgent);
  for (Event *made : {&fork, &join}) {
    Result<Event> result = makeEvent(api);
    if (!result)
      return result.status();
    *made = std::move(*result);
  }
  stream = options.stream ? static_cast<cudaStream_t>(options.stream)
                          : ownStream.get();
  return {};
}

/// The compiler's account of the memory that it planned.
static std::string listCategories(const program::Program &program) {
  std::string list;
  for (uint32_t i = 0; program.memory() && i < program.memory()->size(); ++i) {
    const program::MemoryCategory &category = *program.memory()->Get(i);
    list +=
        category.name()->str() + " " + std::to_string(category.bytes()) + ", ";
  }
  return list;
}

Status CudaExecutor::allocate() {
  auto failed = [&](cudaError_t error, const char *what, uint64_t bytes) {
    Status status = makeStatus(api, error, what);
    return Status(status.code(),
                  "no memory for " + std::to_string(bytes) +
                      " bytes: " + status.message() + "; planned bytes: " +
                      listCategories(program) + layout->describe());
  };
  void *memory = nullptr;
  if (layout->deviceBytes) {
    if (auto error = api.cudaMalloc(&memory, layout->deviceBytes))
      return failed(error, "cudaMalloc", layout->deviceBytes);
    deviceBlock = DeviceMemory(api, memory);
  }
  if (layout->pinnedBytes) {
    if (auto error = api.cudaHostAlloc(&memory, layout->pinnedBytes,
                                       cudaHostAllocDefault))
      return failed(error, "cudaHostAlloc", layout->pinnedBytes);
    pinnedBlock = PinnedMemory(api, memory);
  }
  return {};
}

/// States are zero at first; constants never change.
Status CudaExecutor::fillMemory() {
  auto *block = static_cast<uint8_t *>(deviceBlock.get());
  cudaStream_t own = ownStream.get();
  if (layout->state.bytes)
    if (auto error = api.cudaMemsetAsync(block + layout->state.offset, 0,
                                         layout->state.bytes, own))
      return makeStatus(api, error, "cudaMemsetAsync");
  auto constants = program::toSpan(program.constants());
  if (!constants.empty())
    if (auto error = api.cudaMemcpyAsync(block + layout->constants.offset,
                                         constants.data(), constants.size(),
                                         cudaMemcpyHostToDevice, own))
      return makeStatus(api, error, "cudaMemcpyAsync of constants");
  return makeStatus(api, api.cudaStreamSynchronize(own),
                    "cudaStreamSynchronize");
}

Status CudaExecutor::buildGraph(EntryState &entry) {
  if (entry.steps.empty() || options.nvtx)
    return {};
  GraphQueue queue(api, ownStream.get(),
                   {collectiveStream.get(), fork.get(), join.get()});
  auto failed = [&](const Status &status) {
    return Status(status.code(), "entry '" + std::string(entry.steps.name()) +
                                     "': " + status.message());
  };
  if (Status status = queue.start(); !status.ok())
    return failed(status);
  if (Status status = entry.steps.issue(queue); !status.ok())
    return status;
  Result<GraphExec> graph = queue.finish();
  if (!graph)
    return failed(graph.status());
  entry.graph = std::move(*graph);
  return makeStatus(api,
                    api.cudaGraphUpload(entry.graph.get(), ownStream.get()),
                    "cudaGraphUpload");
}

Status CudaExecutor::openCollectives(const Log &log) {
  if (!options.ranks.given())
    return {};
  Result<const NcclApi *> library = platform.openNccl();
  if (!library)
    return library.status();
  auto made =
      NcclCollectives::open(**library, api, options.ranks, device.ordinal, log);
  if (!made)
    return made.status();
  collectives = std::move(*made);
  return {};
}

/// Before states have their values: calls run once, on real memory.
Status CudaExecutor::prepareCalls() {
  std::vector<const CallLibraries::MadeCall *> all;
  for (const EntryState &entry : entries)
    for (const CallLibraries::MadeCall *call : entry.steps.calls())
      all.push_back(call);
  auto *block = static_cast<uint8_t *>(deviceBlock.get());
  return libraries.prepare(all, block + layout->callWorkspace.offset,
                           ownStream.get());
}

/// Before states have their values: the ranks meet once, on real memory.
Status CudaExecutor::connectRanks() {
  if (!collectives)
    return {};
  cudaStream_t line = collectiveStream.get();
  ConnectQueue queue(line);
  for (const EntryState &entry : entries)
    if (entry.steps.hasCollectives())
      if (Status status = entry.steps.issue(queue); !status.ok())
        return status;
  if (Status status = collectives->launched(line); !status.ok())
    return status;
  Status status = makeStatus(api, api.cudaStreamSynchronize(line),
                             "cudaStreamSynchronize after first collectives");
  // If they failed, the device only says that it has come back.
  Status ranks = collectives->check();
  return ranks.ok() ? status : ranks;
}

Status CudaExecutor::makeEntries() {
  auto *block = static_cast<uint8_t *>(deviceBlock.get());
  MultiTensorTables tables(api, block + layout->tables.offset,
                           layout->tables.bytes, device.multiprocessors,
                           ownStream.get());
  Machine machine = {api,   program, device,    modules,          *layout,
                     block, &tables, libraries, collectives.get()};
  auto *pinned = static_cast<uint8_t *>(pinnedBlock.get());
  uint32_t count = program.entries() ? program.entries()->size() : 0;
  for (uint32_t i = 0; i < count; ++i) {
    auto steps = EntrySteps::prepare(machine, i);
    if (!steps)
      return steps.status();
    auto results = ResultSlots::make(api, layout->resultPlans[i],
                                     pinned + layout->rings[i].offset);
    if (!results)
      return results.status();
    entries.push_back({std::move(*steps), {}, std::move(*results)});
  }
  for (auto step : {&CudaExecutor::prepareCalls, &CudaExecutor::connectRanks})
    if (Status status = (this->*step)(); !status.ok())
      return status;
  for (EntryState &entry : entries)
    if (Status status = buildGraph(entry); !status.ok())
      return status;
  auto memory = [&](int slot) {
    return InputSlots::Memory{pinned + layout->inputSlots[slot].offset,
                              block + layout->arrivals[slot].offset};
  };
  auto slots = InputSlots::make(api, memory(0), memory(1));
  if (!slots)
    return slots.status();
  inputSlots = std::move(*slots);
  return {};
}

Status CudaExecutor::open(const Log &log) {
  CurrentDevice current(api, device.ordinal);
  if (!current.status().ok())
    return current.status();
  // Streams first: with them comes the device's context, which the libraries
  // expect.
  if (Status status = makeStreams(); !status.ok())
    return status;
  auto loaded = Modules::load(api, program, device);
  if (!loaded)
    return loaded.status();
  modules = std::move(*loaded);
  if (Status status = libraries.open(program, {platform, device, options, log});
      !status.ok())
    return status;
  if (!options.plans.empty())
    if (Status status = libraries.readPlans(
            {reinterpret_cast<const char *>(options.plans.data()),
             options.plans.size()});
        !status.ok())
      return status;
  if (Status status = openCollectives(log); !status.ok())
    return status;
  WorkspaceNeeds needs;
  needs.tables = MultiTensorTables::bytes(program, device.multiprocessors);
  needs.kernels = modules.workspaceBytes();
  needs.calls = libraries.workspaceBytes(program);
  layout.emplace(program, needs);
  for (auto step : {&CudaExecutor::allocate, &CudaExecutor::makeEntries,
                    &CudaExecutor::fillMemory})
    if (Status status = (this->*step)(); !status.ok())
      return status;
  if (log)
    log(LogLevel::Info,
        "session: device " + std::to_string(device.ordinal) + " '" +
            device.name + "', kernels: " +
            (modules.target().empty() ? "none" : modules.target()) +
            ", bytes: " + layout->describe());
  return {};
}

Result<std::unique_ptr<Executor>>
CudaExecutor::create(const Platform &platform, const program::Program &program,
                     const DeviceOptions &options, const Log &log) {
  Result<Device> device = findDevice(*platform.cuda, options.ordinal);
  if (!device)
    return device.status();
  std::unique_ptr<CudaExecutor> made(
      new CudaExecutor(platform, program, options));
  made->device = std::move(*device);
  if (Status status = made->open(log); !status.ok())
    return status;
  return std::unique_ptr<Executor>(std::move(made));
}

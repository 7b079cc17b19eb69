#include "HostExecutor.h"

#include "mpc/Runtime/MachineMemory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

using namespace mpc;
using namespace mpc::runtime;

Allocator runtime::getDefaultAllocator() {
  auto allocate = [](void *, size_t bytes, size_t alignment) -> void * {
    void *memory = nullptr;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
  };
  auto release = [](void *, void *memory, size_t) { std::free(memory); };
  return {nullptr, allocate, release};
}

HostExecutor::HostExecutor(const Program &program, HostOptions options)
    : program(program), communicator(std::move(options.communicator)),
      wantedThreads(options.threads),
      hasOwnAllocator(options.allocator.has_value()),
      state(options.allocator.value_or(getDefaultAllocator())),
      arena(options.allocator.value_or(getDefaultAllocator())),
      workspace(options.allocator.value_or(getDefaultAllocator())) {
  if (!communicator)
    communicator = makeSingleRank();
}

static std::string listPlan(const program::Program &program,
                            uint64_t workspace) {
  std::string plan = "; planned bytes:";
  if (program.memory())
    for (const program::MemoryCategory *category : *program.memory())
      plan += " " + category->name()->str() + " " +
              std::to_string(category->bytes()) + ",";
  return plan + " state " + std::to_string(program.state_bytes()) + ", arena " +
         std::to_string(program.arena_bytes()) +
         ", workspace of library calls " + std::to_string(workspace);
}

/// The allocator of an application may know of other memory.
Status HostExecutor::checkMachineMemory() const {
  if (hasOwnAllocator)
    return {};
  const program::Program &file = *program.file();
  uint64_t memory = getMachineMemory(), needed = 0;
  for (uint64_t bytes :
       {file.state_bytes(), file.arena_bytes(), plannedWorkspace})
    needed = bytes > UINT64_MAX - needed ? UINT64_MAX : needed + bytes;
  if (needed <= memory)
    return {};
  return {StatusCode::OutOfMemory,
          "the program needs " + std::to_string(needed) +
              " bytes, but this machine has " + std::to_string(memory) +
              " for this process; take a smaller batch or model" +
              listPlan(file, plannedWorkspace)};
}

Status HostExecutor::allocate() {
  const program::Program &file = *program.file();
  auto failure = [&](const char *what, uint64_t bytes) {
    return Status(StatusCode::OutOfMemory,
                  "no memory for " + std::to_string(bytes) + " bytes of " +
                      what + listPlan(file, plannedWorkspace));
  };
  if (Status status = planWorkspaces(); !status.ok())
    return status;
  if (Status status = checkMachineMemory(); !status.ok())
    return status;
  if (!state.allocate(file.state_bytes()))
    return failure("state", file.state_bytes());
  if (!arena.allocate(file.arena_bytes()))
    return failure("arena", file.arena_bytes());
  if (!workspace.allocate(plannedWorkspace))
    return failure("workspace of library calls", plannedWorkspace);
  return {};
}

/// States that nothing gives a value to, and padding, are the same each time.
/// It is also where the system hands out the pages: by all threads.
void HostExecutor::clearState() {
  auto zero = [](uint64_t, std::span<uint8_t> piece) {
    std::ranges::fill(piece, uint8_t(0));
  };
  static_cast<void>(fillState(0, state.bytes(), zero)); // does not fail
}

/// Makes `workspace` large enough for a call.
Status HostExecutor::planWorkspace(const HostWorkspace &needs) {
  uint32_t buffers = countBuffers(needs.pieces, wantedThreads);
  uint64_t bytes;
  if (__builtin_mul_overflow(needs.perWorker, uint64_t(buffers), &bytes) ||
      __builtin_add_overflow(bytes, needs.shared, &bytes))
    return {StatusCode::OutOfMemory,
            "no memory for the workspace of library calls: " +
                std::to_string(needs.perWorker) + " bytes for each of " +
                std::to_string(buffers) + " threads"};
  plannedWorkspace = std::max(plannedWorkspace, bytes);
  return {};
}

Status HostExecutor::planWorkspaces() {
  plannedWorkspace = 0;
  for (auto &call : calls)
    if (Status status = planWorkspace(call->workspace()); !status.ok())
      return status;
  plannedWorkspace = keptBytes > UINT64_MAX - plannedWorkspace
                         ? UINT64_MAX
                         : plannedWorkspace + keptBytes;
  return {};
}

/// Entries run one at a time.
void HostExecutor::planKept() {
  const auto *list = program.file()->entries();
  for (uint32_t i = 0; list && i < list->size(); ++i) {
    kept.push_back(planKeptOperands(*program.file(), *list->Get(i), calls));
    keptBytes = std::max(keptBytes, kept.back().bytes);
  }
}

/// What is kept makes runs faster, and nothing fails for it.
void HostExecutor::dropKept() {
  for (auto &call : calls)
    call->dropKept();
  for (KeptPlan &plan : kept)
    plan.uses.clear();
  keptBytes = 0;
}

Status HostExecutor::makeCalls() {
  const auto *list = program.file()->calls();
  for (uint32_t i = 0; list && i < list->size(); ++i) {
    Result<std::unique_ptr<HostCall>> call =
        makeHostCall(*list->Get(i), wantedThreads);
    if (!call)
      return call.status();
    calls.push_back(std::move(*call));
  }
  planKept();
  Status status = allocate();
  if (!status.ok() && keptBytes) {
    dropKept();
    status = allocate();
  }
  return status.ok() ? bindCalls() : status;
}

Status HostExecutor::bindCalls() {
  for (auto &call : calls) {
    HostWorkspace needs = call->workspace();
    Status status = call->bind({workspace.data() + keptBytes,
                                workspace.data() + keptBytes + needs.shared,
                                needs.perWorker});
    if (!status.ok())
      return status;
  }
  return {};
}

Status HostExecutor::makePool() {
  Result<std::unique_ptr<ThreadPool>> made =
      ThreadPool::create(wantedThreads, useOneThread);
  if (!made)
    return made.status();
  team = std::move(*made);
  return {};
}

void HostExecutor::resolveEntries() {
  Machine machine = {&program, team.get(),   communicator.get(),
                     calls,    state.data(), arena.data()};
  const auto *list = program.file()->entries();
  for (uint32_t i = 0; list && i < list->size(); ++i) {
    entries.emplace_back(*list->Get(i), machine, kept[i], workspace.data());
    rings.emplace_back(*list->Get(i));
  }
}

void HostExecutor::report(const Log &log) const {
  if (!log)
    return;
  std::set<std::string> told;
  for (const auto &call : calls)
    if (std::string how = call->describe();
        !how.empty() && told.insert(how).second)
      log(LogLevel::Info, how);
  log(LogLevel::Info, "session: " + std::to_string(wantedThreads) +
                          " threads, bytes of state " +
                          std::to_string(state.bytes()) + ", arena " +
                          std::to_string(arena.bytes()) + ", workspace " +
                          std::to_string(workspace.bytes()));
}

Result<std::unique_ptr<Executor>> HostExecutor::create(const Program &program,
                                                       HostOptions options,
                                                       const Log &log) {
  Result<uint32_t> threads = decideThreads(options.threads);
  if (!threads)
    return threads.status();
  options.threads = *threads;
  std::unique_ptr<HostExecutor> made(
      new HostExecutor(program, std::move(options)));
  if (Status status = made->makeCalls(); !status.ok())
    return status;
  if (Status status = made->makePool(); !status.ok())
    return status;
  made->clearState();
  made->resolveEntries();
  made->report(log);
  return std::unique_ptr<Executor>(std::move(made));
}

Status HostExecutor::run(uint32_t entry, std::span<const Input> inputs) {
  OneThread guard;
  PlainArithmetic arithmetic;
  Status status = entries[entry].run(inputs);
  if (status.ok())
    rings[entry].keep(entries[entry]);
  return status;
}

Status HostExecutor::readState(uint64_t offset, std::span<uint8_t> bytes) {
  if (!bytes.empty())
    std::memcpy(bytes.data(), state.data() + offset, bytes.size());
  return {};
}

Status HostExecutor::writeState(uint64_t offset,
                                std::span<const uint8_t> bytes) {
  if (!bytes.empty())
    std::memcpy(state.data() + offset, bytes.data(), bytes.size());
  return {};
}

/// Of a state that one thread fills at a time.
static constexpr uint64_t kPieceBytes = uint64_t(1) << 18;

/// Where the bytes are to be, by all threads.
Status HostExecutor::fillState(uint64_t offset, uint64_t bytes,
                               const FillPiece &fill) {
  struct Job {
    const FillPiece &fill;
    std::span<uint8_t> bytes;
  } job = {fill, {state.data() + offset, bytes}};
  auto task = [](void *context, uint32_t chunk, uint32_t) {
    const Job &own = *static_cast<const Job *>(context);
    uint64_t first = chunk * kPieceBytes;
    own.fill(first,
             own.bytes.subspan(
                 first, std::min(kPieceBytes, own.bytes.size() - first)));
  };
  team->run(static_cast<uint32_t>((bytes + kPieceBytes - 1) / kPieceBytes),
            task, &job);
  return {};
}

Result<std::span<const uint8_t>> HostExecutor::output(uint32_t entry,
                                                      uint32_t index) {
  const program::Tensor &output =
      *program.file()->entries()->Get(entry)->outputs()->Get(index);
  uint64_t bytes =
      *program::getTensorBytes(output.type(), program::toSpan(output.shape()));
  return std::span<const uint8_t>(entries[entry].resolve(*output.location()),
                                  bytes);
}

Result<std::span<const uint8_t>>
HostExecutor::result(uint32_t entry, uint32_t index, uint32_t age) {
  return rings[entry].find(index, age);
}

Result<std::vector<uint8_t>> HostExecutor::exportPlans() {
  return Status(StatusCode::InvalidArgument,
                "target 'cpu' chooses no plans of matrix products: there is "
                "nothing to export");
}

Status HostExecutor::timeRecords(bool isOn) {
  for (EntryTable &entry : entries)
    entry.timeRecords(isOn);
  return {};
}

MemoryUse HostExecutor::memory() const {
  MemoryUse use;
  use.planned = {program.file()->state_bytes(), program.file()->arena_bytes(),
                 plannedWorkspace};
  use.used = {state.bytes(), arena.bytes(), workspace.bytes()};
  return use;
}

#include "SessionBody.h"

#include <algorithm>
#include <cstdlib>
#include <sched.h>

using namespace mpc;
using namespace mpc::runtime;

using ProgramRef = std::shared_ptr<const runtime::Program>;

Allocator runtime::getDefaultAllocator() {
  auto allocate = [](void *, size_t bytes, size_t alignment) -> void * {
    void *memory = nullptr;
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
  };
  auto release = [](void *, void *memory, size_t) { std::free(memory); };
  return {nullptr, allocate, release};
}

/// Processors that this process may use.
static uint32_t countProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return std::max(1u, std::thread::hardware_concurrency());
  return static_cast<uint32_t>(std::max(1, CPU_COUNT(&set)));
}

Session::Body::Body(ProgramRef loaded, SessionOptions options)
    : program(std::move(loaded)), communicator(std::move(options.communicator)),
      log(std::move(options.log)),
      wantedThreads(options.threads ? options.threads : countProcessors()),
      state(options.allocator), arena(options.allocator),
      workspace(options.allocator) {
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
         std::to_string(program.arena_bytes()) + ", matmul workspace " +
         std::to_string(workspace);
}

Status Session::Body::allocate() {
  const program::Program &file = *program->file();
  auto failure = [&](const char *what, uint64_t bytes) {
    return Status(StatusCode::OutOfMemory,
                  "no memory for " + std::to_string(bytes) + " bytes of " +
                      what + listPlan(file, plannedWorkspace));
  };
  if (!state.allocate(file.state_bytes()))
    return failure("state", file.state_bytes());
  if (!arena.allocate(file.arena_bytes()))
    return failure("arena", file.arena_bytes());
  if (!workspace.allocate(plannedWorkspace))
    return failure("matmul workspace", plannedWorkspace);
  // States that nothing gives a value to, and padding, are the same each time.
  std::fill_n(state.data(), state.bytes(), uint8_t(0));
  return {};
}

Status Session::Body::makeMatmuls() {
  MatmulWorkspace largest;
  const auto *records = program->file()->matmuls();
  for (uint32_t i = 0; records && i < records->size(); ++i) {
    Result<std::unique_ptr<Matmul>> matmul =
        makeMatmul(*records->Get(i), wantedThreads);
    if (!matmul)
      return matmul.status();
    MatmulWorkspace needs = (*matmul)->workspace();
    largest.shared = std::max(largest.shared, needs.shared);
    largest.perWorker = std::max(largest.perWorker, needs.perWorker);
    matmuls.push_back(std::move(*matmul));
  }
  plannedWorkspace = largest.shared + largest.perWorker * wantedThreads;
  if (Status status = allocate(); !status.ok())
    return status;
  MatmulMemory memory = {workspace.data(), workspace.data() + largest.shared,
                         largest.perWorker};
  for (auto &matmul : matmuls)
    if (Status status = matmul->bind(memory); !status.ok())
      return status;
  return {};
}

void Session::Body::resolveEntries() {
  Machine machine = {program.get(), pool.get(),   communicator.get(),
                     matmuls,       state.data(), arena.data()};
  const auto *list = program->file()->entries();
  for (uint32_t i = 0; list && i < list->size(); ++i)
    entries.emplace_back(*list->Get(i), machine);
  const auto *states = program->file()->states();
  given.resize(states ? states->size() : 0);
}

Result<std::unique_ptr<Session>> Session::create(ProgramRef program,
                                                 SessionOptions options) {
  constexpr uint32_t maxThreads = 4096;
  if (options.threads > maxThreads)
    return Status(StatusCode::InvalidArgument,
                  "expected at most " + std::to_string(maxThreads) +
                      " threads, but got " + std::to_string(options.threads));
  if (Status status = program->checkRunnable(); !status.ok())
    return status;
  auto body = std::make_unique<Body>(std::move(program), std::move(options));
  if (Status status = body->makeMatmuls(); !status.ok())
    return status;
  Result<std::unique_ptr<ThreadPool>> pool =
      ThreadPool::create(body->wantedThreads, useOneThread);
  if (!pool)
    return pool.status();
  body->pool = std::move(*pool);
  body->resolveEntries();
  if (body->log)
    body->log(LogLevel::Info,
              "session: " + std::to_string(body->wantedThreads) +
                  " threads, bytes of state " +
                  std::to_string(body->state.bytes()) + ", arena " +
                  std::to_string(body->arena.bytes()) + ", workspace " +
                  std::to_string(body->workspace.bytes()));
  return std::unique_ptr<Session>(new Session(std::move(body)));
}

Session::Session(std::unique_ptr<Body> body) : body(std::move(body)) {}
Session::~Session() = default;

Status Session::Body::checkInputs(const program::Entry &entry,
                                  std::span<const Input> inputs) const {
  uint32_t expected = entry.inputs() ? entry.inputs()->size() : 0;
  if (inputs.size() != expected)
    return {StatusCode::InvalidArgument,
            "entry '" + entry.name()->str() + "': expected " +
                std::to_string(expected) + " inputs, but got " +
                std::to_string(inputs.size())};
  for (uint32_t i = 0; i < expected; ++i) {
    const program::Tensor &input = *entry.inputs()->Get(i);
    std::span<const int64_t> shape = program::toSpan(input.shape());
    uint64_t bytes = *program::getTensorBytes(input.type(), shape);
    if (inputs[i].bytes != bytes)
      return {StatusCode::SizeMismatch,
              "input '" + input.name()->str() + "': expected " +
                  std::to_string(bytes) + " bytes for " +
                  program::formatTensor(input.type(), shape) + ", but got " +
                  std::to_string(inputs[i].bytes)};
    if (bytes && !inputs[i].data)
      return {StatusCode::InvalidArgument, "input '" + input.name()->str() +
                                               "': expected a pointer, but "
                                               "got null"};
  }
  return {};
}

Status Session::run(uint32_t index, std::span<const Input> inputs) {
  const auto *list = body->program->file()->entries();
  if (!list || index >= list->size())
    return {StatusCode::NotFound, "expected an entry below " +
                                      std::to_string(list ? list->size() : 0) +
                                      ", but got " + std::to_string(index)};
  const program::Entry &entry = *list->Get(index);
  if (entry.name()->string_view() == "init")
    return refresh();
  if (!body->initialized)
    return {StatusCode::NotInitialized,
            "entry '" + entry.name()->str() +
                "': the states have no values yet; call init with a seed, or "
                "set every state and call refresh"};
  if (Status status = body->checkInputs(entry, inputs); !status.ok())
    return status;
  OneThread guard;
  PlainArithmetic arithmetic;
  body->lastEntry = index;
  return body->entries[index].run(inputs);
}

Status Session::Body::runInit() {
  const auto *list = program->file()->entries();
  for (uint32_t i = 0; list && i < list->size(); ++i) {
    if (list->Get(i)->name()->string_view() != "init")
      continue;
    OneThread guard;
    PlainArithmetic arithmetic;
    lastEntry = i;
    if (Status status = entries[i].run({}); !status.ok())
      return status;
  }
  initialized = true;
  return {};
}

Result<std::span<const uint8_t>> Session::output(uint32_t entryIndex,
                                                 uint32_t index) const {
  if (entryIndex != body->lastEntry)
    return Status(StatusCode::InvalidArgument,
                  "entry " + std::to_string(entryIndex) +
                      " was not the last to run: its outputs are gone");
  const program::Entry &entry =
      *body->program->file()->entries()->Get(entryIndex);
  if (!entry.outputs() || index >= entry.outputs()->size())
    return Status(StatusCode::NotFound, "entry '" + entry.name()->str() +
                                            "' has no output " +
                                            std::to_string(index));
  const program::Tensor &output = *entry.outputs()->Get(index);
  uint64_t bytes =
      *program::getTensorBytes(output.type(), program::toSpan(output.shape()));
  return std::span<const uint8_t>(
      body->entries[entryIndex].resolve(*output.location()), bytes);
}

MemoryUse Session::memory() const {
  MemoryUse use;
  use.planned = {body->program->file()->state_bytes(),
                 body->program->file()->arena_bytes(), body->plannedWorkspace};
  use.used = {body->state.bytes(), body->arena.bytes(),
              body->workspace.bytes()};
  return use;
}

uint32_t Session::threads() const { return body->pool->size(); }
const runtime::Program &Session::program() const { return *body->program; }

#include "EntrySteps.h"
#include "Order.h"

using namespace mpc;
using namespace mpc::runtime;
using program::Operand;
using program::Record;
using program::RecordKind;
using MadeCall = CallLibraries::MadeCall;
using Action = std::function<Status(Queue &)>;

namespace {
/// Resolves the records of one entry.
class Resolver {
public:
  Resolver(const Machine &machine, uint32_t index)
      : machine(machine), index(index),
        entry(*machine.program.entries()->Get(index)) {}

  /// Sets `call` for a Call.
  Result<Action> action(const Record &record,
                        std::shared_ptr<MadeCall> &call) const;
  RecordUse use(const Record &record) const;
  std::string name(uint32_t number, const Record &record) const;

private:
  std::vector<void *> arguments(const Record &record) const;
  Action launch(uint32_t kernel, std::vector<void *> pointers) const;
  Action collective(const Record &record) const;
  Result<Action> copy(const Record &record) const;
  Result<Action> multiTensor(const Record &record) const;
  Result<Action> libraryCall(const Record &record,
                             std::shared_ptr<MadeCall> &made) const;
  std::vector<Region> workspaces(const Record &record) const;

  const Machine &machine;
  uint32_t index;
  const program::Entry &entry;
};
} // namespace

std::vector<void *> Resolver::arguments(const Record &record) const {
  std::vector<void *> pointers;
  for (uint32_t i = 0; i < record.num_args(); ++i)
    pointers.push_back(machine.block +
                       machine.layout.resolve(
                           index, *entry.args()->Get(record.first_arg() + i)));
  return pointers;
}

/// A kernel takes its pointers, then its workspace if it has one.
Action Resolver::launch(uint32_t number, std::vector<void *> pointers) const {
  const LoadedKernel &kernel = machine.modules.kernel(number);
  if (kernel.workspaceBytes)
    pointers.push_back(machine.block + machine.layout.kernelWorkspace.offset);
  return [&kernel, pointers](Queue &queue) mutable -> Status {
    std::vector<void *> parameters;
    for (void *&pointer : pointers)
      parameters.push_back(static_cast<void *>(&pointer));
    for (const KernelStage &stage : kernel.stages) {
      if (stage.grid == 0)
        continue;
      Status status = queue.kernel({stage.function, stage.grid, stage.block,
                                    stage.sharedBytes, parameters.data()});
      if (!status.ok())
        return status;
    }
    return {};
  };
}

/// In a group of one, every reduction of a tensor is the tensor.
static Action copies(const std::vector<void *> &pointers,
                     const std::vector<Operand> &operands) {
  return [pointers, operands](Queue &queue) -> Status {
    for (size_t i = 0; i + 1 < pointers.size(); i += 2) {
      if (pointers[i] == pointers[i + 1] || operands[i].bytes == 0)
        continue;
      Status status =
          queue.copy(pointers[i + 1], pointers[i], operands[i].bytes);
      if (!status.ok())
        return status;
    }
    return {};
  };
}

Action Resolver::collective(const Record &record) const {
  std::vector<void *> pointers = arguments(record);
  if (!machine.collectives)
    return copies(pointers, getOperands(machine.program, record));
  const auto &what = *machine.program.collectives()->Get(record.target());
  return [&what, pointers, ranks = machine.collectives](Queue &queue) {
    return queue.collective([&](cudaStream_t stream) {
      return ranks->enqueue(what, pointers, stream);
    });
  };
}

Result<Action> Resolver::copy(const Record &record) const {
  std::vector<void *> pointers = arguments(record);
  auto *source = static_cast<uint8_t *>(pointers[0]);
  auto *result = static_cast<uint8_t *>(pointers[1]);
  uint64_t bytes = record.extent();
  if (source != result && source < result + bytes && result < source + bytes)
    return Status(StatusCode::InvalidProgram,
                  "expected a copy between places that do not overlap, but "
                  "they are " +
                      std::to_string(std::abs(result - source)) +
                      " bytes apart and " + std::to_string(bytes) + " long");
  return copies(pointers, getOperands(machine.program, record));
}

Result<Action> Resolver::multiTensor(const Record &record) const {
  auto planned = machine.tables->add(
      *machine.program.multi_tensors()->Get(record.target()),
      arguments(record));
  if (!planned)
    return planned.status();
  return Action([launch = *planned](Queue &queue) {
    return launch->grid == 0
               ? Status()
               : queue.kernel({launch->function, launch->grid, launch->block, 0,
                               launch->kernelParameters()});
  });
}

/// Where the library has no algorithm for what stands beside a call, the
/// program's tail does that after the plain one.
Result<Action> Resolver::libraryCall(const Record &record,
                                     std::shared_ptr<MadeCall> &made) const {
  const auto &call = *machine.program.calls()->Get(record.target());
  std::vector<void *> pointers = arguments(record);
  bool hasTail = call.tail_kernel() != program::kNoKernel;
  Result<MadeCall> result =
      machine.libraries.makeCall(call, pointers, /*mayBePlain=*/hasTail);
  if (!result)
    return result.status();
  made = std::make_shared<MadeCall>(std::move(*result));
  void *workspace = machine.block + machine.layout.callWorkspace.offset;
  Action enqueue = [made, workspace](Queue &queue) {
    return queue.library([&](cudaStream_t stream) {
      return made->call->enqueue(stream, workspace);
    });
  };
  if (!made->call->isPlain())
    return enqueue;
  std::vector<void *> ofTail;
  for (uint8_t number : program::toSpan(call.tail_args()))
    ofTail.push_back(pointers[number]);
  return Action([enqueue, tail = launch(call.tail_kernel(), std::move(ofTail))](
                    Queue &queue) {
    Status status = enqueue(queue);
    return status.ok() ? tail(queue) : status;
  });
}

Result<Action> Resolver::action(const Record &record,
                                std::shared_ptr<MadeCall> &call) const {
  switch (record.kind()) {
  case RecordKind::Launch:
    return launch(record.target(), arguments(record));
  case RecordKind::Copy:
    return copy(record);
  case RecordKind::AllReduce:
  case RecordKind::AllReduceStart:
    return collective(record);
  case RecordKind::AllReduceDone: // Who needs it waits for its start itself.
    return Action([](Queue &) { return Status(); });
  case RecordKind::Fill: {
    void *result = arguments(record)[0];
    return Action([result, bytes = record.extent()](Queue &queue) {
      return bytes ? queue.fill(result, bytes) : Status();
    });
  }
  case RecordKind::MultiTensor:
    return multiTensor(record);
  case RecordKind::Call:
    return libraryCall(record, call);
  case RecordKind::Observe: // Not in programs for this target.
    break;
  }
  return Status(StatusCode::Internal, "unknown kind of record");
}

/// What a record uses beside its arguments.
std::vector<Region> Resolver::workspaces(const Record &record) const {
  std::vector<Region> used;
  uint32_t kernel = program::kNoKernel;
  if (record.kind() == RecordKind::Launch)
    kernel = record.target();
  if (record.kind() == RecordKind::Call) {
    used.push_back(machine.layout.callWorkspace);
    kernel = machine.program.calls()->Get(record.target())->tail_kernel();
  }
  if (kernel != program::kNoKernel &&
      machine.modules.kernel(kernel).workspaceBytes)
    used.push_back(machine.layout.kernelWorkspace);
  return used;
}

RecordUse Resolver::use(const Record &record) const {
  RecordUse made;
  if (record.kind() == RecordKind::AllReduceDone)
    return made;
  made.collective =
      machine.collectives && (record.kind() == RecordKind::AllReduce ||
                              record.kind() == RecordKind::AllReduceStart);
  std::vector<Operand> operands = getOperands(machine.program, record);
  if (operands.size() != record.num_args()) // a kernel that does not say
    return {{{0, machine.layout.deviceBytes, true}}, false};
  for (uint32_t i = 0; i < record.num_args(); ++i) {
    uint64_t begin = machine.layout.resolve(
        index, *entry.args()->Get(record.first_arg() + i));
    made.ranges.push_back(
        {begin, begin + operands[i].bytes, operands[i].written});
  }
  for (const Region &scratch : workspaces(record))
    made.ranges.push_back(
        {scratch.offset, scratch.offset + scratch.bytes, true});
  return made;
}

std::string Resolver::name(uint32_t number, const Record &record) const {
  if (record.name() != program::kNoName)
    return machine.program.names()->Get(record.name())->str();
  return std::string(program::EnumNameRecordKind(record.kind())) + " " +
         std::to_string(number);
}

/// Says which record failed.
static Status locate(const std::string &entry, uint32_t number,
                     const std::string &name, const Status &failure) {
  return {failure.code(), "entry '" + entry + "', record " +
                              std::to_string(number) + " (" + name +
                              "): " + failure.message()};
}

Result<EntrySteps> EntrySteps::prepare(const Machine &machine, uint32_t entry) {
  const program::Entry &source = *machine.program.entries()->Get(entry);
  Resolver resolver(machine, entry);
  EntrySteps made;
  made.entryName = source.name()->str();
  std::vector<RecordUse> uses;
  uint32_t count = source.records() ? source.records()->size() : 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Record &record = *source.records()->Get(i);
    Step step;
    step.name = resolver.name(i, record);
    Result<Action> action = resolver.action(record, step.call);
    if (!action)
      return locate(made.entryName, i, step.name, action.status());
    step.issue = std::move(*action);
    made.steps.push_back(std::move(step));
    uses.push_back(resolver.use(record));
    made.connected |= uses.back().collective;
  }
  std::vector<std::vector<uint32_t>> order = orderRecords(uses);
  for (uint32_t i = 0; i < count; ++i)
    made.steps[i].after = std::move(order[i]);
  return made;
}

Status EntrySteps::issue(Queue &queue) const {
  for (uint32_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    Status status = queue.begin(step.after, step.name.c_str());
    if (status.ok())
      status = step.issue(queue);
    if (status.ok())
      status = queue.end();
    if (!status.ok())
      return locate(entryName, i, step.name, status);
  }
  return {};
}

std::vector<const CallLibraries::MadeCall *> EntrySteps::calls() const {
  std::vector<const CallLibraries::MadeCall *> list;
  for (const Step &step : steps)
    if (step.call)
      list.push_back(step.call.get());
  return list;
}

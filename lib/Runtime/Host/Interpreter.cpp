#include "Interpreter.h"
#include "mpc/Program/Operands.h"
#include "mpc/Runtime/Collective.h"
#include "mpc/Runtime/ThreadPool.h"
#include "mpc/Support/Observation.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::Arg;
using mpc::program::Collective;
using mpc::program::Record;
using mpc::program::RecordKind;
using mpc::program::Space;

/// Several per thread, so that one that starts late takes fewer.
static constexpr uint64_t kChunksPerThread = 4;

uint8_t *EntryTable::base(Space space) const {
  switch (space) {
  case Space::State:
    return machine.state;
  case Space::Arena:
    return machine.arena;
  case Space::Constant: {
    const auto *constants = machine.program->file()->constants();
    // Kernels only read them: the reader has checked.
    return constants ? const_cast<uint8_t *>(constants->data()) : nullptr;
  }
  case Space::Input:
    break;
  }
  return nullptr;
}

EntryTable::EntryTable(const program::Entry &entry, const Machine &machine,
                       const KeptPlan &kept, uint8_t *memory)
    : entry(entry), machine(machine) {
  uint32_t numArgs = entry.args() ? entry.args()->size() : 0;
  args.resize(numArgs);
  for (uint32_t i = 0; i < numArgs; ++i) {
    const Arg &arg = *entry.args()->Get(i);
    if (arg.space() == Space::Input)
      patches.push_back({i, arg.index(), arg.offset()});
    else
      args[i] = base(arg.space()) + arg.offset();
  }
  lastInputs.resize(entry.inputs() ? entry.inputs()->size() : 0);
  uint32_t numRecords = entry.records() ? entry.records()->size() : 0;
  steps.reserve(numRecords);
  for (uint32_t i = 0; i < numRecords; ++i)
    steps.push_back(resolveStep(*entry.records()->Get(i), i));
  for (const KeptUse &use : kept.uses) {
    steps[use.record].kept = memory + use.offset;
    steps[use.record].makesKept = use.isFirst;
  }
  nameBuckets();
  uint32_t first = 0;
  while (first < numRecords && !writesState(*entry.records()->Get(first)))
    ++first;
  firstWrite = steps.data() + first;
}

/// A kernel of a program of version 1 does not tell what it writes: all, then.
bool EntryTable::writesState(const Record &record) const {
  std::vector<program::Operand> operands =
      program::getOperands(*machine.program->file(), record);
  for (uint32_t k = 0; k < record.num_args(); ++k)
    if ((k >= operands.size() || operands[k].written) &&
        entry.args()->Get(record.first_arg() + k)->space() == Space::State)
      return true;
  return false;
}

EntryTable::Step EntryTable::resolveStep(const Record &record, uint32_t index) {
  Step step = {};
  step.kind = record.kind();
  step.args = args.data() + record.first_arg();
  step.extent = static_cast<int64_t>(record.extent());
  step.record = index;
  switch (record.kind()) {
  case RecordKind::Launch: {
    step.target =
        reinterpret_cast<void *>(machine.program->kernel(record.target()));
    // Ranges are multiples of the grain, so that vectors stay whole.
    uint64_t grains = (record.extent() + record.grain() - 1) / record.grain();
    uint64_t wanted =
        machine.pool->size() == 1 ? 1 : machine.pool->size() * kChunksPerThread;
    uint64_t chunks = std::max<uint64_t>(1, std::min(grains, wanted));
    uint64_t perChunk = (grains + chunks - 1) / chunks;
    step.range = static_cast<int64_t>(perChunk * record.grain());
    step.chunks = static_cast<uint32_t>(
        perChunk ? (grains + perChunk - 1) / perChunk : 0);
    break;
  }
  case RecordKind::Call:
    step.target = machine.calls[record.target()].get();
    break;
  case RecordKind::AllReduce:
  case RecordKind::AllReduceStart:
  case RecordKind::AllReduceDone: {
    const auto &collective =
        *machine.program->file()->collectives()->Get(record.target());
    step.target = const_cast<Collective *>(&collective);
    size_t tensors = program::toSpan(collective.counts()).size();
    bucket.reserve(std::max(bucket.capacity(), tensors));
    underWay.reserve(underWay.capacity() + 1);
    break;
  }
  case RecordKind::Copy:
  case RecordKind::Fill:
  case RecordKind::Observe:
  case RecordKind::MultiTensor: // Not in programs for this target.
    break;
  }
  return step;
}

void EntryTable::launchInRanges(const Step &step) {
  auto task = [](void *context, uint32_t chunk, uint32_t) {
    const Step &own = *static_cast<const Step *>(context);
    int64_t first = chunk * own.range;
    reinterpret_cast<KernelFunction>(own.target)(
        own.args, first, std::min(own.extent, first + own.range));
  };
  machine.pool->run(step.chunks, task, const_cast<Step *>(&step));
}

Status EntryTable::runCall(const Step &step) {
  HostCall &call = *static_cast<HostCall *>(step.target);
  ThreadPool &pool = *machine.pool;
  if (!step.kept)
    return call.run(pool, step.args);
  if (step.makesKept)
    if (Status made =
            call.keep(pool, step.args[*call.keptOperand()], step.kept);
        !made.ok())
      return made;
  return call.runKept(pool, step.args, step.kept);
}

Status EntryTable::explain(const Step &step, const Status &failure) const {
  if (failure.ok())
    return failure;
  const Communicator &ranks = *machine.communicator;
  return makeCollectiveFailure(
      ranks.rank(), ranks.size(),
      describe(*static_cast<const Collective *>(step.target)), failure);
}

Status EntryTable::startAllReduce(const Step &step) {
  const auto &collective = *static_cast<const Collective *>(step.target);
  size_t pairs = program::toSpan(collective.counts()).size();
  bucket.clear();
  (void)forEachTensor(collective, {step.args, 2 * pairs},
                      [&](const ReducedTensor &tensor) -> Status {
                        bucket.push_back(tensor);
                        return {};
                      });
  UnderWay work = {step.record, 0};
  Status status = machine.communicator->start(
      {bucket, static_cast<DType>(collective.type()), collective.kind(),
       bucketNames.at(step.record).c_str()},
      work.ticket);
  if (status.ok())
    underWay.push_back(work);
  return explain(step, status);
}

/// What record `start` has started.
Status EntryTable::finishAllReduce(const Step &step, uint32_t start) {
  auto work = std::ranges::find(underWay, start, &UnderWay::record);
  uint64_t ticket = work->ticket;
  underWay.erase(work);
  return explain(step, machine.communicator->finish(ticket));
}

/// Where a run has failed, others may still write to the session's memory.
void EntryTable::finishAll() {
  for (const UnderWay &work : underWay)
    (void)machine.communicator->finish(work.ticket);
  underWay.clear();
}

void EntryTable::observeValue(const Step &step) const {
  auto type = static_cast<DType>(entry.records()->Get(step.record)->target());
  Observation seen =
      observe(type, step.args[0], static_cast<size_t>(step.extent));
  std::memcpy(step.args[1], &seen, sizeof(seen));
}

std::string EntryTable::describeRecord(uint32_t record) const {
  uint32_t name = entry.records()->Get(record)->name();
  std::string text = "record " + std::to_string(record);
  if (name != program::kNoName)
    text += " (" + machine.program->file()->names()->Get(name)->str() + ")";
  return text;
}

void EntryTable::nameBuckets() {
  std::vector<uint32_t> starts;
  for (const Step &step : steps)
    if (step.kind == RecordKind::AllReduce ||
        step.kind == RecordKind::AllReduceStart)
      starts.push_back(step.record);
  for (size_t i = 0; i < starts.size(); ++i) {
    const auto &held =
        *static_cast<const Collective *>(steps[starts[i]].target);
    size_t tensors = program::toSpan(held.counts()).size();
    bucketNames[starts[i]] = "bucket " + std::to_string(i + 1) + " of " +
                             std::to_string(starts.size()) + " of entry '" +
                             entry.name()->str() + "' (" +
                             std::to_string(tensors) +
                             (tensors == 1 ? " tensor), " : " tensors), ") +
                             describeRecord(starts[i]);
  }
}

/// Says which record failed.
Status EntryTable::locate(const Step &step, const Status &failure) const {
  return {failure.code(), "entry '" + entry.name()->str() + "', " +
                              describeRecord(step.record) + ": " +
                              failure.message()};
}

Status EntryTable::run(std::span<const Input> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    lastInputs[i] = static_cast<const uint8_t *>(inputs[i].data);
  for (const Patch &patch : patches)
    args[patch.arg] =
        const_cast<uint8_t *>(lastInputs[patch.input]) + patch.offset;
  Status status = runSteps();
  if (status.ok())
    reached = nullptr;
  else
    finishAll();
  return status;
}

/// A launch, of which there are most, makes no status, and no call: steps cost
/// a few nanoseconds.
[[gnu::always_inline]] inline bool EntryTable::runStep(const Step &step,
                                                       Status &failure) {
  switch (step.kind) {
  case RecordKind::Launch:
    if (step.chunks == 1)
      reinterpret_cast<KernelFunction>(step.target)(step.args, 0, step.extent);
    else
      launchInRanges(step);
    break;
  case RecordKind::Call:
    failure = runCall(step);
    return failure.ok();
  case RecordKind::AllReduce:
    failure = startAllReduce(step);
    if (failure.ok())
      failure = finishAllReduce(step, step.record);
    return failure.ok();
  case RecordKind::AllReduceStart:
    failure = startAllReduce(step);
    return failure.ok();
  case RecordKind::AllReduceDone:
    failure = finishAllReduce(step, static_cast<uint32_t>(step.extent));
    return failure.ok();
  case RecordKind::Copy:
    if (step.extent)
      std::memmove(step.args[1], step.args[0],
                   static_cast<size_t>(step.extent));
    break;
  case RecordKind::Fill:
    if (step.extent)
      std::memset(step.args[0], 0, static_cast<size_t>(step.extent));
    break;
  case RecordKind::Observe:
    observeValue(step);
    break;
  case RecordKind::MultiTensor:
    break;
  }
  return true;
}

Status EntryTable::runSteps() {
  if (!times.empty())
    return runTimed();
  Status failure;
  for (const Step &step : steps) {
    reached = &step;
    if (!runStep(step, failure))
      return locate(step, failure);
  }
  return {};
}

static uint64_t now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

/// A record ends where the next one begins: one look at the clock for each.
Status EntryTable::runTimed() {
  std::ranges::fill(times, RecordTime());
  Status failure;
  uint64_t begin = now();
  for (const Step &step : steps) {
    reached = &step;
    bool isDone = runStep(step, failure);
    uint64_t end = now();
    times[step.record] = {begin, end};
    begin = end;
    if (!isDone)
      return locate(step, failure);
  }
  return {};
}

const uint8_t *EntryTable::resolve(const Arg &arg) const {
  const uint8_t *start =
      arg.space() == Space::Input ? lastInputs[arg.index()] : base(arg.space());
  return start ? start + arg.offset() : nullptr;
}

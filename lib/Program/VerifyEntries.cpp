// Semantic checks of entries, their records and arguments.
#include "Verifier.h"
#include "mpc/Program/Names.h"
#include "mpc/Support/Observation.h"

#include <algorithm>
#include <unordered_set>

using namespace mpc;
using namespace mpc::program;

static std::string text(uint64_t value) { return std::to_string(value); }

static const char *spaceName(Space space) {
  static constexpr const char *names[] = {"state", "arena", "constant",
                                          "input"};
  return names[static_cast<size_t>(space)];
}

Status Verifier::checkArg(const Entry &entry, const Arg &arg,
                          const Operand &operand,
                          const std::string &who) const {
  if (!isKnown(arg.space()))
    return fail(who + ": unknown address space");
  uint64_t limit = 0;
  switch (arg.space()) {
  case Space::State:
    limit = program.state_bytes();
    break;
  case Space::Arena:
    limit = program.arena_bytes();
    break;
  case Space::Constant:
    limit = toSpan(program.constants()).size();
    break;
  case Space::Input: {
    if (arg.index() >= each(entry.inputs()).size())
      return fail(who + ": reads input " + text(arg.index()) + " of " +
                  text(each(entry.inputs()).size()));
    const Tensor &input = *entry.inputs()->Get(arg.index());
    limit = getTensorBytes(input.type(), toSpan(input.shape())).value_or(0);
  }
  }
  if (!fits(arg.offset(), operand.bytes, limit))
    return fail(who + ": needs " + text(operand.bytes) + " bytes at " +
                spaceName(arg.space()) + " offset " + text(arg.offset()) +
                ", but there are " + text(limit));
  uint64_t alignment = isForGpu() ? kAlignment : operand.alignment;
  if (arg.offset() % alignment != 0)
    return fail(who + ": expected an offset that is a multiple of " +
                text(alignment) + ", but got " + text(arg.offset()));
  bool readOnly = arg.space() == Space::Constant || arg.space() == Space::Input;
  if (operand.written && readOnly)
    return fail(who + ": writes to " + spaceName(arg.space()) + " memory");
  return {};
}

/// The runtime reads labels as the integers that they are.
Status Verifier::checkClasses(const Tensor &input,
                              const std::string &who) const {
  const Classes *classes = input.classes();
  if (!classes)
    return {};
  if (input.type() != ElementType::I32 && input.type() != ElementType::I64)
    return fail(who + ": expected classes of i32 or i64 labels, but got " +
                formatTensor(input.type(), toSpan(input.shape())));
  if (classes->count() < 1)
    return fail(who + ": expected 1 class or more, but got " +
                std::to_string(classes->count()));
  return {};
}

Status Verifier::checkInterface(const Entry &entry) const {
  std::unordered_set<std::string_view> inputs, outputs;
  std::string where = "entry '" + entry.name()->str() + "'";
  uint64_t bytes = 0;
  if (entry.name()->string_view() == program::kInitEntry &&
      each(entry.inputs()).size())
    return fail(where + ": expected no inputs");
  for (const Tensor *input : each(entry.inputs())) {
    std::string who = where + ", input '" + input->name()->str() + "'";
    if (Status status = checkTensor(who, input->type(), input->shape(), bytes);
        !status.ok())
      return status;
    if (!inputs.insert(input->name()->string_view()).second)
      return fail(who + ": defined twice");
    if (Status status = checkClasses(*input, who); !status.ok())
      return status;
  }
  for (const Tensor *output : each(entry.outputs())) {
    std::string who = where + ", output '" + output->name()->str() + "'";
    Status status = checkTensor(who, output->type(), output->shape(), bytes);
    if (!status.ok())
      return status;
    if (!outputs.insert(output->name()->string_view()).second)
      return fail(who + ": defined twice");
    if (!output->location())
      return fail(who + ": expected a location");
    uint64_t element = getInfo(static_cast<DType>(output->type())).bytes;
    status = checkArg(entry, *output->location(), {bytes, false, element}, who);
    if (!status.ok())
      return status;
  }
  return {};
}

/// An observation is of floats, on the processor.
Status Verifier::checkObserved(const Record &record,
                               const std::string &who) const {
  if (isForGpu())
    return fail(who + ": observations need target 'cpu'");
  if (record.target() > static_cast<uint32_t>(ElementType::MAX) ||
      !isObservable(static_cast<DType>(record.target())))
    return fail(who + ": observes elements of unknown type " +
                text(record.target()));
  if (record.extent() > kMaxExtent)
    return fail(who + ": observes too many elements");
  return {};
}

/// The number of the table row that a record uses exists.
Status Verifier::checkTarget(const Record &record,
                             const std::string &who) const {
  const char *what = "";
  size_t size = 0;
  switch (record.kind()) {
  case RecordKind::Launch:
    what = ": launches kernel ";
    size = each(program.kernels()).size();
    break;
  case RecordKind::Call:
    what = ": runs call ";
    size = each(program.calls()).size();
    break;
  case RecordKind::AllReduce:
  case RecordKind::AllReduceStart:
  case RecordKind::AllReduceDone:
    what = ": runs collective ";
    size = each(program.collectives()).size();
    break;
  case RecordKind::MultiTensor:
    what = ": runs multi-tensor operation ";
    size = each(program.multi_tensors()).size();
    break;
  case RecordKind::Observe:
    return checkObserved(record, who);
  case RecordKind::Copy:
  case RecordKind::Fill:
    return {};
  }
  if (record.target() >= size)
    return fail(who + what + text(record.target()) + " of " + text(size));
  return {};
}

Status Verifier::checkOperands(const Entry &entry, const Record &record,
                               std::span<const Operand> operands,
                               const std::string &who) const {
  if (record.num_args() != operands.size())
    return fail(who + ": expected " + text(operands.size()) +
                " arguments, but got " + text(record.num_args()));
  for (uint32_t i = 0; i < record.num_args(); ++i) {
    const Arg &arg = *entry.args()->Get(record.first_arg() + i);
    Status status =
        checkArg(entry, arg, operands[i], who + ", argument " + text(i));
    if (!status.ok())
      return status;
  }
  return {};
}

Status Verifier::checkRecord(const Entry &entry, const Record &record,
                             const std::string &who) const {
  uint64_t numArgs = each(entry.args()).size();
  if (!isKnown(record.kind()))
    return fail(who + ": unknown kind");
  if (!fits(record.first_arg(), record.num_args(), numArgs))
    return fail(who + ": takes arguments beyond the " + text(numArgs) +
                " of its entry");
  if (record.name() != kNoName && record.name() >= each(program.names()).size())
    return fail(who + ": has name " + text(record.name()) + " of " +
                text(each(program.names()).size()));
  if (Status status = checkTarget(record, who); !status.ok())
    return status;
  if (record.kind() == RecordKind::Launch)
    return checkLaunch(entry, record, who);
  Status status =
      checkOperands(entry, record, getOperands(program, record), who);
  if (status.ok() && record.kind() == RecordKind::Call)
    return checkApart(entry, record, who);
  return status;
}

/// What is begun is waited for, once, and where it was begun is told right.
Status Verifier::checkStarts(const Entry &entry) const {
  std::unordered_set<uint64_t> underWay;
  for (uint32_t i = 0; i < each(entry.records()).size(); ++i) {
    const Record &record = *entry.records()->Get(i);
    if (record.kind() == RecordKind::AllReduceStart)
      underWay.insert(i);
    if (record.kind() != RecordKind::AllReduceDone)
      continue;
    std::string who = "entry '" + entry.name()->str() + "', record " + text(i);
    if (underWay.erase(record.extent()) == 0)
      return fail(who +
                  ": expected to wait for an all-reduce under way, but "
                  "got record " +
                  text(record.extent()));
    const Record &start =
        *entry.records()->Get(static_cast<uint32_t>(record.extent()));
    bool isSame = start.target() == record.target(); // so many arguments, too
    for (uint32_t k = 0; isSame && k < record.num_args(); ++k) {
      const Arg &one = *entry.args()->Get(start.first_arg() + k),
                &other = *entry.args()->Get(record.first_arg() + k);
      isSame = one.space() == other.space() && one.index() == other.index() &&
               one.offset() == other.offset();
    }
    if (!isSame)
      return fail(who +
                  ": expected the collective and the arguments of "
                  "record " +
                  text(record.extent()));
  }
  if (!underWay.empty())
    return fail("entry '" + entry.name()->str() + "', record " +
                text(*std::ranges::min_element(underWay)) +
                ": expected to be waited for");
  return {};
}

/// Each argument is a place, whether a record takes it or not: the interpreter
/// turns all of them into addresses.
Status Verifier::checkArgs(const Entry &entry) const {
  for (uint32_t i = 0; i < each(entry.args()).size(); ++i) {
    std::string who =
        "entry '" + entry.name()->str() + "', argument " + text(i);
    Status status = checkArg(entry, *entry.args()->Get(i), {0, false}, who);
    if (!status.ok())
      return status;
  }
  return {};
}

Status Verifier::checkEntry(const Entry &entry) const {
  if (Status status = checkInterface(entry); !status.ok())
    return status;
  for (uint32_t i = 0; i < each(entry.records()).size(); ++i) {
    std::string who = "entry '" + entry.name()->str() + "', record " + text(i);
    Status status = checkRecord(entry, *entry.records()->Get(i), who);
    if (!status.ok())
      return status;
  }
  if (Status status = checkStarts(entry); !status.ok())
    return status;
  return checkArgs(entry);
}

/// The micro-batches of a step look alike.
Status Verifier::checkAccumulate() const {
  const Entry *accumulate = nullptr, *step = nullptr;
  for (const Entry *entry : each(program.entries())) {
    if (entry->name()->string_view() == program::kAccumulateEntry)
      accumulate = entry;
    if (entry->name()->string_view() == program::kStepEntry)
      step = entry;
  }
  if (!accumulate)
    return {};
  if (!step)
    return fail("entry 'accumulate': expected an entry 'step' beside it");
  bool isSame = std::ranges::equal(
      each(accumulate->inputs()), each(step->inputs()),
      [](const Tensor *a, const Tensor *b) {
        return a->name()->string_view() == b->name()->string_view() &&
               a->type() == b->type() &&
               std::ranges::equal(toSpan(a->shape()), toSpan(b->shape()));
      });
  if (!isSame)
    return fail("entry 'accumulate': expected the inputs of entry 'step'");
  return {};
}

Status Verifier::checkEntries() const {
  std::unordered_set<std::string_view> names;
  for (const Entry *entry : each(program.entries())) {
    if (Status status = checkEntry(*entry); !status.ok())
      return status;
    if (!names.insert(entry->name()->string_view()).second)
      return fail("entry '" + entry->name()->str() + "': defined twice");
  }
  for (const State *state : each(program.states()))
    if (state->init()->kind() == InitKind::Derived && !names.contains("init"))
      return fail("state '" + state->name()->str() +
                  "': is derived, but there is no entry 'init'");
  if (Status status = checkAccumulate(); !status.ok())
    return status;
  return checkProbes();
}

Status Verifier::checkProbes() const {
  const Entry *entry = nullptr;
  for (const Entry *candidate : each(program.entries()))
    if (candidate->name()->string_view() == program::kProbeEntry)
      entry = candidate;
  size_t count = each(program.probes()).size();
  for (size_t i = 0; i < count; ++i) {
    const Probe &probe = *program.probes()->Get(i);
    std::string who = "probe " + text(i);
    if (!entry || probe.output() >= each(entry->outputs()).size())
      return fail(who + ": expected to tell about an output of entry 'probe'");
    const Tensor &row = *entry->outputs()->Get(probe.output());
    if (row.type() != ElementType::F64 ||
        getTensorBytes(row.type(), toSpan(row.shape())) !=
            kObservedNumbers * sizeof(double))
      return fail(who + ": expected an output of " + text(kObservedNumbers) +
                  " numbers of f64");
    uint64_t bytes = 0;
    if (Status status = checkTensor(who, probe.type(), probe.shape(), bytes);
        !status.ok())
      return status;
    for (uint32_t read : toSpan(probe.reads()))
      if (read >= count)
        return fail(who + ": reads probe " + text(read) + " of " + text(count));
  }
  return {};
}

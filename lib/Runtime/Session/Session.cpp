#include "DerivedStates.h"
#include "ExecutorChoice.h"
#include "SessionBody.h"
#include "mpc/Program/Names.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;

using ProgramRef = std::shared_ptr<const runtime::Program>;

Session::Body::Body(ProgramRef loaded)
    : program(std::move(loaded)), layout(*program->file()),
      sources(findDerivationSources(*program->file())) {
  const auto *states = program->file()->states();
  const auto *entries = program->file()->entries();
  given.resize(states ? states->size() : 0);
  runs.resize(entries ? entries->size() : 0);
  accumulations = findAccumulations(*program->file());
}

Result<std::unique_ptr<Session>> Session::create(ProgramRef program,
                                                 SessionOptions options) {
  if (Status status = program->checkRunnable(); !status.ok())
    return status;
  auto body = std::make_unique<Body>(std::move(program));
  Result<std::unique_ptr<Executor>> executor =
      makeExecutor(*body->program, std::move(options));
  if (!executor)
    return executor.status();
  body->executor = std::move(*executor);
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
    if (Status status = checkFlags(input, inputs[i]); !status.ok())
      return status;
    if (Status status = checkLabels(input, inputs[i]); !status.ok())
      return status;
  }
  return {};
}

/// Another byte than 0 and 1 is true to some code and false to other.
Status Session::Body::checkFlags(const program::Tensor &input,
                                 const Input &given) const {
  if (input.type() != program::ElementType::I1)
    return {};
  std::span flags(static_cast<const uint8_t *>(given.data), given.bytes);
  uint8_t any = 0;
  for (uint8_t flag : flags)
    any |= flag;
  if (any <= 1)
    return {};
  auto bad = std::ranges::find_if(flags, [](uint8_t flag) { return flag > 1; });
  return {StatusCode::InvalidArgument,
          "input '" + input.name()->str() +
              "': expected flags that are 0 or 1, but element " +
              std::to_string(bad - flags.begin()) + " is " +
              std::to_string(*bad)};
}

/// A label outside of the classes would make the loss infinite, and say no
/// more. Labels are few beside what they label.
Status Session::Body::checkLabels(const program::Tensor &input,
                                  const Input &given) const {
  std::optional<LabelRange> range = program::labelRangeOf(input);
  if (!range || given.bytes == 0)
    return {};
  DType type = static_cast<DType>(input.type());
  std::optional<BadLabel> bad = findBadLabel(
      {static_cast<const std::byte *>(given.data), given.bytes}, type, *range);
  if (!bad)
    return {};
  uint64_t labels = given.bytes / getInfo(type).bytes;
  uint64_t samples = 1;
  if (input.shape() && input.shape()->size() > 0)
    samples = static_cast<uint64_t>(input.shape()->Get(0));
  return {StatusCode::InvalidArgument,
          "input '" + input.name()->str() +
              "': " + describeBadLabel(*bad, *range, labels / samples)};
}

std::string Session::Body::entryName(uint32_t index) const {
  return program->file()->entries()->Get(index)->name()->str();
}

Status Session::Body::noSuchEntry(uint32_t index) const {
  return {StatusCode::NotFound, "expected an entry below " +
                                    std::to_string(runs.size()) + ", but got " +
                                    std::to_string(index)};
}

Status Session::Body::runEntry(uint32_t index, std::span<const Input> inputs) {
  lastEntry = index;
  Status status = executor->run(index, inputs);
  if (status.ok())
    ++runs[index];
  if (isTimed)
    timed[index] = true;
  return status;
}

Status Session::Body::checkTurn(std::string_view entry) {
  if (Status status = checkMicroBatch(entry); !status.ok())
    return status;
  return checkCounters();
}

Status Session::run(uint32_t index, std::span<const Input> inputs) {
  const auto *list = body->program->file()->entries();
  if (!list || index >= list->size())
    return body->noSuchEntry(index);
  const program::Entry &entry = *list->Get(index);
  if (entry.name()->string_view() == program::kInitEntry)
    return refresh();
  if (Status status = body->requireStates(); !status.ok())
    return status;
  if (Status status = body->checkWhole(); !status.ok())
    return status;
  if (Status status = body->checkInputs(entry, inputs); !status.ok())
    return status;
  std::string_view name = entry.name()->string_view();
  bool isStep = name == program::kStepEntry;
  bool isMicroBatch = name == program::kAccumulateEntry;
  if (isStep || isMicroBatch)
    if (Status status = body->checkTurn(name); !status.ok())
      return status;
  // A run too, which takes the outputs of the last one: after all refusals.
  if (Status status = body->bringUpToDate(); !status.ok())
    return status;
  body->mostCounted += isStep;
  body->unfinished = index;
  if (Status status = body->runEntry(index, inputs); !status.ok())
    return status;
  body->unfinished = Body::kNone;
  if (isStep)
    body->endStep();
  body->isMidStep |= isMicroBatch;
  body->accumulated += isMicroBatch;
  return {};
}

Status Session::Body::checkWhole() const {
  if (unfinished == kNone || !executor->mayHoldPart(unfinished))
    return {};
  const program::Entry &entry = *program->file()->entries()->Get(unfinished);
  return {StatusCode::InvalidArgument,
          "entry '" + entry.name()->str() +
              "' failed on its way, and states hold a part of what it "
              "computes; initialize or load states, nothing is run or saved "
              "before"};
}

Status Session::Body::runInit() {
  const auto *list = program->file()->entries();
  for (uint32_t i = 0; list && i < list->size(); ++i)
    if (list->Get(i)->name()->string_view() == program::kInitEntry)
      if (Status status = runEntry(i, {}); !status.ok())
        return status;
  isUpToDate = true;
  return {};
}

Status Session::Body::bringUpToDate() {
  if (isUpToDate)
    return {};
  if (Status status = requireStates(); !status.ok())
    return status;
  return runInit();
}

Result<uint64_t> Session::Body::getOutputBytes(uint32_t index,
                                               uint32_t outputIndex) const {
  const auto *list = program->file()->entries();
  if (!list || index >= list->size())
    return noSuchEntry(index);
  const program::Entry &entry = *list->Get(index);
  if (!entry.outputs() || outputIndex >= entry.outputs()->size())
    return Status(StatusCode::NotFound, "entry '" + entry.name()->str() +
                                            "' has no output " +
                                            std::to_string(outputIndex));
  const program::Tensor &output = *entry.outputs()->Get(outputIndex);
  return *program::getTensorBytes(output.type(),
                                  program::toSpan(output.shape()));
}

Result<std::span<const uint8_t>> Session::output(uint32_t entry,
                                                 uint32_t index) const {
  if (Result<uint64_t> bytes = body->getOutputBytes(entry, index); !bytes)
    return bytes.status();
  if (body->lastEntry == Body::kNone)
    return Status(StatusCode::InvalidArgument,
                  "no entry has been run yet: there are no outputs");
  if (entry != body->lastEntry)
    return Status(StatusCode::InvalidArgument,
                  "entry " + std::to_string(entry) +
                      " was not the last to run: its outputs are gone");
  return body->executor->output(entry, index);
}

Result<std::span<const uint8_t>> Session::result(uint32_t entry, uint32_t index,
                                                 uint32_t age) const {
  Result<uint64_t> bytes = body->getOutputBytes(entry, index);
  if (!bytes)
    return bytes.status();
  if (*bytes > Executor::kResultBytes)
    return Status(StatusCode::InvalidArgument,
                  "output " + std::to_string(index) + " of entry " +
                      std::to_string(entry) + ": expected at most " +
                      std::to_string(Executor::kResultBytes) +
                      " bytes, but got " + std::to_string(*bytes) +
                      ": results of earlier runs are kept of small outputs; "
                      "ask for the output instead");
  if (body->runs[entry] == 0)
    return Status(StatusCode::NotFound,
                  "entry '" + body->entryName(entry) +
                      "' has not been run yet: it has no results");
  uint64_t kept = std::min<uint64_t>(body->runs[entry], Executor::kResultRuns);
  if (age >= kept)
    return Status(StatusCode::NotFound,
                  "entry " + std::to_string(entry) +
                      ": expected an age below " + std::to_string(kept) +
                      ", the number of runs whose results are kept, but got " +
                      std::to_string(age));
  return body->executor->result(entry, index, age);
}

Status Session::timeRecords(bool isOn) {
  body->timed.assign(body->runs.size(), false);
  Status status = body->executor->timeRecords(isOn);
  body->isTimed = isOn && status.ok();
  return status;
}

Result<std::span<const RecordTime>> Session::recordTimes(uint32_t entry) const {
  if (entry >= body->runs.size())
    return body->noSuchEntry(entry);
  if (body->timed.empty() || !body->timed[entry])
    return Status(StatusCode::NotFound,
                  "entry '" + body->entryName(entry) +
                      "' has not been run yet since its records are timed");
  return body->executor->recordTimes(entry);
}

Status Session::synchronize() { return body->executor->synchronize(); }
Result<std::vector<uint8_t>> Session::exportPlans() {
  return body->executor->exportPlans();
}
MemoryUse Session::memory() const { return body->executor->memory(); }
WaitCounts Session::waitCounts() const { return body->executor->waitCounts(); }
ThreadPool *Session::pool() { return body->executor->pool(); }
uint32_t Session::threads() const { return body->executor->threads(); }
const runtime::Program &Session::program() const { return *body->program; }

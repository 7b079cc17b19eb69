#include "Model.h"

#include "Failure.h"

#include "mpc/Data/File.h"
#include "mpc/Program/Names.h"
#include "mpc/Support/Number.h"

#include <cmath>
#include <cstring>
#include <unistd.h>

using namespace mpc;
using namespace mpc::run;

/// Codes that describe a file are the file's fault, the others the system's.
static Exit exitForFile(mpc_code code) {
  switch (code) {
  case MPC_NOT_FOUND:
  case MPC_BAD_MAGIC:
  case MPC_TRUNCATED:
  case MPC_CHECKSUM_MISMATCH:
  case MPC_CORRUPT:
  case MPC_VERSION_TOO_NEW:
  case MPC_VERSION_TOO_OLD:
  case MPC_WRONG_TARGET:
  case MPC_INVALID_PROGRAM:
  case MPC_IO_ERROR:
    return Exit::BadInput;
  default:
    return Exit::Failed;
  }
}

static void check(mpc_code code, const mpc_status &status,
                  const std::string &where = "") {
  if (code != MPC_OK)
    throw Failure(Exit::Failed, where + status.message);
}

/// For calls that can only fail if an index is wrong.
static void checkIndex(mpc_code code) {
  if (code != MPC_OK)
    throw Failure(Exit::Failed, "the program changed while it was read");
}

template <typename Info> static void describe(TensorFacts &facts, Info &info) {
  facts.name = info.name;
  facts.type = static_cast<DType>(info.type);
  facts.shape.assign(info.shape, info.shape + info.rank);
  facts.bytes = info.bytes;
}

//===-- Program -----------------------------------------------------------===//

std::optional<uint32_t> EntryFacts::findOutput(std::string_view name) const {
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].name == name)
      return static_cast<uint32_t>(i);
  return std::nullopt;
}

void Program::Release::operator()(mpc_program *program) const {
  api->program_release(program);
}

static bool codeIsForbidden = false;

void Program::forbidCode() { codeIsForbidden = true; }

Program::Program(const std::string &path, bool allowCode)
    : functions(mpc_get_api(MPC_API_VERSION)), file(path) {
  if (!functions)
    throw Failure(Exit::Failed, "the runtime library does not know version " +
                                    std::to_string(MPC_API_VERSION) +
                                    " of its interface");
  MPC_STRUCT(mpc_load_options, options);
  options.allow_code = allowCode && !codeIsForbidden;
  mpc_program *program = nullptr;
  mpc_status status = {};
  mpc_code code =
      functions->program_load_file(path.c_str(), &options, &program, &status);
  if (code != MPC_OK)
    throw Failure(exitForFile(code), status.message);
  handle = {program, Release{functions}};
  if (uint32_t kernels = info().num_kernels;
      kernels > 0 && allowCode && codeIsForbidden)
    throw badInput("'" + path + "' brings " + std::to_string(kernels) +
                   " compiled kernels, which '--no-code' keeps out; mpc-run "
                   "info tells what it holds, and without '--no-code' they run "
                   "with all that you may do");
  readEntries();
  readStates();
}

mpc_program_info Program::info() const {
  MPC_STRUCT(mpc_program_info, info);
  checkIndex(functions->program_info(handle.get(), &info));
  return info;
}

void Program::readEntries() {
  for (uint32_t i = 0, count = info().num_entries; i < count; ++i) {
    MPC_STRUCT(mpc_entry_info, info);
    checkIndex(functions->program_entry(get(), i, &info));
    EntryFacts entry;
    entry.index = i;
    entry.name = info.name;
    entry.numRecords = info.num_records;
    MPC_STRUCT(mpc_tensor_info, tensor);
    for (uint32_t k = 0; k < info.num_inputs; ++k) {
      checkIndex(functions->program_input(get(), i, k, &tensor));
      InputFacts &input = entry.inputs.emplace_back();
      describe(input, tensor);
      input.lossOnly = tensor.loss_only;
      if (tensor.classes == 0)
        continue;
      input.labels = LabelRange{tensor.classes, std::nullopt};
      if (tensor.has_ignored_label)
        input.labels->ignored = tensor.ignored_label;
    }
    for (uint32_t k = 0; k < info.num_outputs; ++k) {
      checkIndex(functions->program_output(get(), i, k, &tensor));
      describe(entry.outputs.emplace_back(), tensor);
    }
    entryList.push_back(std::move(entry));
  }
}

void Program::readStates() {
  for (uint32_t i = 0, count = info().num_states; i < count; ++i) {
    MPC_STRUCT(mpc_state_info, info);
    checkIndex(functions->program_state(get(), i, &info));
    StateFacts state;
    describe(state, info);
    state.role = info.role;
    state.of = info.of;
    state.isDerived = info.init == MPC_INIT_DERIVED;
    stateList.push_back(std::move(state));
  }
}

const EntryFacts &Program::entry(std::string_view name) const {
  std::string known;
  for (const EntryFacts &entry : entryList) {
    if (entry.name == name)
      return entry;
    known += (known.empty() ? "'" : ", '") + entry.name + "'";
  }
  throw badInput("'" + file + "': expected an entry '" + std::string(name) +
                 "', but the program has only " +
                 (known.empty() ? "none" : known));
}

const EntryFacts *Program::findEntry(std::string_view name) const {
  for (const EntryFacts &entry : entryList)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

std::optional<std::string> Program::setting(std::string_view name) const {
  for (uint32_t i = 0, count = info().num_settings; i < count; ++i) {
    const char *key = "", *value = "";
    checkIndex(functions->program_setting(get(), i, &key, &value));
    if (key == name)
      return value;
  }
  return std::nullopt;
}

uint64_t Program::microBatches() const {
  std::string text = setting(program::kAccumulateEntry).value_or("1");
  uint64_t count = parseNumber<uint64_t>(text).value_or(0);
  if (count > 0 &&
      (count > 1) == (findEntry(program::kAccumulateEntry) != nullptr))
    return count;
  throw badInput("'" + file +
                 "': expected an entry 'accumulate' if and only if a step has "
                 "several micro-batches, but setting 'accumulate' is '" +
                 text + "'");
}

std::vector<std::string> Program::groups() const {
  std::vector<std::string> names;
  for (const StateFacts &state : stateList)
    if (state.role == MPC_STEP_COUNTER && !state.of.empty())
      names.push_back(state.of);
  return names;
}

const StateFacts *Program::findState(std::string_view name) const {
  for (const StateFacts &state : stateList)
    if (state.name == name)
      return &state;
  return nullptr;
}

const StateFacts *Program::findState(mpc_role role) const {
  for (const StateFacts &state : stateList)
    if (state.role == role && state.of.empty())
      return &state;
  return nullptr;
}

//===-- Session -----------------------------------------------------------===//

void Session::Destroy::operator()(mpc_session *session) const {
  api->session_destroy(session);
}

/// The bytes of the file, or none if there is no file yet.
static data::Bytes readPlans(const std::string &path) {
  if (path.empty() || access(path.c_str(), F_OK) != 0)
    return {};
  auto file = requireInput(data::InputFile::open(path));
  return requireInput(file.read(file.size()));
}

Session::Session(const Program &program, const DeviceChoice &choice)
    : api(program.api()) {
  choice.checkTarget(program.path(), program.info().target);
  data::Bytes plans = readPlans(choice.plans);
  MPC_STRUCT(mpc_device_options, device);
  device.device = static_cast<uint32_t>(choice.device.value_or(0));
  device.tuning_ms =
      static_cast<uint32_t>(choice.tuningMilliseconds.value_or(0));
  device.allow_tf32 = choice.allowTf32;
  device.nvtx = choice.nvtx;
  device.plans = plans.data();
  device.plans_bytes = plans.size();
  MPC_STRUCT(mpc_session_options, options);
  options.threads = static_cast<uint32_t>(choice.threads.value_or(0));
  options.device = &device;
  mpc_session *session = nullptr;
  mpc_status status = {};
  mpc_code code =
      api->session_create(program.get(), &options, &session, &status);
  if (code != MPC_OK)
    throw Failure(code == MPC_INVALID_ARGUMENT ? Exit::Usage : Exit::Failed,
                  "'" + program.path() + "': " + status.message);
  handle = {session, Destroy{api}};
}

void Session::init(uint64_t seed) {
  mpc_status status = {};
  check(api->session_init(handle.get(), seed, &status), status);
}

void Session::refresh() {
  mpc_status status = {};
  check(api->session_refresh(handle.get(), &status), status);
}

void Session::run(const EntryFacts &entry, const data::Batch &batch) {
  inputs.clear();
  for (const data::Bytes &bytes : batch.inputs)
    inputs.push_back({bytes.data(), bytes.size()});
  mpc_status status = {};
  check(api->session_run(handle.get(), entry.index, inputs.data(),
                         static_cast<uint32_t>(inputs.size()), &status),
        status);
}

std::span<const std::byte> Session::output(const EntryFacts &entry,
                                           uint32_t index) const {
  const void *memory = nullptr;
  uint64_t bytes = 0;
  mpc_status status = {};
  check(api->session_output(handle.get(), entry.index, index, &memory, &bytes,
                            &status),
        status);
  return {static_cast<const std::byte *>(memory), bytes};
}

std::span<const std::byte> Session::result(const EntryFacts &entry,
                                           uint32_t index, uint32_t age) const {
  const void *memory = nullptr;
  uint64_t bytes = 0;
  mpc_status status = {};
  check(api->session_result(handle.get(), entry.index, index, age, &memory,
                            &bytes, &status),
        status);
  return {static_cast<const std::byte *>(memory), bytes};
}

/// One element as the widest of its kind: `Wide` is that of `wide`.
template <typename Wide>
static Wide widen(DType wide, DType type, std::span<const std::byte> bytes) {
  data::Tensor value{*data::formatOf(type), {}, {bytes.begin(), bytes.end()}};
  data::Tensor element = requireInput(data::convert(value, wide, "scalar"));
  Wide number = 0;
  if (element.bytes.size() == sizeof(number))
    std::memcpy(&number, element.bytes.data(), sizeof(number));
  return number;
}

static double asNumber(DType type, std::span<const std::byte> bytes) {
  return widen<double>(DType::F64, type, bytes);
}

static std::variant<bool, int64_t, double>
asScalar(DType type, std::span<const std::byte> bytes) {
  if (type != DType::I1 && data::formatOf(type)->isFloat())
    return asNumber(type, bytes);
  auto integer = widen<int64_t>(DType::I64, type, bytes);
  if (type == DType::I1)
    return integer != 0;
  return integer;
}

double Session::scalarOutput(const EntryFacts &entry, uint32_t index) const {
  return asNumber(entry.outputs[index].type, output(entry, index));
}

double Session::scalarResult(const EntryFacts &entry, uint32_t index,
                             uint32_t age) const {
  return asNumber(entry.outputs[index].type, result(entry, index, age));
}

template <typename T, typename From>
static void put(std::optional<T> &field, const mpc_step_report &report,
                mpc_report_fields bit, From value) {
  if (report.fields & bit)
    field = static_cast<T>(value);
  if constexpr (std::is_floating_point_v<T>)
    if (field && std::isnan(*field))
      field = std::fabs(*field); // the sign of a NaN says nothing: no "-nan"
}

void Session::readReport(uint32_t age, StepMetrics &step) const {
  MPC_STRUCT(mpc_step_report, report);
  mpc_status status = {};
  check(api->session_step_report(handle.get(), age, &report, &status), status);
  put(step.loss, report, MPC_HAS_LOSS, report.loss);
  put(step.scale, report, MPC_HAS_SCALE, report.scale);
  put(step.foundInf, report, MPC_HAS_FOUND_INF, report.found_inf);
  put(step.consecutiveSkips, report, MPC_HAS_CONSECUTIVE_SKIPS,
      report.consecutive_skips);
  put(step.scaleAtFloor, report, MPC_HAS_SCALE_AT_FLOOR, report.scale_at_floor);
  put(step.gradNorm, report, MPC_HAS_GRAD_NORM, report.grad_norm);
  put(step.nonFiniteGrad, report, MPC_HAS_NONFINITE_GRAD,
      report.nonfinite_grad);
  put(step.nonFiniteLoss, report, MPC_HAS_NONFINITE_LOSS,
      report.nonfinite_loss);
  put(step.lr, report, MPC_HAS_LR, report.lr);
  put(step.effectiveStep, report, MPC_HAS_STEP, report.step);
}

std::vector<NamedScalar> Session::readScalars(const EntryFacts &entry,
                                              uint32_t age) const {
  std::vector<NamedScalar> scalars;
  for (uint32_t index = 0; index < entry.outputs.size(); ++index)
    if (const TensorFacts &output = entry.outputs[index]; output.shape.empty())
      scalars.push_back(
          {output.name, asScalar(output.type, result(entry, index, age))});
  return scalars;
}

double Session::scalarState(const StateFacts &state) const {
  return asNumber(state.type, getState(state));
}

/// A value that the runtime refuses is the caller's.
static void checkState(mpc_code code, const mpc_status &status) {
  if (code == MPC_INVALID_ARGUMENT)
    throw badInput(status.message);
  check(code, status);
}

void Session::setScalarState(const StateFacts &state, double value) {
  data::Tensor tensor{*data::formatOf(DType::F64), state.shape, {}};
  tensor.bytes.resize(sizeof(value));
  std::memcpy(tensor.bytes.data(), &value, sizeof(value));
  setState(state,
           requireInput(data::convert(tensor, state.type, state.name)).bytes);
}

static mpc_tensor view(const StateFacts &state, const std::byte *bytes,
                       uint64_t size) {
  MPC_STRUCT(mpc_tensor, tensor);
  tensor.type = static_cast<mpc_type>(state.type);
  tensor.rank = static_cast<uint32_t>(state.shape.size());
  tensor.shape = state.shape.data();
  tensor.data = const_cast<std::byte *>(bytes); // set_state only reads it
  tensor.bytes = size;
  return tensor;
}

data::Bytes Session::getState(const StateFacts &state) const {
  data::Bytes bytes(state.bytes);
  mpc_tensor tensor = view(state, bytes.data(), bytes.size());
  mpc_status status = {};
  check(api->session_get_state(handle.get(), state.name.c_str(), &tensor,
                               &status),
        status);
  return bytes;
}

void Session::setState(const StateFacts &state,
                       std::span<const std::byte> bytes) {
  mpc_tensor tensor = view(state, bytes.data(), bytes.size());
  mpc_status status = {};
  checkState(api->session_set_state(handle.get(), state.name.c_str(), &tensor,
                                    &status),
             status);
}

mpc_memory_info Session::memory() const {
  MPC_STRUCT(mpc_memory_info, info);
  checkIndex(api->session_memory(handle.get(), &info));
  return info;
}

void Session::save(data::OutputFile file, const Metadata &metadata) const {
  int descriptor = file.isOpen() ? file.openDescriptor() : 0;
  rt::Status status =
      rt::saveCheckpoint(handle.get(), file.path(), metadata, descriptor);
  if (!status)
    throw Failure(Exit::Failed, status.message());
}

/// Memory and devices are the system's fault, all else the file's.
static Exit exitForLoad(mpc_code code) {
  bool isSystem = code == MPC_OUT_OF_MEMORY || code == MPC_INTERNAL ||
                  code >= MPC_LIBRARY_ERROR;
  return isSystem ? Exit::Failed : Exit::BadInput;
}

Metadata Session::load(const std::string &path) {
  rt::Expected<Metadata> metadata = rt::loadCheckpoint(handle.get(), path);
  if (!metadata)
    throw Failure(exitForLoad(metadata.code()), metadata.message());
  return *metadata;
}

void Session::savePlans(data::OutputFile file) {
  const void *memory = nullptr;
  uint64_t bytes = 0;
  mpc_status status = {};
  check(api->session_export_plans(handle.get(), &memory, &bytes, &status),
        status);
  std::span<const std::byte> parts[] = {
      {static_cast<const std::byte *>(memory), bytes}};
  requireWritten(data::writeFile(std::move(file), parts));
}

void Session::synchronize() {
  mpc_status status = {};
  check(api->session_synchronize(handle.get(), &status), status);
}

WaitCounts Session::waitCounts() const {
  WaitCounts counts;
  checkIndex(api->session_wait_counts(handle.get(), &counts.synchronizations,
                                      &counts.waits));
  return counts;
}

#include "Sessions.h"

#include "Failure.h"

#include "mpc/Data/File.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unistd.h>

using namespace mpc;
using namespace mpc::train;

//===-- Facts -------------------------------------------------------------===//

/// "'a', 'b'"; "none" of an empty list.
template <typename List> static std::string quoteNames(const List &list) {
  std::string text;
  for (const auto &info : list)
    text += (text.empty() ? "'" : ", '") + std::string(info.name) + "'";
  return text.empty() ? "none" : text;
}

std::string mpc::train::listNames(const std::vector<mpc_tensor_info> &tensors) {
  return quoteNames(tensors);
}

std::string mpc::train::describeLeftOut(const rt::Program &program) {
  std::optional<std::string> dropped = program.setting("drop-outputs");
  std::optional<std::string> limit = program.setting("memory-limit");
  if (!dropped || !limit)
    return "";
  return "; it was compiled with '--memory-limit=" + *limit +
         "', and what '--drop-outputs=" + *dropped +
         "' matches is left out of 'forward', too, where that has no room for "
         "it: mpc-compile --inference makes a program that has it";
}

Failure mpc::train::noOutput(const rt::Program &program, const rt::Entry &entry,
                             const std::string &name) {
  return badInput("the program has no output '" + name + "'; it has " +
                  listNames(entry.outputs) + describeLeftOut(program));
}

std::optional<LabelRange> mpc::train::labelsOf(const mpc_tensor_info &input) {
  if (input.classes == 0)
    return std::nullopt;
  LabelRange labels{input.classes, std::nullopt};
  if (input.has_ignored_label)
    labels.ignored = input.ignored_label;
  return labels;
}

//===-- Programs ----------------------------------------------------------===//

rt::Program mpc::train::loadProgram(const ProgramFile &file) {
  if (!mpc_get_api(MPC_API_VERSION))
    throw Failure(Fault::System, "the runtime library does not know version " +
                                     std::to_string(MPC_API_VERSION) +
                                     " of its interface");
  rt::Expected<rt::Program> program =
      rt::Program::load(file.path, {file.allowCode});
  if (!program)
    throw Failure(faultOfProgram(program.code()), program.message());
  uint32_t kernels = program->info().num_kernels;
  if (kernels > 0 && !file.allowCode)
    throw badInput("'" + file.path + "' brings " + std::to_string(kernels) +
                   " compiled kernels, which '" + file.guard +
                   "' keeps out; mpc-run info tells what it holds, and without "
                   "'" +
                   file.guard + "' they run with all that you may do");
  return *program;
}

std::optional<rt::Entry> mpc::train::findEntry(const rt::Program &program,
                                               std::string_view name) {
  rt::Expected<rt::Entry> entry = program.entry(std::string(name));
  if (!entry)
    return std::nullopt;
  return std::move(*entry);
}

rt::Entry mpc::train::requireEntry(const rt::Program &program,
                                   std::string_view name) {
  if (std::optional<rt::Entry> entry = findEntry(program, name))
    return std::move(*entry);
  throw badInput("'" + program.path() + "': expected an entry '" +
                 std::string(name) + "', but the program has only " +
                 quoteNames(program.entries()));
}

uint64_t mpc::train::countMicroBatches(const rt::Program &program) {
  rt::Expected<uint64_t> count = program.microBatches();
  if (!count)
    throw badInput(count.message());
  return *count;
}

//===-- Sessions ----------------------------------------------------------===//

/// The bytes of the file, or none if there is no file yet.
static data::Bytes readPlans(const std::string &path) {
  if (path.empty() || access(path.c_str(), F_OK) != 0)
    return {};
  auto file = requireInput(data::InputFile::open(path));
  return requireInput(file.read(file.size()));
}

static void checkTarget(const DeviceOptions &options, const std::string &path,
                        std::string_view target) {
  struct Row {
    const char *option, *target;
    bool isGiven;
  };
  const Row rows[] = {
      {"--threads", "cpu", options.threads.has_value()},
      {"--device", "cuda", options.device.has_value()},
      {"--tune", "cuda", options.tuningMilliseconds.has_value()},
      {"--plans", "cuda", !options.plans.empty()},
      {"--allow-tf32", "cuda", options.allowTf32},
      {"--allow-nondeterministic", "cuda", options.allowNondeterministic},
      {"--own-attention", "cuda", options.ownAttention},
      {"--nvtx", "cuda", options.nvtx}};
  for (const Row &row : rows)
    if (row.isGiven && row.target != target)
      throw badOptions("'" + path + "': '" + row.option +
                       "' means nothing for a program of target '" +
                       std::string(target) + "'; leave it out");
}

rt::Session mpc::train::openSession(const rt::Program &program,
                                    const DeviceOptions &options,
                                    const RankMembership &ranks) {
  checkTarget(options, program.path(), program.info().target);
  data::Bytes plans = readPlans(options.plans);
  bool isGpu = std::string_view(program.info().target) == "cuda";
  MPC_STRUCT(mpc_device_options, device);
  device.device = static_cast<uint32_t>(
      options.device.value_or(isGpu ? ranks.localRank : 0));
  device.tuning_ms =
      static_cast<uint32_t>(options.tuningMilliseconds.value_or(0));
  device.allow_tf32 = options.allowTf32;
  device.allow_nondeterministic = options.allowNondeterministic;
  device.own_attention = options.ownAttention;
  device.nvtx = options.nvtx;
  device.plans = plans.data();
  device.plans_bytes = plans.size();
  rt::SessionOptions how;
  MPC_STRUCT(mpc_nccl, nccl);
  if (!ranks.ncclId.empty()) {
    nccl.rank = ranks.rank;
    nccl.size = ranks.size;
    nccl.unique_id = ranks.ncclId.data();
    nccl.unique_id_bytes = ranks.ncclId.size();
    nccl.timeout_ms = ranks.timeoutMilliseconds;
    nccl.find_loss = ranks.findLoss;
    nccl.find_loss_context = ranks.findLossContext;
    device.nccl = &nccl;
  }
  how.threads = static_cast<uint32_t>(options.threads.value_or(ranks.threads));
  how.ranks = ranks.group;
  how.device = &device;
  how.log = options.log;
  how.logContext = options.logContext;
  rt::Expected<rt::Session> session = rt::Session::create(program, how);
  if (!session)
    throw Failure(session.code() == MPC_INVALID_ARGUMENT ? Fault::Options
                                                         : Fault::System,
                  "'" + program.path() + "': " + session.message());
  return std::move(*session);
}

void mpc::train::runBatch(rt::Session &session, const rt::Entry &entry,
                          const data::Batch &batch) {
  std::vector<mpc_input> inputs;
  inputs.reserve(batch.inputs.size());
  for (const data::Bytes &bytes : batch.inputs)
    inputs.push_back({bytes.data(), bytes.size()});
  require(session.run(entry.index, inputs.data(),
                      static_cast<uint32_t>(inputs.size())));
}

static std::span<const std::byte> asBytes(const rt::Memory &memory) {
  return {static_cast<const std::byte *>(memory.data), memory.bytes};
}

std::span<const std::byte> mpc::train::readOutput(const rt::Session &session,
                                                  const rt::Entry &entry,
                                                  uint32_t index) {
  return asBytes(require(session.output(entry.index, index)));
}

std::span<const std::byte> mpc::train::readResult(const rt::Session &session,
                                                  const rt::Entry &entry,
                                                  uint32_t index,
                                                  uint32_t age) {
  return asBytes(require(session.result(entry.index, index, age)));
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

double mpc::train::asNumber(DType type, std::span<const std::byte> bytes) {
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

/// The sign of a NaN says nothing: no "-nan".
static std::optional<double> dropSign(std::optional<double> value) {
  if (value && std::isnan(*value))
    return std::fabs(*value);
  return value;
}

void mpc::train::readReport(const rt::Session &session, uint32_t age,
                            StepMetrics &step) {
  auto report = require(session.stepReport(age));
  step.loss = dropSign(report.loss);
  step.scale = dropSign(report.scale);
  step.foundInf = report.foundInf;
  step.consecutiveSkips = report.consecutiveSkips;
  step.scaleAtFloor = report.scaleAtFloor;
  step.gradNorm = dropSign(report.gradNorm);
  step.nonFiniteGrad = report.nonFiniteGrad;
  step.nonFiniteLoss = report.nonFiniteLoss;
  step.lr = dropSign(report.lr);
  step.effectiveStep = report.step;
}

std::vector<NamedScalar> mpc::train::readScalars(const rt::Session &session,
                                                 const rt::Entry &entry,
                                                 uint32_t age) {
  std::vector<NamedScalar> scalars;
  for (uint32_t index = 0; index < entry.outputs.size(); ++index)
    if (const mpc_tensor_info &info = entry.outputs[index]; info.rank == 0)
      scalars.push_back(
          {info.name,
           asScalar(typeOf(info), readResult(session, entry, index, age))});
  return scalars;
}

data::Bytes mpc::train::getState(const rt::Session &session,
                                 const mpc_state_info &state) {
  data::Bytes bytes(state.bytes);
  require(session.getState(state, bytes.data(), bytes.size()));
  return bytes;
}

/// A value that the runtime refuses is the caller's.
void mpc::train::setState(rt::Session &session, const mpc_state_info &state,
                          std::span<const std::byte> bytes) {
  rt::Status status = session.setState(state, bytes.data(), bytes.size());
  if (status.code() == MPC_INVALID_ARGUMENT)
    throw badInput(status.message());
  require(status);
}

double mpc::train::scalarState(const rt::Session &session,
                               const mpc_state_info &state) {
  return asNumber(typeOf(state), getState(session, state));
}

data::Bytes mpc::train::asState(const mpc_state_info &state, double value) {
  data::Tensor tensor{*data::formatOf(DType::F64), shapeOf(state), {}};
  tensor.bytes.resize(sizeof(value));
  std::memcpy(tensor.bytes.data(), &value, sizeof(value));
  return requireInput(data::convert(tensor, typeOf(state), state.name)).bytes;
}

void mpc::train::setScalarState(rt::Session &session,
                                const mpc_state_info &state, double value) {
  setState(session, state, asState(state, value));
}

void mpc::train::saveStates(const rt::Session &session, data::OutputFile file,
                            const rt::Metadata &metadata) {
  int descriptor = file.isOpen() ? file.openDescriptor() : 0;
  require(session.save(file.path(), metadata, descriptor));
}

/// Memory and devices are the system's fault, all else the file's.
static Fault faultOfLoad(mpc_code code) {
  bool isSystem = code == MPC_OUT_OF_MEMORY || code == MPC_INTERNAL ||
                  code >= MPC_LIBRARY_ERROR;
  return isSystem ? Fault::System : Fault::Input;
}

rt::Metadata mpc::train::loadStates(rt::Session &session,
                                    const std::string &path) {
  rt::Expected<rt::Metadata> metadata = session.load(path);
  if (!metadata)
    throw Failure(faultOfLoad(metadata.code()), metadata.message());
  return *metadata;
}

void mpc::train::savePlans(rt::Session &session, data::OutputFile file) {
  std::vector<unsigned char> plans = require(session.exportPlans());
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(plans))};
  requireWritten(data::writeFile(std::move(file), parts));
}

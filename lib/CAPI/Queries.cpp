// What a program tells. Everything is read from the verified file; nothing is
// copied.
#include "Handles.h"
#include "mpc/Program/Calls.h"
#include "mpc/Program/Costs.h"

using namespace mpc;
using namespace mpc::capi;
using mpc::program::toSpan;

// The C enums are casts of the format's.
#define MPC_SAME(c, cpp)                                                       \
  static_assert(static_cast<int>(c) == static_cast<int>(cpp))
MPC_SAME(MPC_F64, DType::F64);
MPC_SAME(MPC_F8E5M2, DType::F8E5M2);
MPC_SAME(MPC_F64, program::ElementType::F64);
MPC_SAME(MPC_F8E5M2, program::ElementType::MAX);
MPC_SAME(MPC_PARAMETER, program::Role::Parameter);
MPC_SAME(MPC_COMPENSATION, program::Role::Compensation);
MPC_SAME(MPC_RUNNING_STATISTIC, program::Role::MAX);
MPC_SAME(MPC_INIT_ZEROS, program::InitKind::Zeros);
MPC_SAME(MPC_INIT_DERIVED, program::InitKind::MAX);
MPC_SAME(MPC_SUM, program::ReduceKind::Sum);
MPC_SAME(MPC_MAX, program::ReduceKind::MAX);
MPC_SAME(MPC_OUT_OF_MEMORY, StatusCode::OutOfMemory);
MPC_SAME(MPC_INVALID_PROGRAM, StatusCode::InvalidProgram);
MPC_SAME(MPC_CPU_UNSUPPORTED, StatusCode::CpuUnsupported);
MPC_SAME(MPC_NOT_INITIALIZED, StatusCode::NotInitialized);
MPC_SAME(MPC_COLLECTIVE_FAILED, StatusCode::CollectiveFailed);
MPC_SAME(MPC_DEVICE_UNSUPPORTED, StatusCode::DeviceUnsupported);
MPC_SAME(MPC_DEVICE_FAILED, StatusCode::DeviceFailed);
MPC_SAME(MPC_COLLECTIVE_TIMED_OUT, StatusCode::CollectiveTimedOut);

template <typename Vector> static uint32_t count(const Vector *vector) {
  return vector ? vector->size() : 0;
}

static const char *text(const flatbuffers::String *string) {
  return string ? string->c_str() : "";
}

// The words of Runtime.h; a new one of the format that has none does not build.
static const char *nameOf(const program::Program &file,
                          const program::Record &record) {
  switch (record.kind()) {
  case program::RecordKind::Launch:
    return "launch";
  case program::RecordKind::Call:
    return getName(file.calls()->Get(record.target())->options_type());
  case program::RecordKind::AllReduce:
    return "all_reduce";
  case program::RecordKind::AllReduceStart:
    return "all_reduce_start";
  case program::RecordKind::AllReduceDone:
    return "all_reduce_done";
  case program::RecordKind::Copy:
    return "copy";
  case program::RecordKind::Fill:
    return "fill";
  case program::RecordKind::MultiTensor:
    return "multi_tensor";
  case program::RecordKind::Observe:
    return "observe";
  }
  return ""; // The verifier lets no other through.
}

static const char *nameOf(program::CodeFormat value) {
  switch (value) {
  case program::CodeFormat::ElfSharedObject:
    return "shared object";
  case program::CodeFormat::Cubin:
    return "cubin";
  case program::CodeFormat::Ptx:
    return "ptx";
  }
  return ""; // The verifier lets no other through.
}

static const char *nameOf(program::MultiTensorKind value) {
  switch (value) {
  case program::MultiTensorKind::UnscaleL2Norm:
    return "unscale_l2_norm";
  case program::MultiTensorKind::AdamW:
    return "adamw";
  case program::MultiTensorKind::Sgd:
    return "sgd";
  }
  return ""; // The verifier lets no other through.
}

static mpc_code programInfo(const mpc_program *handle, mpc_program_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const program::Program &file = *handle->program->file();
  mpc_program_info value = {};
  value.format_version = file.format_version();
  value.producer = text(file.producer());
  value.target = text(file.target());
  value.model = text(file.model());
  value.code_target = handle->program->codeTarget().c_str();
  value.num_settings = count(file.settings());
  value.num_states = count(file.states());
  value.num_entries = count(file.entries());
  value.num_memory_categories = count(file.memory());
  value.num_kernels = count(file.kernels());
  value.num_calls = count(file.calls());
  value.num_collectives = count(file.collectives());
  value.num_code_sections = count(file.code());
  value.file_bytes = handle->program->file().bytes();
  value.state_bytes = file.state_bytes();
  value.arena_bytes = file.arena_bytes();
  value.constant_bytes = count(file.constants());
  value.num_multi_tensors = count(file.multi_tensors());
  value.num_probes = count(file.probes());
  value.has_source = file.source() != nullptr;
  return writeStruct(info, value);
}

/// Element `index` of a vector of the program, or null.
template <typename Vector>
static auto pick(const Vector *vector, uint32_t index)
    -> decltype(vector->Get(0)) {
  return index < count(vector) ? vector->Get(index) : nullptr;
}

static mpc_code programSetting(const mpc_program *handle, uint32_t index,
                               const char **key, const char **value) {
  if (!handle || !key || !value)
    return MPC_INVALID_ARGUMENT;
  const auto *setting = pick(handle->program->file()->settings(), index);
  if (!setting)
    return MPC_NOT_FOUND;
  *key = text(setting->key());
  *value = text(setting->value());
  return MPC_OK;
}

static mpc_code programState(const mpc_program *handle, uint32_t index,
                             mpc_state_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const auto *state = pick(handle->program->file()->states(), index);
  if (!state)
    return MPC_NOT_FOUND;
  mpc_state_info value = {};
  value.name = text(state->name());
  value.type = static_cast<mpc_type>(state->type());
  value.rank = count(state->shape());
  value.shape = toSpan(state->shape()).data();
  value.bytes = state->bytes();
  value.role = static_cast<mpc_role>(state->role());
  value.of = handle->program->file().ownerOf(index);
  value.init = static_cast<mpc_init>(state->init()->kind());
  value.init_a = state->init()->a();
  value.init_b = state->init()->b();
  return writeStruct(info, value);
}

static const program::Entry *findEntry(const mpc_program *handle,
                                       uint32_t index) {
  return pick(handle->program->file()->entries(), index);
}

static mpc_code programEntry(const mpc_program *handle, uint32_t index,
                             mpc_entry_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const program::Entry *entry = findEntry(handle, index);
  if (!entry)
    return MPC_NOT_FOUND;
  mpc_entry_info value = {};
  value.name = text(entry->name());
  value.num_inputs = count(entry->inputs());
  value.num_outputs = count(entry->outputs());
  value.num_records = count(entry->records());
  return writeStruct(info, value);
}

static mpc_code describe(const program::Tensor *tensor, mpc_tensor_info *info) {
  if (!tensor)
    return MPC_NOT_FOUND;
  mpc_tensor_info value = {};
  value.name = text(tensor->name());
  value.type = static_cast<mpc_type>(tensor->type());
  value.rank = count(tensor->shape());
  value.shape = toSpan(tensor->shape()).data();
  value.bytes =
      *program::getTensorBytes(tensor->type(), toSpan(tensor->shape()));
  if (std::optional<LabelRange> labels = program::labelRangeOf(*tensor)) {
    value.classes = labels->classes;
    value.has_ignored_label = labels->ignored.has_value();
    value.ignored_label = labels->ignored.value_or(0);
  }
  value.loss_only = tensor->loss_only();
  return writeStruct(info, value);
}

static mpc_code programInput(const mpc_program *handle, uint32_t entry,
                             uint32_t index, mpc_tensor_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const program::Entry *found = findEntry(handle, entry);
  return describe(found ? pick(found->inputs(), index) : nullptr, info);
}

static mpc_code programOutput(const mpc_program *handle, uint32_t entry,
                              uint32_t index, mpc_tensor_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const program::Entry *found = findEntry(handle, entry);
  return describe(found ? pick(found->outputs(), index) : nullptr, info);
}

static mpc_code programRecord(const mpc_program *handle, uint32_t entry,
                              uint32_t index, mpc_record_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const program::Entry *found = findEntry(handle, entry);
  if (!found || index >= count(found->records()))
    return MPC_NOT_FOUND;
  const program::Program &file = *handle->program->file();
  const program::Record &record = *found->records()->Get(index);
  mpc_record_info value = {};
  value.kind = nameOf(file, record);
  value.name = record.name() == program::kNoName
                   ? ""
                   : text(file.names()->Get(record.name()));
  value.symbol = record.kind() == program::RecordKind::Launch
                     ? text(file.kernels()->Get(record.target())->symbol())
                     : "";
  value.target = record.target();
  value.extent = record.extent();
  value.grain = record.grain();
  try {
    program::Cost cost = program::getCost(file, record);
    value.bytes_read = cost.bytesRead;
    value.bytes_written = cost.bytesWritten;
    value.flops = cost.flops;
  } catch (const std::bad_alloc &) {
    return MPC_OUT_OF_MEMORY;
  }
  return writeStruct(info, value);
}

static mpc_code programMemory(const mpc_program *handle, uint32_t index,
                              const char **category, uint64_t *bytes) {
  if (!handle || !category || !bytes)
    return MPC_INVALID_ARGUMENT;
  const auto *memory = pick(handle->program->file()->memory(), index);
  if (!memory)
    return MPC_NOT_FOUND;
  *category = text(memory->name());
  *bytes = memory->bytes();
  return MPC_OK;
}

static mpc_code programKernel(const mpc_program *handle, uint32_t index,
                              mpc_kernel_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const auto *kernel = pick(handle->program->file()->kernels(), index);
  if (!kernel)
    return MPC_NOT_FOUND;
  mpc_kernel_info value = {};
  value.symbol = text(kernel->symbol());
  value.bytes_read = kernel->bytes_read();
  value.bytes_written = kernel->bytes_written();
  return writeStruct(info, value);
}

static mpc_code programCode(const mpc_program *handle, uint32_t index,
                            mpc_code_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const auto *section = pick(handle->program->file()->code(), index);
  if (!section)
    return MPC_NOT_FOUND;
  mpc_code_info value = {};
  value.target = text(section->target());
  value.bytes = toSpan(section->data()).size();
  value.format = nameOf(section->format());
  value.num_launches = count(section->launches());
  try {
    value.usable = runtime::canRun(value.target);
  } catch (const std::bad_alloc &) {
    return MPC_OUT_OF_MEMORY;
  }
  return writeStruct(info, value);
}

static mpc_code programMultiTensor(const mpc_program *handle, uint32_t index,
                                   mpc_multi_tensor_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const auto *operation = pick(handle->program->file()->multi_tensors(), index);
  if (!operation)
    return MPC_NOT_FOUND;
  mpc_multi_tensor_info value = {};
  value.kind = nameOf(operation->kind());
  value.num_tensors = count(operation->counts());
  for (uint64_t elements : toSpan(operation->counts()))
    value.elements += elements;
  value.gradient_type = static_cast<mpc_type>(operation->gradient_type());
  value.has_copies = operation->has_copies();
  value.copy_type = static_cast<mpc_type>(operation->copy_type());
  return writeStruct(info, value);
}

static mpc_code programCall(const mpc_program *handle, uint32_t index,
                            mpc_call_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const program::Call *call = pick(handle->program->file()->calls(), index);
  if (!call)
    return MPC_NOT_FOUND;
  mpc_call_info value = {};
  value.kind = getName(call->options_type());
  value.num_operands = count(call->operands());
  value.has_tail = call->tail_kernel() != program::kNoKernel;
  return writeStruct(info, value);
}

static mpc_code programOperand(const mpc_program *handle, uint32_t call,
                               uint32_t index, mpc_operand_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const program::Call *found = pick(handle->program->file()->calls(), call);
  const auto *operand = found ? pick(found->operands(), index) : nullptr;
  if (!operand)
    return MPC_NOT_FOUND;
  mpc_operand_info value = {};
  value.role = getName(operand->role());
  value.type = static_cast<mpc_type>(operand->type());
  value.rank = count(operand->shape());
  value.shape = toSpan(operand->shape()).data();
  value.strides = toSpan(operand->strides()).data();
  value.written = operand->written();
  return writeStruct(info, value);
}

static mpc_code programProbe(const mpc_program *handle, uint32_t index,
                             mpc_probe_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const auto *probe = pick(handle->program->file()->probes(), index);
  if (!probe)
    return MPC_NOT_FOUND;
  mpc_probe_info value = {};
  value.output = probe->output();
  value.what = text(probe->what());
  value.location = text(probe->location());
  value.type = static_cast<mpc_type>(probe->type());
  value.rank = count(probe->shape());
  value.shape = toSpan(probe->shape()).data();
  value.num_reads = count(probe->reads());
  value.reads = toSpan(probe->reads()).data();
  value.backward = probe->backward();
  value.sink = probe->sink();
  return writeStruct(info, value);
}

static const program::KernelLaunch *findLaunch(const mpc_program *handle,
                                               uint32_t code, uint32_t index) {
  const auto *section = pick(handle->program->file()->code(), code);
  return section ? pick(section->launches(), index) : nullptr;
}

static mpc_code programCodeLaunch(const mpc_program *handle, uint32_t code,
                                  uint32_t index, mpc_launch_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const program::KernelLaunch *launch = findLaunch(handle, code, index);
  if (!launch)
    return MPC_NOT_FOUND;
  mpc_launch_info value = {};
  value.kernel = launch->kernel();
  value.num_stages = count(launch->stages());
  value.workspace_bytes = launch->workspace_bytes();
  return writeStruct(info, value);
}

static mpc_code programCodeStage(const mpc_program *handle, uint32_t code,
                                 uint32_t launch, uint32_t index,
                                 mpc_stage_info *info) {
  if (!handle || !info)
    return MPC_INVALID_ARGUMENT;
  const program::KernelLaunch *found = findLaunch(handle, code, launch);
  const auto *stage = found ? pick(found->stages(), index) : nullptr;
  if (!stage)
    return MPC_NOT_FOUND;
  mpc_stage_info value = {};
  value.symbol = text(stage->symbol());
  value.grid = stage->grid();
  value.block = stage->block();
  value.shared_bytes = stage->shared_bytes();
  return writeStruct(info, value);
}

template <typename Vector>
static mpc_code find(const Vector *vector, const char *what, const char *name,
                     uint32_t *index, mpc_status *status) {
  return guard(status, [&]() -> Status {
    std::string known;
    for (uint32_t i = 0; i < count(vector); ++i) {
      if (vector->Get(i)->name()->string_view() == name) {
        *index = i;
        return {};
      }
      known += " " + vector->Get(i)->name()->str();
    }
    return {StatusCode::NotFound,
            std::string("no ") + what + " '" + name + "'; there are:" + known};
  });
}

static mpc_code programFindEntry(const mpc_program *handle, const char *name,
                                 uint32_t *index, mpc_status *status) {
  if (!handle || !name || !index)
    return give(
        StatusCode::InvalidArgument,
        "expected a program, a name and a place for the index of the entry, "
        "but got null",
        status);
  return find(handle->program->file()->entries(), "entry", name, index, status);
}

static mpc_code programFindState(const mpc_program *handle, const char *name,
                                 uint32_t *index, mpc_status *status) {
  if (!handle || !name || !index)
    return give(
        StatusCode::InvalidArgument,
        "expected a program, a name and a place for the index of the state, "
        "but got null",
        status);
  return find(handle->program->file()->states(), "state", name, index, status);
}

void capi::addQueries(mpc_api &api) {
  api.program_info = programInfo;
  api.program_setting = programSetting;
  api.program_state = programState;
  api.program_entry = programEntry;
  api.program_input = programInput;
  api.program_output = programOutput;
  api.program_record = programRecord;
  api.program_memory = programMemory;
  api.program_kernel = programKernel;
  api.program_code = programCode;
  api.program_multi_tensor = programMultiTensor;
  api.program_code_launch = programCodeLaunch;
  api.program_code_stage = programCodeStage;
  api.program_find_entry = programFindEntry;
  api.program_find_state = programFindState;
  api.program_probe = programProbe;
  api.program_call = programCall;
  api.program_operand = programOperand;
}

#include "ProgramFacts.h"
#include "Failure.h"

#include <string_view>

using namespace mpc;
using namespace mpc::run;
using Json = nlohmann::ordered_json;

const char *mpc::run::roleName(mpc_role role) {
  switch (role) {
  case MPC_PARAMETER:
    return "parameter";
  case MPC_WEIGHT_COPY:
    return "weight_copy";
  case MPC_MOMENT:
    return "moment";
  case MPC_SCALER:
    return "scaler";
  case MPC_COUNTER:
    return "counter";
  case MPC_HYPERPARAMETER:
    return "hyperparameter";
  case MPC_ACCUMULATOR:
    return "accumulator";
  case MPC_COMPENSATION:
    return "compensation";
  case MPC_LOSS_SCALE:
    return "loss_scale";
  case MPC_STEP_COUNTER:
    return "step_counter";
  case MPC_LEARNING_RATE:
    return "learning_rate";
  case MPC_RANDOM_SEED:
    return "random_seed";
  case MPC_RANDOM_STEP:
    return "random_step";
  case MPC_RUNNING_STATISTIC:
    return "running_statistic";
  }
  return "unknown";
}

template <typename Info> static Json tensorFacts(const Info &tensor) {
  Json facts;
  facts["name"] = tensor.name;
  facts["type"] = rt::api().type_name(tensor.type);
  facts["shape"] =
      std::vector<int64_t>(tensor.shape, tensor.shape + tensor.rank);
  facts["bytes"] = tensor.bytes;
  return facts;
}

static Json inputFacts(const mpc_tensor_info &input) {
  Json facts = tensorFacts(input);
  if (input.classes) {
    facts["classes"] = input.classes;
    if (input.has_ignored_label)
      facts["ignored_label"] = input.ignored_label;
  }
  if (input.loss_only)
    facts["loss_only"] = true;
  return facts;
}

static Json entryFacts(const rt::Program &program, const rt::Entry &entry) {
  Json facts;
  facts["name"] = entry.name;
  facts["inputs"] = Json::array();
  facts["outputs"] = Json::array();
  facts["records"] = Json::array();
  for (const mpc_tensor_info &input : entry.inputs)
    facts["inputs"].push_back(inputFacts(input));
  for (const mpc_tensor_info &output : entry.outputs)
    facts["outputs"].push_back(tensorFacts(output));
  auto records = program.records(entry.index);
  if (!records)
    throw Failure({train::faultOfProgram(records.code()), records.message()});
  for (const mpc_record_info &record : *records) {
    Json line;
    line["kind"] = record.kind;
    line["name"] = record.name;
    if (*record.symbol)
      line["kernel"] = record.symbol;
    if (std::string_view(record.kind) == "multi_tensor")
      line["operation"] = record.target;
    facts["records"].push_back(std::move(line));
  }
  return facts;
}

static Json stateFacts(const mpc_state_info &state) {
  Json facts = tensorFacts(state);
  facts["role"] = roleName(state.role);
  if (*state.of)
    facts["of"] = state.of;
  return facts;
}

/// What the program table lists by index, as one JSON array.
template <typename Read> static Json gather(uint32_t count, Read read) {
  Json list = Json::array();
  for (uint32_t i = 0; i < count; ++i)
    list.push_back(read(i));
  return list;
}

static Json launchFacts(const rt::Program &program, uint32_t code,
                        uint32_t index) {
  const mpc_api &api = rt::api();
  MPC_STRUCT(mpc_launch_info, launch);
  api.program_code_launch(program.get(), code, index, &launch);
  MPC_STRUCT(mpc_kernel_info, kernel);
  api.program_kernel(program.get(), launch.kernel, &kernel);
  Json facts;
  facts["kernel"] = kernel.symbol;
  facts["workspace_bytes"] = launch.workspace_bytes;
  facts["stages"] = gather(launch.num_stages, [&](uint32_t i) {
    MPC_STRUCT(mpc_stage_info, stage);
    api.program_code_stage(program.get(), code, index, i, &stage);
    return Json{{"symbol", stage.symbol},
                {"grid", stage.grid},
                {"block", stage.block},
                {"shared_bytes", stage.shared_bytes}};
  });
  return facts;
}

static Json codeFacts(const rt::Program &program, uint32_t index) {
  MPC_STRUCT(mpc_code_info, code);
  rt::api().program_code(program.get(), index, &code);
  Json facts;
  facts["target"] = code.target;
  facts["format"] = code.format;
  facts["bytes"] = code.bytes;
  if (std::string_view(program.info().target) == "cpu")
    facts["usable"] = code.usable != 0;
  else
    facts["launches"] = gather(code.num_launches, [&](uint32_t i) {
      return launchFacts(program, index, i);
    });
  return facts;
}

static Json operandFacts(const rt::Program &program, uint32_t call,
                         uint32_t index) {
  const mpc_api &api = rt::api();
  MPC_STRUCT(mpc_operand_info, operand);
  api.program_operand(program.get(), call, index, &operand);
  auto list = [&](const int64_t *numbers) {
    return std::vector<int64_t>(numbers, numbers + operand.rank);
  };
  return {{"role", operand.role},
          {"type", api.type_name(operand.type)},
          {"shape", list(operand.shape)},
          {"strides", list(operand.strides)},
          {"written", operand.written != 0}};
}

static Json callFacts(const rt::Program &program, uint32_t index) {
  MPC_STRUCT(mpc_call_info, call);
  rt::api().program_call(program.get(), index, &call);
  return {{"kind", call.kind},
          {"has_tail", call.has_tail != 0},
          {"operands", gather(call.num_operands, [&](uint32_t i) {
             return operandFacts(program, index, i);
           })}};
}

static Json operationFacts(const rt::Program &program, uint32_t index) {
  const mpc_api &api = rt::api();
  MPC_STRUCT(mpc_multi_tensor_info, operation);
  api.program_multi_tensor(program.get(), index, &operation);
  Json facts;
  facts["kind"] = operation.kind;
  facts["tensors"] = operation.num_tensors;
  facts["elements"] = operation.elements;
  facts["gradient_type"] = api.type_name(operation.gradient_type);
  if (operation.has_copies)
    facts["copy_type"] = api.type_name(operation.copy_type);
  return facts;
}

Json mpc::run::gatherFacts(const rt::Program &program) {
  mpc_program_info info = program.info();
  const mpc_api &api = rt::api();
  Json facts;
  facts["model"] = info.model;
  facts["target"] = info.target;
  facts["producer"] = info.producer;
  facts["format_version"] = info.format_version;
  facts["file_bytes"] = info.file_bytes;
  facts["settings"] = Json::object();
  for (uint32_t i = 0; i < info.num_settings; ++i) {
    const char *key = "", *value = "";
    api.program_setting(program.get(), i, &key, &value);
    facts["settings"][key] = value;
  }
  facts["entries"] = Json::array();
  for (const rt::Entry &entry : program.entries())
    facts["entries"].push_back(entryFacts(program, entry));
  facts["states"] = Json::array();
  for (const mpc_state_info &state : program.states())
    facts["states"].push_back(stateFacts(state));
  facts["memory"] = Json::object();
  for (uint32_t i = 0; i < info.num_memory_categories; ++i) {
    const char *category = "";
    uint64_t bytes = 0;
    api.program_memory(program.get(), i, &category, &bytes);
    facts["memory"][category] = bytes;
  }
  facts["state_bytes"] = info.state_bytes;
  facts["arena_bytes"] = info.arena_bytes;
  facts["constant_bytes"] = info.constant_bytes;
  facts["calls"] =
      gather(info.num_calls, [&](uint32_t i) { return callFacts(program, i); });
  facts["collectives"] = info.num_collectives;
  facts["kernels"] = gather(info.num_kernels, [&](uint32_t i) {
    MPC_STRUCT(mpc_kernel_info, kernel);
    api.program_kernel(program.get(), i, &kernel);
    return Json{{"symbol", kernel.symbol},
                {"bytes_read", kernel.bytes_read},
                {"bytes_written", kernel.bytes_written}};
  });
  facts["multi_tensors"] = gather(info.num_multi_tensors, [&](uint32_t i) {
    return operationFacts(program, i);
  });
  facts["code"] = gather(info.num_code_sections,
                         [&](uint32_t i) { return codeFacts(program, i); });
  return facts;
}

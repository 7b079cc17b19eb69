#include "Commands.h"
#include "Model.h"
#include "Options.h"
#include "Progress.h"

#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::run;
using Json = nlohmann::ordered_json;

//===-- Gathering ---------------------------------------------------------===//

static const char *roleName(mpc_role role) {
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
  }
  return "unknown";
}

static Json tensorFacts(const TensorFacts &tensor) {
  Json facts;
  facts["name"] = tensor.name;
  facts["type"] = getInfo(tensor.type).name;
  facts["shape"] = tensor.shape;
  facts["bytes"] = tensor.bytes;
  return facts;
}

static Json entryFacts(const Program &program, const EntryFacts &entry) {
  Json facts;
  facts["name"] = entry.name;
  facts["inputs"] = Json::array();
  facts["outputs"] = Json::array();
  facts["records"] = Json::array();
  for (const TensorFacts &input : entry.inputs)
    facts["inputs"].push_back(tensorFacts(input));
  for (const TensorFacts &output : entry.outputs)
    facts["outputs"].push_back(tensorFacts(output));
  for (uint32_t i = 0; i < entry.numRecords; ++i) {
    MPC_STRUCT(mpc_record_info, record);
    program.api()->program_record(program.get(), entry.index, i, &record);
    Json line;
    line["kind"] = record.kind;
    line["name"] = record.name;
    if (*record.symbol)
      line["kernel"] = record.symbol;
    facts["records"].push_back(std::move(line));
  }
  return facts;
}

static Json stateFacts(const StateFacts &state) {
  Json facts = tensorFacts(state);
  facts["role"] = roleName(state.role);
  if (!state.of.empty())
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

static Json gatherFacts(const Program &program) {
  mpc_program_info info = program.info();
  const mpc_api *api = program.api();
  Json facts;
  facts["model"] = info.model;
  facts["target"] = info.target;
  facts["producer"] = info.producer;
  facts["format_version"] = info.format_version;
  facts["file_bytes"] = info.file_bytes;
  facts["settings"] = Json::object();
  for (uint32_t i = 0; i < info.num_settings; ++i) {
    const char *key = "", *value = "";
    api->program_setting(program.get(), i, &key, &value);
    facts["settings"][key] = value;
  }
  facts["entries"] = Json::array();
  for (const EntryFacts &entry : program.entries())
    facts["entries"].push_back(entryFacts(program, entry));
  facts["states"] = Json::array();
  for (const StateFacts &state : program.states())
    facts["states"].push_back(stateFacts(state));
  facts["memory"] = Json::object();
  for (uint32_t i = 0; i < info.num_memory_categories; ++i) {
    const char *category = "";
    uint64_t bytes = 0;
    api->program_memory(program.get(), i, &category, &bytes);
    facts["memory"][category] = bytes;
  }
  facts["state_bytes"] = info.state_bytes;
  facts["arena_bytes"] = info.arena_bytes;
  facts["constant_bytes"] = info.constant_bytes;
  facts["matmuls"] = info.num_matmuls;
  facts["collectives"] = info.num_collectives;
  facts["kernels"] = gather(info.num_kernels, [&](uint32_t i) {
    MPC_STRUCT(mpc_kernel_info, kernel);
    api->program_kernel(program.get(), i, &kernel);
    return Json{{"symbol", kernel.symbol},
                {"bytes_read", kernel.bytes_read},
                {"bytes_written", kernel.bytes_written}};
  });
  facts["code"] = gather(info.num_code_sections, [&](uint32_t i) {
    MPC_STRUCT(mpc_code_info, code);
    api->program_code(program.get(), i, &code);
    return Json{{"target", code.target},
                {"bytes", code.bytes},
                {"usable", code.usable != 0}};
  });
  return facts;
}

//===-- Printing ----------------------------------------------------------===//

static void printTensor(const char *indent, const TensorFacts &tensor,
                        const std::string &more = "") {
  std::string type =
      data::describe(tensor.shape, std::string(getInfo(tensor.type).name));
  std::printf("%s%-24s ", indent, tensor.name.c_str());
  if (more.empty())
    std::printf("%s\n", type.c_str());
  else
    std::printf("%-16s %s\n", type.c_str(), more.c_str());
}

static void printEntries(const Program &program) {
  for (const EntryFacts &entry : program.entries()) {
    std::printf("\nentry %s: %u records\n", entry.name.c_str(),
                entry.numRecords);
    for (const TensorFacts &input : entry.inputs)
      printTensor("  input  ", input);
    for (const TensorFacts &output : entry.outputs)
      printTensor("  output ", output);
  }
}

static void printStates(const Program &program) {
  if (!program.states().empty())
    std::printf("\nstates\n");
  for (const StateFacts &state : program.states())
    printTensor("  ", state,
                roleName(state.role) +
                    (state.of.empty() ? "" : " of " + state.of));
}

static void printMemory(const Json &facts) {
  std::printf("\nmemory\n");
  for (const auto &[category, bytes] : facts["memory"].items())
    std::printf("  %-24s %12s\n", category.c_str(),
                formatBytes(bytes.get<uint64_t>()).c_str());
  auto block = [&](const char *title, const char *key) {
    std::printf("  %-24s %12s\n", title,
                formatBytes(facts[key].get<uint64_t>()).c_str());
  };
  block("state block", "state_bytes");
  block("arena block", "arena_bytes");
  block("constant block", "constant_bytes");
}

static void printCode(const Json &facts) {
  std::printf("\nkernels %zu, matmuls %u, collectives %u\n",
              facts["kernels"].size(), facts["matmuls"].get<unsigned>(),
              facts["collectives"].get<unsigned>());
  for (const Json &kernel : facts["kernels"])
    std::printf("  %-40s reads %s, writes %s\n",
                kernel["symbol"].get<std::string>().c_str(),
                formatBytes(kernel["bytes_read"].get<uint64_t>()).c_str(),
                formatBytes(kernel["bytes_written"].get<uint64_t>()).c_str());
  for (const Json &code : facts["code"])
    std::printf("code %-14s %12s%s\n",
                code["target"].get<std::string>().c_str(),
                formatBytes(code["bytes"].get<uint64_t>()).c_str(),
                code["usable"].get<bool>() ? "" : "  not for this processor");
}

static void printText(const Program &program, const Json &facts) {
  auto text = [&](const char *key) { return facts[key].get<std::string>(); };
  std::printf("model %s for %s, by %s, %s\n", text("model").c_str(),
              text("target").c_str(), text("producer").c_str(),
              formatBytes(facts["file_bytes"].get<uint64_t>()).c_str());
  if (!facts["settings"].empty())
    std::printf("\nsettings\n");
  for (const auto &[key, value] : facts["settings"].items())
    std::printf("  %-24s %s\n", key.c_str(), value.get<std::string>().c_str());
  printEntries(program);
  printStates(program);
  printMemory(facts);
  printCode(facts);
}

Exit mpc::run::runInfo(const Arguments &arguments) {
  bool asJson = false;
  Options options("info",
                  "Says what a program file holds; none of its code is loaded.",
                  "MODEL.mpcx");
  options.addFlag("--json", "as one JSON object", asJson);
  std::optional<std::string> model = options.parse(arguments);
  if (!model)
    return Exit::Ok;
  Program program(*model, /*allowCode=*/false);
  Json facts = gatherFacts(program);
  if (asJson)
    std::printf(
        "%s\n",
        facts.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  else
    printText(program, facts);
  return Exit::Ok;
}

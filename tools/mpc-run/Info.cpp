#include "Commands.h"
#include "Options.h"
#include "Print.h"
#include "ProgramFacts.h"

#include "mpc/Data/Tensor.h"
#include "mpc/Train/Format.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::run;
using Json = nlohmann::ordered_json;

template <typename Info>
static void printTensor(const char *indent, const Info &tensor,
                        const std::string &more = "") {
  std::string type = data::describe({tensor.shape, tensor.shape + tensor.rank},
                                    rt::api().type_name(tensor.type));
  print("%s%-24s ", indent, tensor.name);
  if (more.empty())
    print("%s\n", type);
  else
    print("%-16s %s\n", type, more);
}

/// "labels of 10 classes, or -100; for the loss alone"
static std::string describeUse(const mpc_tensor_info &input) {
  std::string text;
  if (input.classes) {
    text = "labels of " + std::to_string(input.classes) + " classes";
    if (input.has_ignored_label)
      text += ", or " + std::to_string(input.ignored_label);
  }
  if (input.loss_only)
    text += text.empty() ? "for the loss alone" : "; for the loss alone";
  return text;
}

static void printEntries(const rt::Program &program) {
  for (const rt::Entry &entry : program.entries()) {
    print("\nentry %s: %u records\n", entry.name, entry.numRecords);
    for (const mpc_tensor_info &input : entry.inputs)
      printTensor("  input  ", input, describeUse(input));
    for (const mpc_tensor_info &output : entry.outputs)
      printTensor("  output ", output);
  }
}

static void printStates(const rt::Program &program) {
  if (!program.states().empty())
    print("\nstates\n");
  for (const mpc_state_info &state : program.states())
    printTensor("  ", state,
                roleName(state.role) +
                    (*state.of ? std::string(" of ") + state.of : ""));
}

static void printMemory(const Json &facts) {
  print("\nmemory\n");
  for (const auto &[category, bytes] : facts["memory"].items())
    print("  %-24s %12s\n", category,
          train::formatBytes(bytes.get<uint64_t>()));
  auto block = [&](const char *title, const char *key) {
    print("  %-24s %12s\n", title,
          train::formatBytes(facts[key].get<uint64_t>()));
  };
  block("state block", "state_bytes");
  block("arena block", "arena_bytes");
  block("constant block", "constant_bytes");
}

static void printOperations(const Json &facts) {
  for (const Json &operation : facts["multi_tensors"]) {
    std::string types = operation["gradient_type"].get<std::string>();
    if (operation.contains("copy_type"))
      types += " gradients, " + operation["copy_type"].get<std::string>() +
               " copies";
    else
      types += " gradients";
    print("  %-40s %u tensors, %llu elements, %s\n",
          operation["kind"].get<std::string>(),
          operation["tensors"].get<unsigned>(),
          operation["elements"].get<unsigned long long>(), types);
  }
}

namespace {
/// All sections of one target and format.
struct CodeSum {
  std::string target, format;
  uint64_t bytes = 0, kernels = 0, launches = 0, workspace = 0;
  bool isUsable = true;
  size_t sections = 0;

  void add(const Json &code) {
    ++sections;
    bytes += code["bytes"].get<uint64_t>();
    isUsable = code.value("usable", true);
    for (const Json &launch : code.value("launches", Json::array())) {
      ++kernels;
      launches += launch["stages"].size();
      workspace =
          std::max(workspace, launch["workspace_bytes"].get<uint64_t>());
    }
  }
  void tell() const {
    print("code %-14s %12s", target, train::formatBytes(bytes));
    if (format != "shared object")
      print("  %s, %zu sections, %llu kernels in %llu launches, "
            "workspace %s",
            format, sections, static_cast<unsigned long long>(kernels),
            static_cast<unsigned long long>(launches),
            train::formatBytes(workspace));
    print("%s\n", isUsable ? "" : "  not for this processor");
  }
};
} // namespace

static void printSections(const Json &facts) {
  std::vector<CodeSum> sums;
  for (const Json &code : facts["code"]) {
    auto target = code["target"].get<std::string>();
    auto format = code["format"].get<std::string>();
    auto place = std::ranges::find_if(sums, [&](const CodeSum &sum) {
      return sum.target == target && sum.format == format;
    });
    if (place == sums.end()) {
      sums.push_back({target, format});
      place = sums.end() - 1;
    }
    place->add(code);
  }
  for (const CodeSum &sum : sums)
    sum.tell();
}

/// "64x128xf16", with its strides where they are not those of dense rows.
static std::string describeOperand(const Json &operand) {
  std::string text = operand["role"].get<std::string>() + " ", strides;
  bool isDense = true;
  uint64_t dense = 1; // may wrap around: dims that only repeat have no bound
  for (size_t i = operand["shape"].size(); i-- > 0;) {
    auto stride = operand["strides"][i].get<uint64_t>();
    auto dim = operand["shape"][i].get<uint64_t>();
    isDense &= stride == dense || dim == 1;
    dense *= dim;
    strides = std::to_string(stride) + (strides.empty() ? "" : ", ") + strides;
  }
  for (const Json &dim : operand["shape"])
    text += std::to_string(dim.get<int64_t>()) + "x";
  text += operand["type"].get<std::string>();
  return isDense ? text : text + " strides [" + strides + "]";
}

static void printCalls(const Json &facts) {
  for (const Json &call : facts["calls"]) {
    std::string operands;
    for (const Json &operand : call["operands"])
      operands += (operands.empty() ? "" : ", ") + describeOperand(operand);
    print("  %-12s %s\n", call["kind"].get<std::string>(), operands);
  }
}

static void printCode(const Json &facts) {
  print("\nkernels %zu, library calls %zu, collectives %u",
        facts["kernels"].size(), facts["calls"].size(),
        facts["collectives"].get<unsigned>());
  if (!facts["multi_tensors"].empty())
    print(", multi-tensor operations %zu", facts["multi_tensors"].size());
  print("\n");
  for (const Json &kernel : facts["kernels"])
    print("  %-40s reads %s, writes %s\n", kernel["symbol"].get<std::string>(),
          train::formatBytes(kernel["bytes_read"].get<uint64_t>()),
          train::formatBytes(kernel["bytes_written"].get<uint64_t>()));
  printCalls(facts);
  printOperations(facts);
  printSections(facts);
}

static void printText(const rt::Program &program, const Json &facts) {
  auto text = [&](const char *key) { return facts[key].get<std::string>(); };
  print("model %s for %s, by %s, %s\n", text("model"), text("target"),
        text("producer"),
        train::formatBytes(facts["file_bytes"].get<uint64_t>()));
  if (!facts["settings"].empty())
    print("\nsettings\n");
  for (const auto &[key, value] : facts["settings"].items())
    print("  %-24s %s\n", key, value.get<std::string>());
  printEntries(program);
  printStates(program);
  printMemory(facts);
  printCode(facts);
}

/// As text in which no control character is left, also of those that JSON does
/// not ask to be escaped.
static std::string dump(const Json &facts) {
  std::string text, raw = facts.dump(2, ' ', /*ensure_ascii=*/false,
                                     Json::error_handler_t::replace);
  auto escape = [&](unsigned code) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
    text += escaped;
  };
  for (size_t i = 0; i < raw.size(); ++i) {
    auto byte = static_cast<unsigned char>(raw[i]);
    auto next = i + 1 < raw.size() ? static_cast<unsigned char>(raw[i + 1]) : 0;
    if (byte == 0x7f)
      escape(byte);
    else if (byte == 0xc2 && next < 0xa0)
      escape(static_cast<unsigned char>(raw[++i]));
    else
      text += raw[i];
  }
  return text;
}

namespace {
struct InfoOptions {
  bool asJson = false;

  static Options command() {
    return {"mpc-run", "info", "say what a program file holds", "MODEL.mpcx"};
  }
  void declare(Options &options) {
    options.setDetails(
        "Says what a program file holds; none of its code is loaded.");
    options.addFlag("--json", "as one JSON object", asJson);
  }
};
} // namespace

cli::CommandInfo mpc::run::describeInfo() { return describe<InfoOptions>(); }

Exit mpc::run::runInfo(const Arguments &arguments) {
  InfoOptions options;
  std::optional<std::string> model = readInto(options, arguments);
  if (!model)
    return Exit::Ok;
  rt::Expected<rt::Program> program = rt::Program::load(*model);
  if (!program)
    throw Failure({train::faultOfProgram(program.code()), program.message()});
  Json facts = gatherFacts(*program);
  if (options.asJson)
    std::puts(dump(facts).c_str());
  else
    printText(*program, facts);
  return Exit::Ok;
}

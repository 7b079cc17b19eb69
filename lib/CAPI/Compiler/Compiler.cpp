// The table of libmpcc: thin. C options -> Options, Diagnostic -> C; no
// exception leaves.
#include "mpc-c/Compiler.h"
#include "CAPI/Boundary/Boundary.h"
#include "mpc/Compile/Compile.h"
#include "mpc/Support/Printable.h"

using namespace mpc;
using namespace mpc::capi;
using compile::Exit;
using compile::Severity;

struct mpc_compiled {
  std::vector<uint8_t> program;
};

namespace mpc::capi {
MPC_FIRST_VERSION(mpc_compile_options, report_context);
} // namespace mpc::capi

static_assert(int(Severity::Error) == MPC_SEVERITY_ERROR &&
              int(Severity::Warning) == MPC_SEVERITY_WARNING &&
              int(Severity::Remark) == MPC_SEVERITY_REMARK &&
              int(Severity::Note) == MPC_SEVERITY_NOTE);

static Status invalid(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}

//===-- Diagnostics -------------------------------------------------------===//

static mpc_diagnostic toC(const compile::Diagnostic &given) {
  MPC_STRUCT(mpc_diagnostic, result);
  result.severity = static_cast<mpc_severity>(given.severity);
  result.line = given.line;
  result.column = given.column;
  result.message = given.message.c_str();
  result.file = given.file.c_str();
  result.text = given.text.c_str();
  return result;
}

static void diagnose(const mpc_compile_options &options,
                     const compile::Diagnostic &given) {
  std::vector<mpc_diagnostic> notes;
  for (const compile::Diagnostic &note : given.notes)
    notes.push_back(toC(note));
  std::vector<const mpc_diagnostic *> places;
  for (const mpc_diagnostic &note : notes)
    places.push_back(&note);
  mpc_diagnostic diagnostic = toC(given);
  diagnostic.notes = places.data();
  diagnostic.num_notes = static_cast<uint32_t>(places.size());
  options.diagnose(options.diagnose_context, &diagnostic);
}

/// "model.mlir:3:5: expected ...".
static std::string summarize(const compile::Diagnostic &diagnostic) {
  if (diagnostic.file.empty())
    return diagnostic.message;
  return diagnostic.file + ":" + std::to_string(diagnostic.line) + ":" +
         std::to_string(diagnostic.column) + ": " + diagnostic.message;
}

//===-- Compiling ---------------------------------------------------------===//

static Status readNames(const mpc_compile_options &given,
                        std::vector<compile::NamedValue> &result) {
  if (given.num_options && !given.options)
    return nullArgument("options");
  for (uint32_t i = 0; i < given.num_options; ++i) {
    const mpc_compile_option &option = given.options[i];
    if (!option.name)
      return nullArgument("the name of each option");
    result.push_back({option.name, option.value ? option.value : ""});
  }
  return {};
}

static Result<compile::Options> readOptions(const mpc_compile_options &given) {
  std::vector<compile::NamedValue> names;
  if (Status status = readNames(given, names); !status.ok())
    return status;
  Result<compile::Options> options = compile::readOptions(names);
  if (options && given.folder)
    options->onnx.folder = given.folder;
  if (!options || given.report)
    return options;
  bool reports = options->printPolicy || options->printCasts ||
                 options->printMemory || options->printSaved ||
                 options->printPeak || options->time;
  if (reports)
    return invalid("expected a report function with options that print, but "
                   "got null");
  return options;
}

static StatusCode codeOf(Exit exit) {
  switch (exit) {
  case Exit::Ok:
    return StatusCode::Ok;
  case Exit::Usage:
    return StatusCode::InvalidArgument;
  case Exit::BadInput:
    return static_cast<StatusCode>(MPC_INVALID_MODEL);
  default:
    return static_cast<StatusCode>(MPC_COMPILE_FAILED);
  }
}

static Status compileModel(const compile::Model &model,
                           const mpc_compile_options &given,
                           const compile::Options &options,
                           std::vector<uint8_t> &program) {
  std::string first;
  compile::Listener listener;
  listener.diagnostic = [&](const compile::Diagnostic &diagnostic) {
    if (first.empty() && diagnostic.severity == Severity::Error)
      first = summarize(diagnostic);
    if (given.diagnose)
      diagnose(given, diagnostic);
  };
  auto report = [&](StringRef text) {
    given.report(given.report_context, text.data(), text.size());
  };
  if (given.report)
    listener.report = report;
  if (options.time)
    listener.progress = report;
  Exit exit = compile::compile(model, options, listener, program);
  return exit == Exit::Ok ? Status() : Status(codeOf(exit), std::move(first));
}

static mpc_code compileC(const void *model, size_t bytes,
                         const mpc_compile_options *given,
                         mpc_compiled **compiled, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!model || !compiled)
      return nullArgument("a model and a place for the program");
    *compiled = nullptr;
    mpc_compile_options read;
    if (Status status = readStruct(given, read); !status.ok())
      return status;
    Result<compile::Options> options = readOptions(read);
    if (!options) {
      compile::Diagnostic wrong;
      wrong.message = options.status().message();
      if (read.diagnose)
        diagnose(read, wrong);
      return options.status();
    }
    auto made = std::make_unique<mpc_compiled>();
    compile::Model view{StringRef(static_cast<const char *>(model), bytes),
                        read.name ? read.name : "model"};
    Status failed = compileModel(view, read, *options, made->program);
    if (failed.ok())
      *compiled = made.release();
    return failed;
  });
}

static const void *program(const mpc_compiled *compiled, size_t *bytes) {
  if (bytes)
    *bytes = compiled ? compiled->program.size() : 0;
  return compiled ? compiled->program.data() : nullptr;
}

static void release(mpc_compiled *compiled) { delete compiled; }

//===-- Tables ------------------------------------------------------------===//

static mpc_code option(uint32_t index, mpc_option_info *info) {
  return guard(nullptr, [&]() -> Status {
    static const std::vector<cli::OptionInfo> all = compile::listOptions();
    if (!info)
      return nullArgument("a place for the option");
    // Short ones are for typing.
    std::vector<const cli::OptionInfo *> named;
    for (const cli::OptionInfo &option : all)
      if (option.name.starts_with("--"))
        named.push_back(&option);
    if (index >= named.size())
      return {StatusCode::NotFound, "no option of that number"};
    const cli::OptionInfo &found = *named[index];
    mpc_option_info value = {};
    value.name = found.name.c_str() + 2;
    value.metavar = found.metavar.c_str();
    value.help = found.help.c_str();
    value.group = found.group.c_str();
    if (writeStruct(info, value) != MPC_OK)
      return invalid("expected struct_size of the info to be its size");
    return {};
  });
}

static const char *codeName(mpc_code code) {
  if (code == MPC_INVALID_MODEL)
    return "invalid model";
  if (code == MPC_COMPILE_FAILED)
    return "compile failed";
  return getName(static_cast<StatusCode>(code)).data();
}

static mpc_compiler_api makeApi() {
  mpc_compiler_api api = {};
  api.struct_size = sizeof api;
  api.version = MPC_COMPILER_API_VERSION;
  api.library_version = MPC_LIBRARY_VERSION;
  api.code_name = codeName;
  api.compile = compileC;
  api.program = program;
  api.release = release;
  api.option = option;
  return api;
}

const mpc_compiler_api *mpc_get_compiler_api(uint32_t version) {
  static const mpc_compiler_api api = makeApi();
  return version == MPC_COMPILER_API_VERSION ? &api : nullptr;
}

// The table of libmpcc: thin. C options -> Options, Diagnostic -> C; no
// exception leaves.
#include "mpc-c/Compiler.h"
#include "CAPI/Boundary/Boundary.h"
#include "mpc/Compile/Compile.h"
#include "mpc/Onnx/WriteBack.h"
#include "mpc/Support/Printable.h"

using namespace mpc;
using namespace mpc::capi;
using compile::Exit;
using compile::Severity;

struct mpc_compiled {
  compile::Compiled made;
};

namespace mpc::capi {
MPC_FIRST_VERSION(mpc_compile_options, report_context);
MPC_FIRST_VERSION(mpc_onnx_options, warn_context);
MPC_FIRST_VERSION(mpc_weight, bytes);
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
                           compile::Compiled &compiled) {
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
  Exit exit = compile::compile(model, options, listener, compiled);
  return exit == Exit::Ok ? Status() : Status(codeOf(exit), std::move(first));
}

static mpc_code compileC(const void *model, size_t bytes,
                         const mpc_compile_options *given,
                         mpc_compiled **compiled, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (compiled)
      *compiled = nullptr;
    if (!model || !compiled)
      return nullArgument("a model and a place for the program");
    mpc_compile_options read;
    if (Status status = readStruct(given, read); !status.ok())
      return status;
    Result<compile::Options> options = readOptions(read);
    if (!options) {
      compile::Diagnostic wrong;
      wrong.message = options.status().message();
      if (read.diagnose)
        diagnose(read, wrong);
      if (options.status().code() == StatusCode::Internal)
        return {codeOf(Exit::Failed), wrong.message};
      return options.status();
    }
    auto made = std::make_unique<mpc_compiled>();
    compile::Model view{StringRef(static_cast<const char *>(model), bytes),
                        read.name ? read.name : "model"};
    Status failed = compileModel(view, read, *options, made->made);
    if (failed.ok())
      *compiled = made.release();
    return failed;
  });
}

static const void *program(const mpc_compiled *compiled, size_t *bytes) {
  if (bytes)
    *bytes = compiled ? compiled->made.program.size() : 0;
  return compiled ? compiled->made.program.data() : nullptr;
}

static void release(mpc_compiled *compiled) { delete compiled; }

//===-- Weights -----------------------------------------------------------===//

static mpc_code weight(const mpc_compiled *compiled, uint32_t index,
                       mpc_weight *weight) {
  return guard(nullptr, [&]() -> Status {
    if (!compiled || !weight)
      return nullArgument("a program and a place for the weight");
    const auto &weights = compiled->made.weights;
    if (index >= weights.size())
      return {StatusCode::NotFound, "no weight of that number"};
    const compile::Weight &found = weights[index];
    mpc_weight value = {};
    value.name = found.name.c_str();
    value.type = static_cast<mpc_type>(found.type);
    value.rank = static_cast<uint32_t>(found.shape.size());
    value.shape = found.shape.data();
    value.data = found.bytes.data();
    value.bytes = found.bytes.size();
    if (writeStruct(weight, value) != MPC_OK)
      return invalid("expected struct_size of the weight to be its size");
    return {};
  });
}

static Result<onnx::TrainedTensor> readWeight(const mpc_weight *given) {
  mpc_weight read;
  if (!given)
    return nullArgument("weights");
  if (Status status = readStruct(given, read); !status.ok())
    return status;
  if (!read.name || (read.rank && !read.shape) || (read.bytes && !read.data))
    return nullArgument("a name, a shape and data of each weight");
  if (!isType(read.type))
    return invalid("'" + std::string(read.name) +
                   "': expected a type of mpc_type, but got " +
                   std::to_string(read.type));
  return onnx::TrainedTensor{
      read.name,
      static_cast<DType>(read.type),
      {read.shape, read.rank},
      {static_cast<const std::byte *>(read.data), read.bytes}};
}

static mpc_code writeOnnx(const void *model, size_t bytes,
                          const mpc_weight *const *weights, uint32_t count,
                          const char *path, const mpc_onnx_options *given,
                          mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!model || !path || (count && !weights))
      return nullArgument("a model, weights and a path");
    mpc_onnx_options read;
    onnx::WriteBackOptions options;
    if (Status status = readStruct(given, read); !status.ok())
      return status;
    if (Status status =
            readFlag("inference", read.inference, options.inference);
        !status.ok())
      return status;
    options.folder = read.folder ? read.folder : "";
    options.keep = read.keep ? read.keep : "";
    options.output = path;
    std::vector<onnx::TrainedTensor> tensors;
    for (uint32_t i = 0; i < count; ++i) {
      auto tensor = readWeight(weights[i]);
      if (!tensor)
        return tensor.status();
      tensors.push_back(*tensor);
    }
    auto done = onnx::writeBack({static_cast<const char *>(model), bytes},
                                tensors, options);
    if (!done)
      return done.status();
    if (!done->training.empty() && read.warn)
      read.warn(read.warn_context,
                onnx::describeTraining(*done, options.inference).c_str());
    return {};
  });
}

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
  api.weight = weight;
  api.write_onnx = writeOnnx;
  return api;
}

const mpc_compiler_api *mpc_get_compiler_api(uint32_t version) {
  static const mpc_compiler_api api = makeApi();
  return version == MPC_COMPILER_API_VERSION ? &api : nullptr;
}

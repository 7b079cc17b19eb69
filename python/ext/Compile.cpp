// Compiling by libmpcc, which is loaded when it is asked for first: who only
// trains needs no LLVM.
#include "Core.h"

#include <dlfcn.h>

using namespace mpc::python;

namespace {
/// What a compilation has said, kept without Python.
struct Heard {
  struct Note {
    int severity;
    std::string message, file;
    unsigned line, column;
  };
  struct Diagnostic : Note {
    std::string text;
    std::vector<Note> notes;
  };
  std::vector<Diagnostic> diagnostics;
  std::string report;
};
} // namespace

static Heard::Note toNote(const mpc_diagnostic &given) {
  return {given.severity, given.message, given.file, given.line, given.column};
}

static void hear(void *context, const mpc_diagnostic *given) {
  Heard::Diagnostic diagnostic{toNote(*given), given->text, {}};
  for (uint32_t i = 0; i < given->num_notes; ++i)
    diagnostic.notes.push_back(toNote(*given->notes[i]));
  static_cast<Heard *>(context)->diagnostics.push_back(std::move(diagnostic));
}

static void report(void *context, const char *text, size_t bytes) {
  static_cast<Heard *>(context)->report.append(text, bytes);
}

const mpc_compiler_api &mpc::python::loadCompiler(const std::string &path) {
  static std::mutex mutex;
  static const mpc_compiler_api *table = nullptr;
  std::scoped_lock lock(mutex);
  if (table)
    return *table;
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw nb::import_error(
        (std::string("the compiler cannot be loaded: ") + dlerror()).c_str());
  auto get = reinterpret_cast<decltype(&mpc_get_compiler_api)>(
      dlsym(library, "mpc_get_compiler_api"));
  table = get ? get(MPC_COMPILER_API_VERSION) : nullptr;
  if (!table)
    throw nb::import_error(
        ("'" + path + "' is no libmpcc of this version").c_str());
  return *table;
}

static nb::tuple toTuple(const Heard::Note &note) {
  return nb::make_tuple(note.severity, toText(note.message), toText(note.file),
                        note.line, note.column);
}

static nb::list toList(const Heard &heard) {
  nb::list result;
  for (const Heard::Diagnostic &diagnostic : heard.diagnostics) {
    nb::list notes;
    for (const Heard::Note &note : diagnostic.notes)
      notes.append(toTuple(note));
    result.append(
        nb::make_tuple(toTuple(diagnostic), notes, toText(diagnostic.text)));
  }
  return result;
}

using Options = std::vector<std::pair<std::string, std::string>>;

/// Name, type, shape and bytes of each weight that the model brought.
static nb::list weightsOf(const mpc_compiler_api &mpcc,
                          const mpc_compiled *compiled) {
  nb::list result;
  MPC_STRUCT(mpc_weight, weight);
  for (uint32_t i = 0; mpcc.weight(compiled, i, &weight) == MPC_OK; ++i) {
    nb::list shape;
    for (uint32_t dim = 0; dim < weight.rank; ++dim)
      shape.append(weight.shape[dim]);
    result.append(nb::make_tuple(
        toText(weight.name), weight.type == MPC_F64 ? "f64" : "f32",
        nb::tuple(shape), nb::bytes(weight.data, weight.bytes)));
  }
  return result;
}

static nb::tuple compile(const std::string &library, nb::bytes model,
                         const std::string &name, const std::string &folder,
                         const Options &given) {
  const mpc_compiler_api &mpcc = loadCompiler(library);
  std::vector<mpc_compile_option> options;
  checkText(name, "a name of the model");
  checkText(folder, "a folder");
  for (const auto &[key, value] : given) {
    checkText(key, "the name of an option");
    checkText(value, "the value of an option");
    options.push_back({key.c_str(), value.c_str()});
  }
  Heard heard;
  MPC_STRUCT(mpc_compile_options, c);
  c.name = name.c_str();
  c.folder = folder.empty() ? nullptr : folder.c_str();
  c.options = options.data();
  c.num_options = static_cast<uint32_t>(options.size());
  c.diagnose = hear;
  c.diagnose_context = &heard;
  c.report = report;
  c.report_context = &heard;
  mpc_compiled *compiled = nullptr;
  mpc_status status = {};
  mpc_code code;
  {
    OthersRun others;
    code = mpcc.compile(model.data(), model.size(), &c, &compiled, &status);
  }
  nb::object program = nb::none();
  nb::list weights;
  if (compiled) {
    size_t bytes = 0;
    const void *data = mpcc.program(compiled, &bytes);
    program = nb::bytes(data, bytes);
    weights = weightsOf(mpcc, compiled);
    mpcc.release(compiled);
  }
  return nb::make_tuple(static_cast<int>(code), toText(status.message), program,
                        toList(heard), toText(heard.report), weights);
}

static nb::list listOptions(const std::string &library) {
  const mpc_compiler_api &mpcc = loadCompiler(library);
  nb::list result;
  MPC_STRUCT(mpc_option_info, info);
  for (uint32_t i = 0; mpcc.option(i, &info) == MPC_OK; ++i)
    result.append(
        nb::make_tuple(info.name, info.metavar, info.help, info.group));
  return result;
}

void mpc::python::addCompile(nb::module_ &module) {
  module.def("compile", compile, nb::arg("library"), nb::arg("model"),
             nb::arg("name"), nb::arg("folder"), nb::arg("options"));
  module.def("list_options", listOptions, nb::arg("library"));
}

// The C interface: thin. C handle <-> Program; no exception leaves.
#include "Handles.h"
#include "mpc/Support/Printable.h"

using namespace mpc;
using namespace mpc::capi;
using namespace mpc::runtime;

Log capi::makeLog(mpc_log log, void *context) {
  if (!log)
    return {};
  return [=](LogLevel level, const std::string &message) {
    log(context, static_cast<mpc_log_level>(level), printable(message).c_str());
  };
}

static const char *codeName(mpc_code code) {
  return getName(static_cast<StatusCode>(code)).data();
}

static const char *typeName(mpc_type type) {
  return isType(type) ? getInfo(static_cast<DType>(type)).name.data() : nullptr;
}
static uint32_t typeBytes(mpc_type type) {
  return isType(type) ? getInfo(static_cast<DType>(type)).bytes : 0;
}

static Status hand(Result<std::shared_ptr<const runtime::Program>> loaded,
                   mpc_program **program) {
  if (!loaded)
    return loaded.status();
  *program = new mpc_program{std::move(*loaded)};
  return {};
}

static Status readOptions(const mpc_load_options *given, LoadOptions &result) {
  mpc_load_options options;
  if (Status status = readStruct(given, options); !status.ok())
    return status;
  result.log = makeLog(options.log, options.log_context);
  return readFlag("allow_code", options.allow_code, result.allowCode);
}

static mpc_code programLoadFile(const char *path,
                                const mpc_load_options *options,
                                mpc_program **program, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!path || !program)
      return nullArgument("a path and a place for the program");
    *program = nullptr;
    LoadOptions read;
    if (Status status = readOptions(options, read); !status.ok())
      return status;
    return hand(runtime::Program::open(path, read), program);
  });
}

static mpc_code programLoadMemory(const void *data, size_t bytes,
                                  const mpc_load_options *options,
                                  mpc_program **program, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!data || !program)
      return nullArgument("bytes and a place for the program");
    *program = nullptr;
    std::span<const uint8_t> view(static_cast<const uint8_t *>(data), bytes);
    LoadOptions read;
    if (Status status = readOptions(options, read); !status.ok())
      return status;
    return hand(runtime::Program::copy(view, read), program);
  });
}

static void programRelease(mpc_program *program) { delete program; }

static mpc_api makeApi() {
  mpc_api api = {};
  api.struct_size = sizeof(mpc_api);
  api.version = MPC_API_VERSION;
  api.library_version = MPC_LIBRARY_VERSION;
  api.code_name = codeName;
  api.type_name = typeName;
  api.type_bytes = typeBytes;
  api.program_load_file = programLoadFile;
  api.program_load_memory = programLoadMemory;
  api.program_release = programRelease;
  addQueries(api);
  addSessions(api);
  addCheckpoints(api);
  addRates(api);
  addDlpack(api);
  addFiles(api);
  return api;
}

const mpc_api *mpc_get_api(uint32_t version) {
  static const mpc_api api = makeApi();
  return version == MPC_API_VERSION ? &api : nullptr;
}

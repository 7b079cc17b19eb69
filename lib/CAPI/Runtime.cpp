// The C interface: thin. C handle <-> Program, Session; no exception leaves.
#include "Handles.h"

#include "mpc/Support/DType.h"

using namespace mpc;
using namespace mpc::capi;
using namespace mpc::runtime;

Log capi::makeLog(mpc_log log, void *context) {
  if (!log)
    return {};
  return [=](LogLevel level, const std::string &message) {
    log(context, static_cast<mpc_log_level>(level), message.c_str());
  };
}

static const char *codeName(mpc_code code) {
  return getName(static_cast<StatusCode>(code)).data();
}

static bool isType(mpc_type type) {
  return static_cast<unsigned>(type) < static_cast<unsigned>(kNumDTypes);
}
static const char *typeName(mpc_type type) {
  return isType(type) ? getInfo(static_cast<DType>(type)).name.data() : nullptr;
}
static uint32_t typeBytes(mpc_type type) {
  return isType(type) ? getInfo(static_cast<DType>(type)).bytes : 0;
}

static Status nullArgument(const char *what) {
  return {StatusCode::InvalidArgument,
          std::string("expected ") + what + ", but got null"};
}

static Status hand(Result<std::shared_ptr<const runtime::Program>> loaded,
                   mpc_program **program) {
  if (!loaded)
    return loaded.status();
  *program = new mpc_program{std::move(*loaded)};
  return {};
}

static LoadOptions readOptions(const mpc_load_options *given) {
  mpc_load_options options = readStruct(given);
  return {options.allow_code == 1, makeLog(options.log, options.log_context)};
}

static mpc_code programLoadFile(const char *path,
                                const mpc_load_options *options,
                                mpc_program **program, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!path || !program)
      return nullArgument("a path and a place for the program");
    *program = nullptr;
    return hand(runtime::Program::open(path, readOptions(options)), program);
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
    return hand(runtime::Program::copy(view, readOptions(options)), program);
  });
}

static void programRelease(mpc_program *program) { delete program; }

namespace {
/// A communicator of the application.
class ForeignCommunicator final : public Communicator {
public:
  explicit ForeignCommunicator(const mpc_communicator &foreign)
      : foreign(foreign) {}
  uint32_t rank() const override { return foreign.rank; }
  uint32_t size() const override { return foreign.size; }
  Status allReduce(const void *source, void *result, uint64_t count, DType type,
                   ReduceKind kind) override {
    mpc_code code = foreign.all_reduce(foreign.context, source, result, count,
                                       static_cast<mpc_type>(type),
                                       static_cast<mpc_reduce>(kind));
    if (code == MPC_OK)
      return {};
    return {StatusCode::CollectiveFailed,
            "the application's all_reduce of " + std::to_string(count) +
                " elements answered " + std::to_string(code)};
  }

private:
  mpc_communicator foreign;
};
} // namespace

static Status readOptions(const mpc_session_options *given,
                          SessionOptions &result) {
  mpc_session_options options = readStruct(given);
  result.threads = options.threads;
  result.log = makeLog(options.log, options.log_context);
  if (const mpc_allocator *allocator = options.allocator) {
    if (!allocator->allocate || !allocator->release)
      return nullArgument("both functions of the allocator");
    result.allocator =
        Allocator{allocator->context, allocator->allocate, allocator->release};
  }
  if (const mpc_communicator *communicator = options.communicator) {
    if (!communicator->all_reduce || communicator->rank >= communicator->size)
      return {StatusCode::InvalidArgument,
              "expected a communicator with all_reduce and a rank below its "
              "size, but got rank " +
                  std::to_string(communicator->rank) + " of " +
                  std::to_string(communicator->size)};
    result.communicator = std::make_unique<ForeignCommunicator>(*communicator);
  }
  return {};
}

static mpc_code sessionCreate(mpc_program *program,
                              const mpc_session_options *given,
                              mpc_session **session, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!program || !session)
      return nullArgument("a program and a place for the session");
    *session = nullptr;
    SessionOptions options;
    if (Status read = readOptions(given, options); !read.ok())
      return read;
    Result<std::unique_ptr<Session>> made =
        Session::create(program->program, std::move(options));
    if (!made)
      return made.status();
    *session = new mpc_session{std::move(*made)};
    return {};
  });
}

static void sessionDestroy(mpc_session *session) { delete session; }

static mpc_code sessionInit(mpc_session *session, uint64_t seed,
                            mpc_status *status) {
  return guard(status, [&] {
    return session ? session->session->initialize(seed)
                   : nullArgument("a session");
  });
}

static mpc_code sessionRefresh(mpc_session *session, mpc_status *status) {
  return guard(status, [&] {
    return session ? session->session->refresh() : nullArgument("a session");
  });
}

static_assert(sizeof(mpc_input) == sizeof(Input) &&
              offsetof(mpc_input, bytes) == offsetof(Input, bytes));

static mpc_code sessionRun(mpc_session *session, uint32_t entry,
                           const mpc_input *inputs, uint32_t count,
                           mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || (count && !inputs))
      return nullArgument("a session and its inputs");
    auto *list = reinterpret_cast<const Input *>(inputs);
    return session->session->run(entry, {list, count});
  });
}

static mpc_code sessionOutput(const mpc_session *session, uint32_t entry,
                              uint32_t index, const void **data,
                              uint64_t *bytes, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !data || !bytes)
      return nullArgument("a session and places for the output");
    Result<std::span<const uint8_t>> output =
        session->session->output(entry, index);
    if (!output)
      return output.status();
    *data = output->data();
    *bytes = output->size();
    return {};
  });
}

/// The caller's tensor as ours; false if it cannot be one.
static bool view(const mpc_tensor *given, TensorView &result) {
  mpc_tensor tensor = readStruct(given);
  if (!given || !isType(tensor.type) || (tensor.rank && !tensor.shape))
    return false;
  result = {static_cast<DType>(tensor.type),
            {tensor.shape, tensor.rank},
            tensor.data,
            tensor.bytes};
  return true;
}

static mpc_code sessionGetState(const mpc_session *session, const char *name,
                                const mpc_tensor *destination,
                                mpc_status *status) {
  return guard(status, [&]() -> Status {
    TensorView tensor;
    if (!session || !name || !view(destination, tensor))
      return nullArgument("a session, a name and a tensor with type and shape");
    return session->session->getState(name, tensor);
  });
}

static mpc_code sessionSetState(mpc_session *session, const char *name,
                                const mpc_tensor *source, mpc_status *status) {
  return guard(status, [&]() -> Status {
    TensorView tensor;
    if (!session || !name || !view(source, tensor))
      return nullArgument("a session, a name and a tensor with type and shape");
    return session->session->setState(name, tensor);
  });
}

static mpc_code sessionMemory(const mpc_session *session,
                              mpc_memory_info *info) {
  if (!session || !info)
    return MPC_INVALID_ARGUMENT;
  MemoryUse use = session->session->memory();
  mpc_memory_info value = {};
  value.planned_state = use.planned.state;
  value.planned_arena = use.planned.arena;
  value.planned_workspace = use.planned.workspace;
  value.used_state = use.used.state;
  value.used_arena = use.used.arena;
  value.used_workspace = use.used.workspace;
  return writeStruct(info, value);
}

static uint32_t sessionThreads(const mpc_session *session) {
  return session ? session->session->threads() : 0;
}

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
  api.session_create = sessionCreate;
  api.session_destroy = sessionDestroy;
  api.session_init = sessionInit;
  api.session_refresh = sessionRefresh;
  api.session_run = sessionRun;
  api.session_output = sessionOutput;
  api.session_get_state = sessionGetState;
  api.session_set_state = sessionSetState;
  api.session_memory = sessionMemory;
  api.session_threads = sessionThreads;
  return api;
}

const mpc_api *mpc_get_api(uint32_t version) {
  static const mpc_api api = makeApi();
  return version == MPC_API_VERSION ? &api : nullptr;
}

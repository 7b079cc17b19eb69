// Sessions through the C interface: thin. C handle <-> Session; no exception
// leaves.
#include "Handles.h"

using namespace mpc;
using namespace mpc::capi;
using namespace mpc::runtime;

static_assert(MPC_RESULT_RUNS == Executor::kResultRuns &&
              MPC_RESULT_BYTES == Executor::kResultBytes);

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
    *session = new mpc_session{std::move(*made), {}};
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

/// Gives the caller memory of the session.
static Status handOut(const Result<std::span<const uint8_t>> &memory,
                      const void **data, uint64_t *bytes) {
  if (!memory)
    return memory.status();
  *data = memory->data();
  *bytes = memory->size();
  return {};
}

static mpc_code sessionOutput(const mpc_session *session, uint32_t entry,
                              uint32_t index, const void **data,
                              uint64_t *bytes, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !data || !bytes)
      return nullArgument("a session and places for the output");
    return handOut(session->session->output(entry, index), data, bytes);
  });
}

/// The caller's tensor as ours. Its shape is not read here: how long it is must
/// be compared with what is expected first.
static Status view(const mpc_tensor *given, TensorView &result) {
  mpc_tensor tensor;
  if (Status status = readStruct(given, tensor); !status.ok())
    return status;
  if (!given || (tensor.rank && !tensor.shape))
    return nullArgument("a tensor and its shape");
  if (!isType(tensor.type))
    return {StatusCode::InvalidArgument,
            "expected the type of a tensor to be an mpc_type below " +
                std::to_string(kNumDTypes) + ", but got " +
                std::to_string(static_cast<unsigned>(tensor.type))};
  result = {static_cast<DType>(tensor.type),
            {tensor.shape, tensor.rank},
            tensor.data,
            tensor.bytes};
  return {};
}

static mpc_code sessionGetState(const mpc_session *session, const char *name,
                                const mpc_tensor *destination,
                                mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !name)
      return nullArgument("a session and a name");
    TensorView tensor;
    if (Status read = view(destination, tensor); !read.ok())
      return read;
    return session->session->getState(name, tensor);
  });
}

static mpc_code sessionSetState(mpc_session *session, const char *name,
                                const mpc_tensor *source, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !name)
      return nullArgument("a session and a name");
    TensorView tensor;
    if (Status read = view(source, tensor); !read.ok())
      return read;
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

static mpc_code sessionResult(const mpc_session *session, uint32_t entry,
                              uint32_t index, uint32_t age, const void **data,
                              uint64_t *bytes, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !data || !bytes)
      return nullArgument("a session and places for the result");
    return handOut(session->session->result(entry, index, age), data, bytes);
  });
}

static mpc_code sessionSynchronize(mpc_session *session, mpc_status *status) {
  return guard(status, [&] {
    return session ? session->session->synchronize()
                   : nullArgument("a session");
  });
}

static mpc_code sessionWaitCounts(const mpc_session *session,
                                  uint64_t *synchronizations, uint64_t *waits) {
  if (!session || !synchronizations || !waits)
    return MPC_INVALID_ARGUMENT;
  WaitCounts counts = session->session->waitCounts();
  *synchronizations = counts.synchronizations;
  *waits = counts.waits;
  return MPC_OK;
}

static mpc_code sessionExportPlans(mpc_session *session, const void **data,
                                   uint64_t *bytes, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !data || !bytes)
      return nullArgument("a session and places for the plans");
    Result<std::vector<uint8_t>> plans = session->session->exportPlans();
    if (!plans)
      return plans.status();
    session->plans = std::move(*plans);
    return handOut(std::span<const uint8_t>(session->plans), data, bytes);
  });
}

static mpc_code sessionStepReport(const mpc_session *session, uint32_t age,
                                  mpc_step_report *report, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !report)
      return nullArgument("a session and a place for the report");
    Result<StepReport> found = session->session->stepReport(age);
    if (!found)
      return found.status();
    mpc_step_report value = {};
    auto read = [&](ReportField field, uint32_t bit) {
      std::optional<double> number = (*found)[field];
      value.fields |= number ? bit : 0;
      return number.value_or(0);
    };
    auto flag = [&](ReportField field, uint32_t bit) -> uint32_t {
      return read(field, bit) != 0;
    };
    using enum ReportField;
    value.loss = read(Loss, MPC_HAS_LOSS);
    value.scale = read(Scale, MPC_HAS_SCALE);
    value.grad_norm = read(GradNorm, MPC_HAS_GRAD_NORM);
    value.lr = read(LearningRate, MPC_HAS_LR);
    value.step = static_cast<int64_t>(read(Step, MPC_HAS_STEP));
    value.consecutive_skips =
        static_cast<int64_t>(read(ConsecutiveSkips, MPC_HAS_CONSECUTIVE_SKIPS));
    value.found_inf = flag(FoundInf, MPC_HAS_FOUND_INF);
    value.scale_at_floor = flag(ScaleAtFloor, MPC_HAS_SCALE_AT_FLOOR);
    value.nonfinite_grad = flag(NonFiniteGrad, MPC_HAS_NONFINITE_GRAD);
    if (std::optional<bool> isBad = found->hasNonFiniteLoss()) {
      value.fields |= MPC_HAS_NONFINITE_LOSS;
      value.nonfinite_loss = *isBad;
    }
    if (writeStruct(report, value) != MPC_OK)
      return {StatusCode::InvalidArgument,
              "expected struct_size of the report to be its size, but got " +
                  std::to_string(report->struct_size)};
    return {};
  });
}

static mpc_code sessionTimeRecords(mpc_session *session, uint32_t on,
                                   mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session)
      return nullArgument("a session");
    bool isOn = false;
    if (Status read = readFlag("on", on, isOn); !read.ok())
      return read;
    return session->session->timeRecords(isOn);
  });
}

static_assert(sizeof(mpc_record_time) == sizeof(RecordTime) &&
              offsetof(mpc_record_time, end_ns) == offsetof(RecordTime, end));

static mpc_code sessionRecordTimes(const mpc_session *session, uint32_t entry,
                                   const mpc_record_time **times,
                                   uint32_t *count, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!session || !times || !count)
      return nullArgument("a session and places for the times");
    auto found = session->session->recordTimes(entry);
    if (!found)
      return found.status();
    *times = reinterpret_cast<const mpc_record_time *>(found->data());
    *count = static_cast<uint32_t>(found->size());
    return {};
  });
}

static uint32_t sessionThreads(const mpc_session *session) {
  return session ? session->session->threads() : 0;
}

static mpc_code ncclUniqueId(const char *plugin, void *id, mpc_status *status) {
  return guard(status, [&]() -> Status {
    if (!id)
      return nullArgument("a place for the id");
    Result<std::vector<uint8_t>> made = makeUniqueId(plugin ? plugin : "");
    if (!made)
      return made.status();
    if (made->size() != MPC_NCCL_ID_BYTES)
      return {StatusCode::Internal,
              "expected an id of " + std::to_string(MPC_NCCL_ID_BYTES) +
                  " bytes, but got " + std::to_string(made->size())};
    std::memcpy(id, made->data(), made->size());
    return {};
  });
}

void capi::addSessions(mpc_api &api) {
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
  api.session_result = sessionResult;
  api.session_synchronize = sessionSynchronize;
  api.session_wait_counts = sessionWaitCounts;
  api.session_export_plans = sessionExportPlans;
  api.nccl_unique_id = ncclUniqueId;
  api.session_step_report = sessionStepReport;
  api.session_time_records = sessionTimeRecords;
  api.session_record_times = sessionRecordTimes;
}

// C++17 over the C interface: owners, results, views. Header only; it calls
// nothing but the function table, so it works with any compiler's library.
//
//   mpc::rt::Expected<mpc::rt::Program> program =
//       mpc::rt::Program::load("digits.mpcx", {true});
//   if (!program)
//     return complain(program.message());
//   auto session = mpc::rt::Session::create(*program);
//   session->init(42);
//   session->run("step", {{x.data(), bytes}, {labels.data(), labelBytes}});
//   float loss = session->scalar<float>("loss").value();
//   session->save("digits.safetensors");
//
// Nothing throws, except std::bad_alloc where std::string and std::vector do.
#ifndef MPC_C_RUNTIME_HPP
#define MPC_C_RUNTIME_HPP

#include "mpc-c/Checkpoint.hpp"
#include "mpc-c/StepReport.hpp"

#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace mpc::rt {

struct SessionOptions {
  uint32_t threads = 0; ///< 0: as many as processors may be used
  const mpc_allocator *allocator = nullptr;
  const mpc_communicator *communicator = nullptr;
  const mpc_rank_group *ranks = nullptr;      ///< instead of communicator
  const mpc_device_options *device = nullptr; ///< target "cuda"
  mpc_log log = nullptr; ///< called by the session while it lives
  void *logContext = nullptr;
};

/// Memory of a session, to be read.
struct Memory {
  const void *data = nullptr;
  uint64_t bytes = 0;
};

/// How often a session has waited for its device.
struct WaitCounts {
  uint64_t synchronizations = 0, waits = 0;
};

/// Bytes, read and written, that a copy moves in a second on this machine; see
/// measure_copy_rate. `threads`: 0 for as many as processors may be used.
inline Expected<double> measureCopyRate(uint32_t threads = 0) {
  return detail::take<double>(detail::api().measure_copy_rate, threads);
}
/// Operations of a product of matrices of `type` in a second.
inline Expected<double> measureProductRate(mpc_type type,
                                           uint32_t threads = 0) {
  return detail::take<double>(detail::api().measure_product_rate, type,
                              threads);
}

/// A program with memory. Move-only; one thread at a time.
class Session {
public:
  static Expected<Session> create(const Program &program,
                                  SessionOptions options = {}) {
    MPC_STRUCT(mpc_session_options, c);
    c.threads = options.threads;
    c.allocator = options.allocator;
    c.communicator = options.communicator;
    c.ranks = options.ranks;
    c.device = options.device;
    c.log = options.log;
    c.log_context = options.logContext;
    mpc_session *made = nullptr;
    Status status =
        detail::call(detail::api().session_create, program.get(), &c, &made);
    if (!status)
      return status;
    return Session(program, made);
  }

  Status init(uint64_t seed) {
    return detail::call(detail::api().session_init, get(), seed);
  }
  Status refresh() {
    return detail::call(detail::api().session_refresh, get());
  }
  Status run(uint32_t entry, const mpc_input *inputs, uint32_t count) {
    lastEntry = entry;
    return detail::call(detail::api().session_run, get(), entry, inputs, count);
  }
  Status run(const std::string &entry, const mpc_input *inputs,
             uint32_t count) {
    Expected<uint32_t> index = program.findEntry(entry);
    return index ? run(*index, inputs, count) : index.status();
  }
  Status run(const std::string &entry,
             std::initializer_list<mpc_input> inputs = {}) {
    return run(entry, inputs.begin(), static_cast<uint32_t>(inputs.size()));
  }

  /// Output `index` of the last run of `entry`: valid until the next run.
  Expected<Memory> output(uint32_t entry, uint32_t index) const {
    Memory memory;
    Status status = detail::call(detail::api().session_output, get(), entry,
                                 index, &memory.data, &memory.bytes);
    if (!status)
      return status;
    return memory;
  }
  /// The same of the run of `entry` that was `age` runs of it ago; see
  /// session_result.
  Expected<Memory> result(uint32_t entry, uint32_t index, uint32_t age) const {
    Memory memory;
    Status status = detail::call(detail::api().session_result, get(), entry,
                                 index, age, &memory.data, &memory.bytes);
    if (!status)
      return status;
    return memory;
  }
  /// Output `name` of the last run, in the session's memory: valid until the
  /// next run.
  Expected<mpc_tensor> output(const std::string &name) const {
    return find(name, [&](uint32_t index, const void **data, uint64_t *bytes) {
      return detail::call(detail::api().session_output, get(), lastEntry, index,
                          data, bytes);
    });
  }
  /// Output `name`, a small one, of the run of the last entry that was `age`
  /// runs of it ago: 1 is the run before, which a device has done by now.
  Expected<mpc_tensor> result(const std::string &name, uint32_t age) const {
    return find(name, [&](uint32_t index, const void **data, uint64_t *bytes) {
      return detail::call(detail::api().session_result, get(), lastEntry, index,
                          age, data, bytes);
    });
  }
  /// Output `name` of the last run, a single element of type T.
  template <typename T> Expected<T> scalar(const std::string &name) const {
    return element<T>(name, output(name));
  }
  /// The same of an earlier run.
  template <typename T>
  Expected<T> scalarResult(const std::string &name, uint32_t age) const {
    return element<T>(name, result(name, age));
  }

  /// What the run of "step" that was `age` runs of it ago tells: 0 waits for
  /// the last one, 1 leaves a device busy.
  Expected<StepReport> stepReport(uint32_t age = 0) const {
    MPC_STRUCT(mpc_step_report, c);
    Status status =
        detail::call(detail::api().session_step_report, get(), age, &c);
    if (!status)
      return status;
    return StepReport(c);
  }

  /// Whether later runs note the times of their records; see
  /// session_time_records.
  Status timeRecords(bool on) {
    return detail::call(detail::api().session_time_records, get(),
                        static_cast<uint32_t>(on));
  }
  /// By record, of the last run of `entry`.
  Expected<std::vector<mpc_record_time>> recordTimes(uint32_t entry) const {
    const mpc_record_time *times = nullptr;
    uint32_t count = 0;
    Status status = detail::call(detail::api().session_record_times, get(),
                                 entry, &times, &count);
    if (!status)
      return status;
    return std::vector<mpc_record_time>(times, times + count);
  }

  /// See measureCopyRate: with the threads of this session.
  Expected<double> copyRate() {
    return detail::take<double>(detail::api().session_copy_rate, get());
  }
  Expected<double> productRate(mpc_type type) {
    return detail::take<double>(detail::api().session_product_rate, get(),
                                type);
  }

  /// A copy of state `name`. What T may be, `holds` (Program.hpp) tells:
  /// uint16_t for the bits of f16 and bf16.
  template <typename T>
  Expected<std::vector<T>> state(const std::string &name) const {
    Expected<mpc_tensor> tensor = describe<T>(name);
    if (!tensor)
      return tensor.status();
    std::vector<T> values(tensor->bytes / sizeof(T));
    tensor->data = values.data();
    Status status = detail::call(detail::api().session_get_state, get(),
                                 name.c_str(), &*tensor);
    if (!status)
      return status;
    return values;
  }
  /// Sets state `name`; what derives from it follows before the next run.
  template <typename T>
  Status setState(const std::string &name, const std::vector<T> &values) {
    Expected<mpc_tensor> tensor = describe<T>(name);
    if (!tensor)
      return tensor.status();
    tensor->data = const_cast<T *>(values.data());
    tensor->bytes = values.size() * sizeof(T);
    return detail::call(detail::api().session_set_state, get(), name.c_str(),
                        &*tensor);
  }

  /// A state of whatever type, as it lies in memory: `bytes` are state.bytes.
  Status getState(const mpc_state_info &state, void *data,
                  uint64_t bytes) const {
    mpc_tensor tensor = view(state, data, bytes);
    return detail::call(detail::api().session_get_state, get(), state.name,
                        &tensor);
  }
  Status setState(const mpc_state_info &state, const void *data,
                  uint64_t bytes) {
    mpc_tensor tensor = view(state, const_cast<void *>(data), bytes);
    return detail::call(detail::api().session_set_state, get(), state.name,
                        &tensor);
  }

  /// Writes a checkpoint, with words of the application; see session_save.
  /// `descriptor`: see mpc_save_options.
  Status save(const std::string &path, const Metadata &metadata = {},
              int descriptor = 0) const {
    return saveCheckpoint(get(), path, metadata, descriptor);
  }
  /// Goes on where a checkpoint was written, and gives its metadata.
  Expected<Metadata> load(const std::string &path) {
    return loadCheckpoint(get(), path);
  }
  /// Takes the parameters of any safetensors file; other states stay.
  Expected<Metadata> loadParameters(const std::string &path) {
    return loadCheckpoint(get(), path, /*parametersOnly=*/true);
  }

  /// Waits until everything queued has run.
  Status synchronize() {
    return detail::call(detail::api().session_synchronize, get());
  }
  WaitCounts waitCounts() const {
    WaitCounts counts;
    detail::api().session_wait_counts(get(), &counts.synchronizations,
                                      &counts.waits);
    return counts;
  }
  /// For mpc_device_options::plans of a later session.
  Expected<std::vector<unsigned char>> exportPlans() {
    const void *data = nullptr;
    uint64_t bytes = 0;
    Status status =
        detail::call(detail::api().session_export_plans, get(), &data, &bytes);
    if (!status)
      return status;
    auto *first = static_cast<const unsigned char *>(data);
    return std::vector<unsigned char>(first, first + bytes);
  }
  mpc_memory_info memory() const {
    MPC_STRUCT(mpc_memory_info, info);
    detail::api().session_memory(get(), &info);
    return info;
  }
  uint32_t threads() const { return detail::api().session_threads(get()); }
  mpc_session *get() const { return handle.get(); }

private:
  struct Destroy {
    void operator()(mpc_session *session) const {
      detail::api().session_destroy(session);
    }
  };
  Session(Program program, mpc_session *made)
      : program(std::move(program)), handle(made) {}

  /// Output `name` of the last entry, in the memory that `get` finds for it.
  template <typename Get>
  Expected<mpc_tensor> find(const std::string &name, const Get &get) const {
    std::vector<mpc_tensor_info> list = program.outputs(lastEntry);
    for (uint32_t i = 0; i < list.size(); ++i) {
      if (name != list[i].name)
        continue;
      const void *data = nullptr;
      uint64_t bytes = 0;
      if (Status status = get(i, &data, &bytes); !status)
        return status;
      return mpc_tensor{
          sizeof(mpc_tensor),       list[i].type, list[i].rank, list[i].shape,
          const_cast<void *>(data), bytes};
    }
    if (list.empty())
      return Status(MPC_NOT_FOUND, "expected output '" + name +
                                       "', but no entry with outputs has run");
    std::string names;
    for (const mpc_tensor_info &each : list)
      names += (names.empty() ? "" : ", ") + std::string(each.name);
    return Status(MPC_NOT_FOUND, "expected one of the outputs " + names +
                                     " of the last entry, but got '" + name +
                                     "'");
  }
  template <typename T>
  static Expected<T> element(const std::string &name,
                             const Expected<mpc_tensor> &found) {
    if (!found)
      return found.status();
    if (!holds<T>(found->type) || found->bytes != sizeof(T))
      return Status(MPC_TYPE_MISMATCH,
                    "output '" + name + "' is not one element of that type");
    T value;
    std::memcpy(&value, found->data, sizeof value);
    return value;
  }

  static mpc_tensor view(const mpc_state_info &state, void *data,
                         uint64_t bytes) {
    return {sizeof(mpc_tensor), state.type, state.rank,
            state.shape,        data,       bytes};
  }
  /// State `name`, of the program's type and shape, if its elements are Ts.
  template <typename T>
  Expected<mpc_tensor> describe(const std::string &name) const {
    uint32_t index = 0;
    Status status = detail::call(detail::api().program_find_state,
                                 program.get(), name.c_str(), &index);
    if (!status)
      return status;
    MPC_STRUCT(mpc_state_info, info);
    detail::api().program_state(program.get(), index, &info);
    if (!holds<T>(info.type))
      return Status(MPC_TYPE_MISMATCH, "the elements of state '" + name +
                                           "' are not of the asked type, but " +
                                           detail::api().type_name(info.type));
    return mpc_tensor{sizeof(mpc_tensor), info.type, info.rank,
                      info.shape,         nullptr,   info.bytes};
  }

  Program program;
  std::unique_ptr<mpc_session, Destroy> handle;
  uint32_t lastEntry = 0;
};

} // namespace mpc::rt

#endif // MPC_C_RUNTIME_HPP

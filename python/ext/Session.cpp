// Sessions. Every call that may take long lets other threads of Python run; a
// lock keeps the session to one of them at a time.
#include "Core.h"

#include <unistd.h>

using namespace mpc::python;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
/// A tensor of the caller's, the type of its elements where Python has none of
/// that name, and the input that it is for.
using Given = std::vector<std::tuple<nb::object, std::string, std::string>>;

/// Tensors of the caller's, for one run.
class Inputs {
public:
  explicit Inputs(const Given &given) {
    for (const auto &[value, type, name] : given) {
      views.push_back(
          std::make_unique<View>(value, "input '" + name + "'", type));
      tensors.push_back(views.back()->get());
    }
  }
  mpc_code run(mpc_session *session, uint32_t entry, mpc_status *status) const {
    return api().session_run_dlpack(session, entry, tensors.data(),
                                    static_cast<uint32_t>(tensors.size()),
                                    status);
  }

private:
  std::vector<std::unique_ptr<View>> views;
  std::vector<const mpc_dlpack *> tensors;
};

/// (fields, loss, scale, grad_norm, lr, step, consecutive_skips, found_inf,
/// scale_at_floor, nonfinite_grad, nonfinite_loss).
nb::tuple toTuple(const mpc_step_report &found) {
  return nb::make_tuple(found.fields, found.loss, found.scale, found.grad_norm,
                        found.lr, found.step, found.consecutive_skips,
                        found.found_inf != 0, found.scale_at_floor != 0,
                        found.nonfinite_grad != 0, found.nonfinite_loss != 0);
}

class Session {
public:
  Session(const Program &program, uint32_t threads, uint32_t device,
          bool ofDevice) {
    MPC_STRUCT(mpc_session_options, options);
    MPC_STRUCT(mpc_device_options, deviceOptions);
    options.threads = threads;
    deviceOptions.device = device;
    if (ofDevice)
      options.device = &deviceOptions;
    call([&](mpc_status *status) {
      return api().session_create(program.program, &options, &session, status);
    });
  }
  ~Session() { destroy(); }

  void close() {
    OthersRun others;
    std::scoped_lock lock(mutex);
    destroy();
  }
  bool isClosed() {
    OthersRun others;
    std::scoped_lock lock(mutex);
    return !session;
  }

  void init(uint64_t seed) {
    run([&](mpc_status *status) {
      return api().session_init(session, seed, status);
    });
  }
  void refresh() {
    run([&](mpc_status *status) {
      return api().session_refresh(session, status);
    });
  }
  void synchronize() {
    run([&](mpc_status *status) {
      return api().session_synchronize(session, status);
    });
  }
  /// The outputs `wanted`, in that order. What a run computes is taken before
  /// another thread may run the session again.
  nb::list runEntry(uint32_t entry, const Given &given,
                    const std::vector<uint32_t> &wanted, bool copy) {
    Inputs inputs(given);
    std::vector<std::unique_ptr<Tensor>> outputs;
    run([&](mpc_status *status) {
      mpc_code code = inputs.run(session, entry, status);
      for (size_t i = 0; i < wanted.size() && code == MPC_OK; ++i) {
        mpc_dlpack *output = nullptr;
        code = api().session_output_dlpack(session, entry, wanted[i], &output,
                                           status);
        if (code != MPC_OK)
          break;
        auto tensor = std::make_unique<Tensor>(output);
        outputs.push_back(copy ? tensor->copy() : std::move(tensor));
      }
      return code;
    });
    nb::list result;
    for (std::unique_ptr<Tensor> &output : outputs)
      result.append(nb::cast(output.release(), nb::rv_policy::take_ownership));
    return result;
  }
  /// Runs, and tells what `report` does.
  nb::tuple step(uint32_t entry, const Given &given) {
    Inputs inputs(given);
    MPC_STRUCT(mpc_step_report, found);
    run([&](mpc_status *status) {
      mpc_code code = inputs.run(session, entry, status);
      return code == MPC_OK
                 ? api().session_step_report(session, 0, &found, status)
                 : code;
    });
    return toTuple(found);
  }
  Tensor *getState(const std::string &name) {
    checkText(name, "the name of a state");
    mpc_dlpack *tensor = nullptr;
    run([&](mpc_status *status) {
      return api().session_get_state_dlpack(session, name.c_str(), &tensor,
                                            status);
    });
    return new Tensor(tensor); // Python's
  }
  void setState(const std::string &name, nb::object value,
                const std::string &type) {
    checkText(name, "the name of a state");
    View view(value, "state '" + name + "'", type);
    run([&](mpc_status *status) {
      return api().session_set_state_dlpack(session, name.c_str(), view.get(),
                                            status);
    });
  }
  nb::tuple report(uint32_t age) {
    MPC_STRUCT(mpc_step_report, found);
    run([&](mpc_status *status) {
      return api().session_step_report(session, age, &found, status);
    });
    return toTuple(found);
  }
  void save(nb::bytes path, const Pairs &metadata) {
    checkText({path.c_str(), path.size()}, "a path");
    std::vector<mpc_key_value> pairs;
    for (const auto &[key, value] : metadata) {
      checkText(key, "a key of metadata");
      checkText(value, "a value of metadata");
      pairs.push_back({key.c_str(), value.c_str()});
    }
    MPC_STRUCT(mpc_save_options, options);
    options.metadata = pairs.data();
    options.num_metadata = static_cast<uint32_t>(pairs.size());
    run([&](mpc_status *status) {
      return api().session_save(session, path.c_str(), &options, status);
    });
  }
  nb::list load(nb::bytes path, bool parametersOnly) {
    checkText({path.c_str(), path.size()}, "a path");
    Pairs metadata;
    MPC_STRUCT(mpc_restore_options, options);
    options.parameters_only = parametersOnly;
    options.metadata_context = &metadata;
    options.metadata = [](void *context, const char *key, const char *value) {
      static_cast<Pairs *>(context)->emplace_back(key, value);
    };
    run([&](mpc_status *status) {
      return api().session_load(session, path.c_str(), &options, status);
    });
    nb::list result;
    for (const auto &[key, value] : metadata)
      result.append(nb::make_tuple(toText(key), toText(value)));
    return result;
  }
  uint32_t threads() {
    uint32_t count = 0;
    run([&](mpc_status *) {
      count = api().session_threads(session);
      return MPC_OK;
    });
    return count;
  }

private:
  /// A process that was forked has the session's memory without its threads:
  /// what was made before stays the parent's.
  void destroy() {
    if (owner == getpid())
      api().session_destroy(session);
    session = nullptr;
  }
  /// Without the GIL, which an exception needs again.
  template <typename Body> void call(const Body &body) {
    mpc_status status = {};
    mpc_code code;
    {
      OthersRun others;
      std::scoped_lock lock(mutex);
      code = body(&status);
    }
    check(code, status);
  }
  template <typename Body> void run(const Body &body) {
    call([&](mpc_status *status) {
      if (session && owner == getpid())
        return body(status);
      std::snprintf(status->message, sizeof status->message, "%s",
                    session ? "the session belongs to the process that this "
                              "one was forked from: make one here"
                            : "the session is closed");
      return MPC_INVALID_ARGUMENT;
    });
  }

  std::mutex mutex;
  mpc_session *session = nullptr;
  pid_t owner = getpid();
};

} // namespace

void mpc::python::addSession(nb::module_ &module) {
  nb::class_<Session>(module, "Session")
      .def(nb::init<const Program &, uint32_t, uint32_t, bool>(),
           nb::arg("program"), nb::arg("threads"), nb::arg("device"),
           nb::arg("of_device"))
      .def("close", &Session::close)
      .def_prop_ro("closed", &Session::isClosed)
      .def_prop_ro("threads", &Session::threads)
      .def("init", &Session::init, nb::arg("seed"))
      .def("refresh", &Session::refresh)
      .def("synchronize", &Session::synchronize)
      .def("run", &Session::runEntry, nb::arg("entry"), nb::arg("inputs"),
           nb::arg("outputs"), nb::arg("copy"))
      .def("step", &Session::step, nb::arg("entry"), nb::arg("inputs"))
      .def("get_state", &Session::getState, nb::arg("name"))
      .def("set_state", &Session::setState, nb::arg("name"), nb::arg("value"),
           nb::arg("type"))
      .def("report", &Session::report, nb::arg("age"))
      .def("save", &Session::save, nb::arg("path"), nb::arg("metadata"))
      .def("load", &Session::load, nb::arg("path"), nb::arg("parameters_only"));
}

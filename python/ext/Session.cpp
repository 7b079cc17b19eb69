// Sessions. Every call that may take long lets other threads of Python run; a
// lock keeps the session to one of them at a time.
#include "Core.h"

using namespace mpc::python;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
/// A tensor of the caller's, and the type of its elements where Python has none
/// of that name.
using Given = std::vector<std::pair<nb::object, std::string>>;

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
    nb::gil_scoped_release others;
    std::scoped_lock lock(mutex);
    destroy();
  }
  bool isClosed() const { return !session; }

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
  void runEntry(uint32_t entry, const Given &given,
                const std::vector<std::string> &names) {
    std::vector<std::unique_ptr<View>> views;
    std::vector<const mpc_dlpack *> inputs;
    for (size_t i = 0; i < given.size(); ++i) {
      views.push_back(std::make_unique<View>(
          given[i].first, "input '" + names[i] + "'", given[i].second));
      inputs.push_back(views.back()->get());
    }
    run([&](mpc_status *status) {
      return api().session_run_dlpack(session, entry, inputs.data(),
                                      static_cast<uint32_t>(inputs.size()),
                                      status);
    });
  }
  Tensor *output(uint32_t entry, uint32_t index) {
    mpc_dlpack *tensor = nullptr;
    run([&](mpc_status *status) {
      return api().session_output_dlpack(session, entry, index, &tensor,
                                         status);
    });
    return new Tensor(tensor); // Python's
  }
  Tensor *getState(const std::string &name) {
    mpc_dlpack *tensor = nullptr;
    run([&](mpc_status *status) {
      return api().session_get_state_dlpack(session, name.c_str(), &tensor,
                                            status);
    });
    return new Tensor(tensor); // Python's
  }
  void setState(const std::string &name, nb::object value,
                const std::string &type) {
    View view(value, "state '" + name + "'", type);
    run([&](mpc_status *status) {
      return api().session_set_state_dlpack(session, name.c_str(), view.get(),
                                            status);
    });
  }
  /// (fields, loss, scale, grad_norm, lr, step, consecutive_skips, found_inf,
  /// scale_at_floor, nonfinite_grad, nonfinite_loss).
  nb::tuple report(uint32_t age) {
    MPC_STRUCT(mpc_step_report, found);
    run([&](mpc_status *status) {
      return api().session_step_report(session, age, &found, status);
    });
    return nb::make_tuple(found.fields, found.loss, found.scale,
                          found.grad_norm, found.lr, found.step,
                          found.consecutive_skips, found.found_inf != 0,
                          found.scale_at_floor != 0, found.nonfinite_grad != 0,
                          found.nonfinite_loss != 0);
  }
  void save(const std::string &path, const Pairs &metadata) {
    std::vector<mpc_key_value> pairs;
    for (const auto &[key, value] : metadata)
      pairs.push_back({key.c_str(), value.c_str()});
    MPC_STRUCT(mpc_save_options, options);
    options.metadata = pairs.data();
    options.num_metadata = static_cast<uint32_t>(pairs.size());
    run([&](mpc_status *status) {
      return api().session_save(session, path.c_str(), &options, status);
    });
  }
  Pairs load(const std::string &path, bool parametersOnly) {
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
    return metadata;
  }
  uint32_t threads() const { return api().session_threads(session); }

private:
  void destroy() {
    api().session_destroy(session);
    session = nullptr;
  }
  /// Without the GIL, which an exception needs again.
  template <typename Body> void call(const Body &body) {
    mpc_status status = {};
    mpc_code code;
    {
      nb::gil_scoped_release others;
      std::scoped_lock lock(mutex);
      code = body(&status);
    }
    check(code, status);
  }
  template <typename Body> void run(const Body &body) {
    call([&](mpc_status *status) {
      if (session)
        return body(status);
      std::snprintf(status->message, sizeof status->message,
                    "the session is closed");
      return MPC_INVALID_ARGUMENT;
    });
  }

  std::mutex mutex;
  mpc_session *session = nullptr;
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
           nb::arg("names"))
      .def("output", &Session::output, nb::arg("entry"), nb::arg("index"))
      .def("get_state", &Session::getState, nb::arg("name"))
      .def("set_state", &Session::setState, nb::arg("name"), nb::arg("value"),
           nb::arg("type"))
      .def("report", &Session::report, nb::arg("age"))
      .def("save", &Session::save, nb::arg("path"), nb::arg("metadata"))
      .def("load", &Session::load, nb::arg("path"), nb::arg("parameters_only"));
}

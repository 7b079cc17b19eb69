#include "Core.h"

using namespace mpc::python;

const mpc_api &mpc::python::api() {
  static const mpc_api *table = mpc_get_api(MPC_API_VERSION);
  if (!table || table->struct_size < sizeof(mpc_api))
    throw nb::import_error("the libmpcrt that was loaded is older than the "
                           "package: expected the one beside it");
  return *table;
}

nb::str mpc::python::toText(std::string_view text) {
  return nb::steal<nb::str>(PyUnicode_DecodeUTF8(
      text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

void mpc::python::checkText(std::string_view text, const char *what) {
  if (text.find('\0') != text.npos)
    raise(MPC_INVALID_ARGUMENT, std::string("expected ") + what +
                                    " without a null character, but got one");
}

void mpc::python::raise(mpc_code code, const std::string &message) {
  nb::object make = nb::module_::import_("mpc._errors").attr("make_error");
  nb::object error = make(static_cast<int>(code), toText(message));
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())),
                  error.ptr());
  throw nb::python_error();
}

NB_MODULE(_core, module) {
  // Sessions that nobody closed may live until the interpreter ends, which is
  // no leak of anybody's.
  nb::set_leak_warnings(false);
  module.doc() = "The C interfaces of mpc, as they are; `mpc` is for people.";
  module.attr("library_version") = api().library_version;
  addThreads();
  addTensors(module);
  addFiles(module);
  addProgram(module);
  addSession(module);
  addCompile(module);
  addOnnx(module);
}

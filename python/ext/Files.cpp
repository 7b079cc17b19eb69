// Files as wholes.
#include "Core.h"

using namespace mpc::python;

static nb::bytes readFile(nb::bytes path) {
  checkText({path.c_str(), path.size()}, "a path");
  mpc_file *read = nullptr;
  mpc_status status;
  mpc_code code;
  {
    OthersRun others;
    code = api().file_read(path.c_str(), &read, &status);
  }
  check(code, status);
  std::unique_ptr<mpc_file, void (*)(mpc_file *)> file(read,
                                                       api().file_release);
  size_t bytes;
  const void *data = api().file_data(file.get(), &bytes);
  return nb::bytes(data, bytes);
}

static void writeFile(nb::bytes path, nb::bytes data) {
  checkText({path.c_str(), path.size()}, "a path");
  mpc_status status;
  mpc_code code;
  {
    OthersRun others;
    code = api().file_write(path.c_str(), data.data(), data.size(), &status);
  }
  check(code, status);
}

void mpc::python::addFiles(nb::module_ &module) {
  module.def("read_file", readFile, nb::arg("path"));
  module.def("write_file", writeFile, nb::arg("path"), nb::arg("data"));
}

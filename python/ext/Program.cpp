// What a program tells of itself.
#include "Core.h"

using namespace mpc::python;

static Program *load(nb::bytes data, bool allowCode) {
  MPC_STRUCT(mpc_load_options, options);
  options.allow_code = allowCode;
  mpc_program *program = nullptr;
  mpc_status status;
  mpc_code code;
  {
    OthersRun others;
    code = api().program_load_memory(data.data(), data.size(), &options,
                                     &program, &status);
  }
  check(code, status);
  return new Program(program); // Python's
}

static mpc_program_info infoOf(const Program &self) {
  MPC_STRUCT(mpc_program_info, info);
  api().program_info(self.program, &info);
  return info;
}

static nb::dict info(const Program &self) {
  mpc_program_info info = infoOf(self);
  nb::dict result;
  result["producer"] = info.producer;
  result["target"] = info.target;
  result["model"] = info.model;
  result["code_target"] = info.code_target;
  result["format_version"] = info.format_version;
  result["state_bytes"] = info.state_bytes;
  result["arena_bytes"] = info.arena_bytes;
  result["constant_bytes"] = info.constant_bytes;
  return result;
}

static nb::tuple shapeOf(const int64_t *shape, uint32_t rank) {
  nb::list result;
  for (uint32_t i = 0; i < rank; ++i)
    result.append(shape[i]);
  return nb::tuple(result);
}

static nb::dict settings(const Program &self) {
  nb::dict result;
  for (uint32_t i = 0, count = infoOf(self).num_settings; i < count; ++i) {
    const char *key, *value;
    if (api().program_setting(self.program, i, &key, &value) == MPC_OK)
      result[key] = value;
  }
  return result;
}

/// (name, type, shape, role, of, init).
static nb::list states(const Program &self) {
  nb::list result;
  for (uint32_t i = 0, count = infoOf(self).num_states; i < count; ++i) {
    MPC_STRUCT(mpc_state_info, info);
    if (api().program_state(self.program, i, &info) == MPC_OK)
      result.append(nb::make_tuple(
          info.name, api().type_name(info.type), shapeOf(info.shape, info.rank),
          static_cast<int>(info.role), info.of, static_cast<int>(info.init)));
  }
  return result;
}

/// (name, type, shape, classes, loss_only).
static nb::tuple tensorOf(const mpc_tensor_info &info) {
  return nb::make_tuple(info.name, api().type_name(info.type),
                        shapeOf(info.shape, info.rank), info.classes,
                        info.loss_only != 0);
}

/// (name, inputs, outputs).
static nb::list entries(const Program &self) {
  nb::list result;
  for (uint32_t i = 0, count = infoOf(self).num_entries; i < count; ++i) {
    MPC_STRUCT(mpc_entry_info, entry);
    if (api().program_entry(self.program, i, &entry) != MPC_OK)
      continue;
    nb::list inputs, outputs;
    MPC_STRUCT(mpc_tensor_info, tensor);
    for (uint32_t k = 0; k < entry.num_inputs; ++k)
      if (api().program_input(self.program, i, k, &tensor) == MPC_OK)
        inputs.append(tensorOf(tensor));
    for (uint32_t k = 0; k < entry.num_outputs; ++k)
      if (api().program_output(self.program, i, k, &tensor) == MPC_OK)
        outputs.append(tensorOf(tensor));
    result.append(nb::make_tuple(entry.name, inputs, outputs));
  }
  return result;
}

void mpc::python::addProgram(nb::module_ &module) {
  nb::class_<Program>(module, "Program")
      .def("info", info)
      .def("settings", settings)
      .def("states", states)
      .def("entries", entries);
  module.def("load_program", load, nb::arg("data"), nb::arg("allow_code"));
}

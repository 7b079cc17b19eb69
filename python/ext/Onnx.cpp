// Trained weights back into a copy of their model, by libmpcc.
#include "Core.h"

using namespace mpc::python;

static mpc_type typeOf(const mpc_dltensor &tensor) {
  struct Row {
    uint8_t code, bits;
    mpc_type type;
  };
  constexpr Row rows[] = {{MPC_DLPACK_FLOAT, 64, MPC_F64},
                          {MPC_DLPACK_FLOAT, 32, MPC_F32},
                          {MPC_DLPACK_FLOAT, 16, MPC_F16},
                          {MPC_DLPACK_BFLOAT, 16, MPC_BF16}};
  for (const Row &row : rows)
    if (row.code == tensor.type.code && row.bits == tensor.type.bits)
      return row.type;
  return MPC_I1; // which no weight has, and the library refuses by name
}

/// Of a tensor that is known to be dense.
static mpc_weight toWeight(const std::string &name,
                           const mpc_dltensor &tensor) {
  MPC_STRUCT(mpc_weight, weight);
  weight.name = name.c_str();
  weight.type = typeOf(tensor);
  weight.rank = static_cast<uint32_t>(tensor.ndim);
  weight.shape = tensor.shape;
  weight.data = static_cast<const char *>(tensor.data) + tensor.byte_offset;
  weight.bytes = tensor.type.bits / 8;
  for (int i = 0; i < tensor.ndim; ++i)
    weight.bytes *= static_cast<uint64_t>(tensor.shape[i]);
  return weight;
}

/// Returns what is to be known of the copy.
static nb::str writeOnnx(
    const std::string &library, nb::bytes model, const std::string &folder,
    const std::vector<std::tuple<std::string, nb::object, std::string>> &given,
    nb::bytes path, const std::string &keep, bool inference) {
  checkText(folder, "a folder");
  checkText({path.c_str(), path.size()}, "a path");
  checkText(keep, "'keep'");
  const mpc_compiler_api &mpcc = loadCompiler(library);
  std::vector<std::unique_ptr<View>> views;
  std::vector<mpc_weight> weights;
  for (const auto &[name, value, type] : given) {
    checkText(name, "the name of a weight");
    views.push_back(
        std::make_unique<View>(value, "weight '" + name + "'", type));
    weights.push_back(toWeight(name, views.back()->get()->tensor));
  }
  std::vector<const mpc_weight *> list;
  for (const mpc_weight &weight : weights)
    list.push_back(&weight);
  std::string said;
  MPC_STRUCT(mpc_onnx_options, options);
  options.folder = folder.empty() ? nullptr : folder.c_str();
  options.keep = keep.empty() ? nullptr : keep.c_str();
  options.inference = inference;
  options.warn_context = &said;
  options.warn = [](void *context, const char *message) {
    *static_cast<std::string *>(context) = message;
  };
  mpc_status status = {};
  mpc_code code;
  {
    OthersRun others;
    code = mpcc.write_onnx(model.data(), model.size(), list.data(),
                           static_cast<uint32_t>(list.size()), path.c_str(),
                           &options, &status);
  }
  check(code, status);
  return toText(said);
}

void mpc::python::addOnnx(nb::module_ &module) {
  module.def("write_onnx", writeOnnx, nb::arg("library"), nb::arg("model"),
             nb::arg("folder"), nb::arg("weights"), nb::arg("path"),
             nb::arg("keep"), nb::arg("inference"));
}

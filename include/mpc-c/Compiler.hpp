// Compiling while an application runs, over the C interface of libmpcc
// (mpc-c/Compiler.h). C++17, header only.
//
//   mpc::rt::CompileOptions how;
//   how.name = "model.onnx";
//   how.options = {{"loss", "cross_entropy:logits,labels"}, {"lr", "1e-3"}};
//   auto compiled = mpc::rt::Compiled::compile(bytes, how);
//   if (!compiled)
//     return complain(compiled.message());
//   auto program = compiled->program();
//   auto session = mpc::rt::Session::create(*program);
//   session->init(42);
//   compiled->giveWeights(*session);
//
// Nothing throws, except std::bad_alloc where std::string and std::vector do.
#ifndef MPC_C_COMPILER_HPP
#define MPC_C_COMPILER_HPP

#include "mpc-c/Compiler.h"
#include "mpc-c/Runtime.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mpc::rt {

namespace detail {
inline const mpc_compiler_api &compilerApi() {
  static const mpc_compiler_api *table =
      mpc_get_compiler_api(MPC_COMPILER_API_VERSION);
  return *table;
}
} // namespace detail

/// See mpc_compile_options.
struct CompileOptions {
  std::string name = "model"; ///< in messages and locations
  /// Those of mpc-compile without dashes; a flag has an empty value.
  std::vector<std::pair<std::string, std::string>> options;
  std::string folder; ///< of external data; "": a model that has any is refused
  /// Hears what is said of the model; called by one thread at a time.
  std::function<void(const mpc_diagnostic &)> diagnose;
  /// Takes what options that print write.
  std::function<void(std::string_view)> report;
};

/// See mpc_onnx_options.
struct OnnxOptions {
  std::string folder, keep;
  bool inference = false;
  std::function<void(const std::string &)> warn;
};

/// A program that was compiled, and the weights that its model brought.
/// Move-only.
class Compiled {
public:
  static Expected<Compiled> compile(std::string_view model,
                                    const CompileOptions &how = {}) {
    std::vector<mpc_compile_option> options;
    for (const auto &[name, value] : how.options)
      options.push_back({name.c_str(), value.c_str()});
    MPC_STRUCT(mpc_compile_options, c);
    c.name = how.name.c_str();
    c.options = options.data();
    c.num_options = static_cast<uint32_t>(options.size());
    c.folder = how.folder.empty() ? nullptr : how.folder.c_str();
    auto *context = const_cast<CompileOptions *>(&how);
    c.diagnose_context = c.report_context = context;
    if (how.diagnose)
      c.diagnose = [](void *of, const mpc_diagnostic *diagnostic) {
        static_cast<CompileOptions *>(of)->diagnose(*diagnostic);
      };
    if (how.report)
      c.report = [](void *of, const char *text, size_t bytes) {
        static_cast<CompileOptions *>(of)->report({text, bytes});
      };
    mpc_compiled *made = nullptr;
    if (Status status = detail::call(detail::compilerApi().compile,
                                     model.data(), model.size(), &c, &made);
        !status)
      return status;
    return Compiled(made);
  }

  /// The bytes of the program file; they live as long as this.
  std::string_view bytes() const {
    size_t size = 0;
    const void *data = detail::compilerApi().program(get(), &size);
    return {static_cast<const char *>(data), size};
  }
  /// Loaded from them; `load`: see Program::load.
  Expected<Program> program(const LoadOptions &load = {true}) const {
    std::string_view all = bytes();
    return Program::loadMemory(all.data(), all.size(), load);
  }

  /// What a model in ONNX's format brought; they live as long as this.
  std::vector<mpc_weight> weights() const {
    std::vector<mpc_weight> list;
    MPC_STRUCT(mpc_weight, weight);
    while (detail::compilerApi().weight(
               get(), static_cast<uint32_t>(list.size()), &weight) == MPC_OK)
      list.push_back(weight);
    return list;
  }
  /// Sets them in a session of the program, behind Session::init.
  Status giveWeights(Session &session) const {
    for (const mpc_weight &weight : weights()) {
      mpc_tensor tensor = {sizeof(mpc_tensor),
                           weight.type,
                           weight.rank,
                           weight.shape,
                           const_cast<void *>(weight.data),
                           weight.bytes};
      if (Status status = detail::call(detail::api().session_set_state,
                                       session.get(), weight.name, &tensor);
          !status)
        return status;
    }
    return {};
  }

  const mpc_compiled *get() const { return handle.get(); }

private:
  struct Release {
    void operator()(mpc_compiled *compiled) const {
      detail::compilerApi().release(compiled);
    }
  };
  explicit Compiled(mpc_compiled *made) : handle(made) {}

  std::unique_ptr<mpc_compiled, Release> handle;
};

/// Writes a copy of `model`, in ONNX's format, with the parameters and running
/// statistics of `session`; see write_onnx.
inline Status writeOnnx(std::string_view model, const Program &program,
                        const Session &session, const std::string &path,
                        const OnnxOptions &how = {}) {
  std::vector<std::vector<char>> values;
  std::vector<mpc_weight> weights;
  for (const mpc_state_info &state : program.states()) {
    if (state.role != MPC_PARAMETER && state.role != MPC_RUNNING_STATISTIC)
      continue;
    std::vector<char> value(state.bytes);
    if (Status status = session.getState(state, value.data(), value.size());
        !status)
      return status;
    weights.push_back({sizeof(mpc_weight), state.name, state.type, state.rank,
                       state.shape, value.data(), state.bytes});
    values.push_back(std::move(value));
  }
  std::vector<const mpc_weight *> list;
  for (const mpc_weight &weight : weights)
    list.push_back(&weight);
  MPC_STRUCT(mpc_onnx_options, c);
  c.folder = how.folder.empty() ? nullptr : how.folder.c_str();
  c.keep = how.keep.empty() ? nullptr : how.keep.c_str();
  c.inference = how.inference;
  c.warn_context = const_cast<OnnxOptions *>(&how);
  if (how.warn)
    c.warn = [](void *of, const char *message) {
      static_cast<OnnxOptions *>(of)->warn(message);
    };
  return detail::call(detail::compilerApi().write_onnx, model.data(),
                      model.size(), list.data(),
                      static_cast<uint32_t>(list.size()), path.c_str(), &c);
}

} // namespace mpc::rt

#endif // MPC_C_COMPILER_HPP

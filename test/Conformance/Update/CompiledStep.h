// A training step given as text, compiled for the processor and run: what a
// user of the runtime sees, kernels included.
#ifndef MPC_TEST_CONFORMANCE_UPDATE_COMPILEDSTEP_H
#define MPC_TEST_CONFORMANCE_UPDATE_COMPILEDSTEP_H

#include "mpc-c/Runtime.hpp"
#include <optional>
#include <string>
#include <vector>

namespace mpc::conformance {

using Numbers = std::vector<float>;

class CompiledStep {
public:
  /// Compiles `model` by mpc-compile with `options` (as its command line) and
  /// initializes all state. Not ok, with a failure of the running test, if that
  /// fails.
  explicit CompiledStep(const std::string &model,
                        const std::string &options = "");
  bool ok() const { return session.has_value(); }

  /// One step; the inputs in the order of the model's arguments.
  void run(const std::vector<Numbers> &inputs);
  /// The same of any type, as bytes.
  void run(const std::vector<mpc_input> &inputs);

  /// Outputs of the last step. A flag is an i1.
  float scalar(const std::string &output) const;
  bool flag(const std::string &output) const;
  int32_t count(const std::string &output) const;

  Numbers state(const std::string &name) const;
  std::vector<double> wideState(const std::string &name) const; ///< An f64.
  int32_t counter(const std::string &name) const;
  void set(const std::string &name, const Numbers &values);
  void setWide(const std::string &name, const std::vector<double> &values);
  /// All f32 state, in the order of the program.
  std::vector<Numbers> allFloats() const;

private:
  void open(const std::string &path);
  template <typename T>
  void setState(const std::string &name, const std::vector<T> &values);

  std::optional<rt::Session> session;
  std::optional<rt::Program> program;
  uint32_t entry = 0;
};

/// Whether two lists are equal bit for bit.
bool sameBits(const Numbers &a, const Numbers &b);

} // namespace mpc::conformance

#endif // MPC_TEST_CONFORMANCE_UPDATE_COMPILEDSTEP_H

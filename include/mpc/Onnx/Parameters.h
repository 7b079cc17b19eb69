// Which initializers are parameters, and which parameters an exporter has lost.
#ifndef MPC_ONNX_PARAMETERS_H
#define MPC_ONNX_PARAMETERS_H

#include "onnx.pb.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace mpc::onnx {

/// What the file says of its parameters, or what is guessed where it is silent.
class Parameters {
public:
  explicit Parameters(const ::onnx::GraphProto &graph);

  /// Whether a step may change the initializer. torch.export's signature, which
  /// PyTorch's exporter keeps in the file, says it. Without one it is guessed:
  /// a float tensor is a parameter, but for scalars, exponents, and for those
  /// of one element that are no weight of a layer.
  bool contains(const ::onnx::TensorProto &tensor) const;
  /// Parameters that are guessed and are no weight of a layer (an operand of a
  /// product, a norm, a table's rows, a recurrent layer, or what is added to
  /// such a layer's result or multiplies it), which buffers may be.
  std::vector<std::string> findDoubtful() const;
  /// Numbers of one element and exponents, which are guessed to be constants,
  /// but have names that no exporter invents: a model may train them.
  std::vector<std::string> findUntrained() const;
  /// Parameters of the signature that are no initializers, quoted: folded into
  /// others or into nothing, or merged with them. Those that nothing read are
  /// among them unless the file has all calls of the program, and shows no sign
  /// of folding; not those that another one stands for because they are tied.
  std::vector<std::string> findLost() const;
  /// Parameters that stand for others, too, as "'a.weight' for 'b.weight'",
  /// where no signature says which there were: PyTorch's older exporter merges
  /// those that are equal.
  std::vector<std::string> findMerged() const;
  /// Whether the file itself says which initializers are parameters.
  bool areSigned() const { return isSigned; }
  /// Parameters that have names which exporters invent for what they computed,
  /// quoted.
  std::vector<std::string> findFolded() const;

private:
  const ::onnx::GraphProto &graph;
  bool isSigned = false;
  bool isWrapped = false; ///< The signature's names have a module in front.
  /// Parameters of the signature, and its buffers and constants: what the
  /// program that was exported calls them, by their names.
  std::map<std::string, std::string, std::less<>> named, unchanged;
  std::set<std::string, std::less<>> ofLayers;  ///< Where nothing is signed.
  std::set<std::string, std::less<>> exponents; ///< The same.
};

} // namespace mpc::onnx

#endif // MPC_ONNX_PARAMETERS_H

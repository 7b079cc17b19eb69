// What PyTorch's exporter keeps of the program that it exported: the signature
// of torch.export in the graph's metadata, and the call that a node stands for
// in the node's. All of it is text that anybody may have written: it is read in
// time and memory of its length.
#ifndef MPC_LIB_ONNX_SIGNATURE_H
#define MPC_LIB_ONNX_SIGNATURE_H

#include "onnx.pb.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::onnx {

using Names = std::set<std::string, std::less<>>;
using NamesByName = std::map<std::string, std::string, std::less<>>;
using Nodes = std::vector<const ::onnx::NodeProto *>;

/// The nodes of a graph. Those of graphs within a node stand in front of it.
void collectNodes(const ::onnx::GraphProto &graph, Nodes &nodes);

/// Whether PyTorch's exporters give such a name to what they computed.
bool isInvented(std::string_view name);

struct Signature {
  /// What the program calls a tensor, by the tensor's name: parameters, and
  /// buffers and constants, which no step changes.
  NamesByName parameters, others;
  Names given;   ///< All that the program is given, as it calls them.
  Names results; ///< And what it returns.
};

/// Empty if the file has none.
Signature readSignature(const ::onnx::GraphProto &graph);

/// The calls of PyTorch's that nodes stand for, as far as the file keeps them.
class Calls {
public:
  /// `kept` are the parameters that the file has, `lost` those that it has not.
  /// Modules have names without the outermost one's if the program `isWrapped`.
  Calls(const Nodes &nodes, const NamesByName &kept, const NamesByName &lost,
        bool isWrapped);

  /// Whether one reads what the program calls so.
  bool read(std::string_view called) const { return operands.contains(called); }
  /// Whether a call in the lost parameter's own module reads a kept one of its
  /// last name, as it does where the two are tied: the file has one of them.
  bool readInPlaceOf(std::string_view parameter) const {
    return tied.contains(parameter);
  }
  /// Whether these are all that the results were made by: what they read was
  /// given, or one of them made it. (An element of a tuple is no node.)
  bool areWhole(const Signature &signature) const;

private:
  Names operands, made, tied;
};

} // namespace mpc::onnx

#endif // MPC_LIB_ONNX_SIGNATURE_H

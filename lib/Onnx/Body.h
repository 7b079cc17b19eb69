// The nodes of one graph or function, with who makes and who reads a value.
#ifndef MPC_LIB_ONNX_BODY_H
#define MPC_LIB_ONNX_BODY_H

#include "onnx.pb.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::onnx {

class Parameters;
using NodeList = google::protobuf::RepeatedPtrField<::onnx::NodeProto>;

/// A node that reads a value, and as which operand.
struct Use {
  const ::onnx::NodeProto *node;
  int operand;
};

/// A number that all elements of a value are.
struct Number {
  double value;
  double precision;  ///< Relative: of the type in which the file has it.
  bool isOne = true; ///< Of one element, and at most one dim.
};

class Body {
public:
  /// `graph` is the model's if `parameters` are given.
  Body(const ::onnx::GraphProto &graph, const Parameters *parameters);
  explicit Body(const ::onnx::FunctionProto &function);

  /// Null of what is no node's.
  const ::onnx::NodeProto *makerOf(const std::string &name) const {
    auto found = makers.find(name);
    return found == makers.end() ? nullptr : found->second;
  }
  const std::vector<Use> &usesOf(const std::string &name) const;
  /// Whether a value goes out, or is read in a graph within a node.
  bool isSeenOutside(const std::string &name) const {
    return outside.contains(name);
  }
  std::optional<Number> numberOf(const std::string &name) const;
  /// Whether anything of a value is computed of what the model is given, as far
  /// as that is to be seen near by: weights are behind each layer.
  bool isOfArguments(const std::string &name) const;

private:
  void read(const NodeList &nodes);

  std::map<std::string, const ::onnx::NodeProto *, std::less<>> makers;
  std::map<std::string, std::vector<Use>, std::less<>> uses;
  std::map<std::string, const ::onnx::TensorProto *, std::less<>> initializers;
  std::set<std::string, std::less<>> outside;
  const Parameters *parameters = nullptr;
};

const ::onnx::AttributeProto *findAttribute(const ::onnx::NodeProto &node,
                                            std::string_view name);

/// Adds all names that nodes of graphs within a node read, and what these put
/// out.
void collectInner(const ::onnx::NodeProto &node,
                  std::set<std::string, std::less<>> &names);

/// Whether the operand gives the shape or the type alone.
bool readsNoValue(const Use &use);

} // namespace mpc::onnx

#endif // MPC_LIB_ONNX_BODY_H

#include "mpc/Onnx/Nodes.h"

using namespace mpc;

std::string mpc::onnx::describe(const ::onnx::NodeProto &node,
                                std::string_view path) {
  if (!node.name().empty())
    return "'" + std::string(path) + node.name() + "'";
  for (const std::string &output : node.output())
    if (!output.empty())
      return "that of '" + output + "'";
  return "one without a name";
}

std::string mpc::onnx::typeOf(const ::onnx::NodeProto &node) {
  if (node.domain().empty() || node.domain() == "ai.onnx")
    return node.op_type();
  return node.domain() + ":" + node.op_type();
}

std::string mpc::onnx::listSome(std::span<const std::string> names) {
  constexpr size_t most = 4;
  std::string list;
  for (const std::string &name : names.first(std::min(most, names.size())))
    list += (list.empty() ? "" : ", ") + name;
  if (names.size() > most)
    list += " and " + std::to_string(names.size() - most) + " more";
  return list;
}

//===-- Walks -------------------------------------------------------------===//
// Messages nest at most 100 deep, or they were not parsed.

namespace {
struct Walk {
  std::function<void(::onnx::GraphProto &)> graph;
  std::function<void(::onnx::NodeProto &)> node;
  std::function<void(::onnx::TensorProto &)> tensor;

  void visit(::onnx::AttributeProto &attribute) {
    if (attribute.has_t())
      visit(*attribute.mutable_t());
    for (auto &one : *attribute.mutable_tensors())
      visit(one);
    if (attribute.has_g())
      visit(*attribute.mutable_g());
    for (auto &one : *attribute.mutable_graphs())
      visit(one);
    if (attribute.has_sparse_tensor())
      visit(*attribute.mutable_sparse_tensor());
    for (auto &one : *attribute.mutable_sparse_tensors())
      visit(one);
  }
  void visit(::onnx::TensorProto &one) {
    if (tensor)
      tensor(one);
  }
  void visit(::onnx::SparseTensorProto &one) {
    if (one.has_values())
      visit(*one.mutable_values());
    if (one.has_indices())
      visit(*one.mutable_indices());
  }
  void visit(::onnx::NodeProto &one) {
    if (node)
      node(one);
    for (auto &attribute : *one.mutable_attribute())
      visit(attribute);
  }
  void visit(::onnx::GraphProto &one) {
    if (graph)
      graph(one);
    for (auto &each : *one.mutable_initializer())
      visit(each);
    for (auto &each : *one.mutable_sparse_initializer())
      visit(each);
    for (auto &each : *one.mutable_node())
      visit(each);
  }
  void visit(::onnx::ModelProto &model) {
    visit(*model.mutable_graph());
    for (auto &training : *model.mutable_training_info()) {
      visit(*training.mutable_initialization());
      visit(*training.mutable_algorithm());
    }
    for (auto &function : *model.mutable_functions())
      for (auto &each : *function.mutable_node())
        visit(each);
  }
};
} // namespace

void mpc::onnx::forEachGraph(
    ::onnx::ModelProto &model,
    const std::function<void(::onnx::GraphProto &)> &visit) {
  Walk{visit, {}, {}}.visit(model);
}

void mpc::onnx::forEachNode(
    ::onnx::ModelProto &model,
    const std::function<void(::onnx::NodeProto &)> &visit) {
  Walk{{}, visit, {}}.visit(model);
}

void mpc::onnx::forEachTensor(
    ::onnx::ModelProto &model,
    const std::function<void(::onnx::TensorProto &)> &visit) {
  Walk{{}, {}, visit}.visit(model);
}

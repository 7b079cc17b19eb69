// Masks that are dropout, made the ones that they are where a model predicts.
#include "Body.h"
#include "mpc/Onnx/Masks.h"
#include "mpc/Onnx/Nodes.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::onnx;
using ::onnx::AttributeProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;

static void setInteger(NodeProto &node, const char *name, int64_t value) {
  AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(AttributeProto::INT);
  attribute.set_i(value);
}

static TensorProto &setTensor(NodeProto &node, int type, int64_t dim) {
  AttributeProto &attribute = *node.add_attribute();
  attribute.set_name("value");
  attribute.set_type(AttributeProto::TENSOR);
  TensorProto &tensor = *attribute.mutable_t();
  tensor.set_data_type(type);
  tensor.add_dims(dim);
  return tensor;
}

/// What a Floor or a Bernoulli makes of it; 0 where that is the type of the
/// draw's operand.
static int typeDrawn(const NodeProto &draw) {
  if (const AttributeProto *type = findAttribute(draw, "dtype"))
    return int(type->i());
  return draw.op_type() == "RandomUniform" ? int(TensorProto::FLOAT) : 0;
}

namespace {
/// Rewrites the nodes of one graph or function.
class Folder {
public:
  Folder(NodeList &nodes, const Masks &masks, int64_t opset)
      : nodes(nodes), masks(masks), opset(opset) {}

  /// `outputs`: of the graph or function.
  template <typename Outputs> void run(const Outputs &outputs) {
    for (const auto &output : outputs)
      ++reads[output];
    for (const NodeProto &node : nodes) {
      taken.insert(node.output().begin(), node.output().end());
      countReads(node, 1);
    }
    for (const NodeProto &node : nodes)
      if (isUnread(node))
        idle.insert(&node);
    std::vector<NodeProto *> old(size_t(nodes.size()));
    nodes.ExtractSubrange(0, nodes.size(), old.data());
    for (NodeProto *node : old) {
      if (const MaskNode *part = masks.find(*node); part && canFold(*part)) {
        countReads(*node, -1);
        rewrite(*node, *part);
        countReads(*node, 1);
      }
      nodes.AddAllocated(node);
    }
    dropUnread();
  }

private:
  /// CastLike is of opset 15, ConstantOfShape of 9.
  bool canFold(const MaskNode &part) const {
    return opset >= (typeDrawn(*part.draw) == 0 ? 15 : 9);
  }

  void countReads(const NodeProto &node, int by) {
    for (const std::string &name : node.input())
      reads[name] += by;
    std::set<std::string, std::less<>> inner;
    collectInner(node, inner);
    for (const std::string &name : inner)
      reads[name] += by;
  }

  bool isUnread(const NodeProto &node) const {
    return std::ranges::none_of(node.output(), [&](const std::string &name) {
      auto found = reads.find(name);
      return found != reads.end() && found->second > 0;
    });
  }

  std::string newName(std::string name) {
    while (!taken.insert(name).second)
      name += "_";
    return name;
  }

  NodeProto &addBefore(const NodeProto &node, const char *type,
                       const std::string &input, const std::string &what) {
    NodeProto &made = *nodes.Add();
    made.set_op_type(type);
    made.set_name(node.name() + "/" + what);
    if (!input.empty())
      made.add_input(input);
    made.add_output(newName(node.output(0) + "." + what));
    countReads(made, 1);
    return made;
  }

  void rewrite(NodeProto &node, const MaskNode &part) {
    switch (part.part) {
    case MaskPart::Kept:
      return makeFlags(node, *part.draw, part.isKept);
    case MaskPart::Scaled:
    case MaskPart::Quotient:
      return replace(node, "Identity", {node.input(part.operand)});
    case MaskPart::Weight:
      return makeOne(node, part.operand);
    case MaskPart::Product:
    case MaskPart::Choice:
      return;
    }
  }

  static void replace(NodeProto &node, const char *type,
                      std::initializer_list<std::string> inputs) {
    NodeProto made;
    made.set_op_type(type);
    made.set_name(node.name());
    made.mutable_input()->Add(inputs.begin(), inputs.end());
    made.mutable_output()->Swap(node.mutable_output());
    node.Swap(&made);
  }

  /// What is chosen, divided by itself.
  void makeOne(NodeProto &node, int operand) {
    NodeProto &choice = addBefore(node, "Where", "", "choice");
    choice.mutable_input()->CopyFrom(node.input());
    for (const std::string &name : node.input())
      ++reads[name];
    std::string weight = node.input(operand);
    replace(node, "Div", {choice.output(0), weight});
  }

  /// Of the shape of what is drawn, by what may be the node itself; flags or
  /// floats, or cast from those.
  void makeFlags(NodeProto &node, const NodeProto &draw, bool isTrue) {
    bool isCompared = node.op_type() != "Floor" && &node != &draw;
    int type = isCompared ? int(TensorProto::BOOL) : typeDrawn(draw);
    std::string like = draw.input_size() > 0 ? draw.input(0) : std::string();
    std::string shape = addShape(node, draw);
    bool isCast = type != TensorProto::BOOL && type != TensorProto::FLOAT;
    NodeProto &ones =
        isCast ? addBefore(node, "ConstantOfShape", shape, "ones") : node;
    if (!isCast)
      replace(node, "ConstantOfShape", {shape});
    if (type == TensorProto::BOOL)
      setTensor(ones, type, 1).add_int32_data(isTrue);
    else
      setTensor(ones, TensorProto::FLOAT, 1).add_float_data(isTrue ? 1 : 0);
    if (isCast && type == 0)
      replace(node, "CastLike", {ones.output(0), like});
    else if (isCast) {
      replace(node, "Cast", {ones.output(0)});
      setInteger(node, "to", type);
    }
  }

  std::string addShape(const NodeProto &node, const NodeProto &draw) {
    if (draw.input_size() > 0)
      return addBefore(node, "Shape", draw.input(0), "shape").output(0);
    NodeProto &made = addBefore(node, "Constant", "", "shape");
    const AttributeProto *dims = findAttribute(draw, "shape");
    TensorProto &tensor =
        setTensor(made, TensorProto::INT64, dims ? dims->ints_size() : 0);
    if (dims)
      tensor.mutable_int64_data()->CopyFrom(dims->ints());
    return made.output(0);
  }

  /// What only drew, or was there for what did; what nobody read before stays.
  void dropUnread() {
    std::vector<NodeProto *> all(size_t(nodes.size()));
    nodes.ExtractSubrange(0, nodes.size(), all.data());
    for (auto at = all.rbegin(); at != all.rend(); ++at)
      if (isUnread(**at) && !idle.contains(*at)) {
        countReads(**at, -1);
        delete std::exchange(*at, nullptr);
      }
    for (NodeProto *node : all)
      if (node)
        nodes.AddAllocated(node);
  }

  NodeList &nodes;
  const Masks &masks;
  int64_t opset;
  std::map<std::string, int, std::less<>> reads;
  std::set<std::string> taken;
  std::set<const NodeProto *> idle;
};
} // namespace

template <typename Imports> static int64_t opsetOf(const Imports &imports) {
  int64_t opset = 0;
  for (const auto &import : imports)
    if (import.domain().empty() || import.domain() == "ai.onnx")
      opset = import.version();
  return opset;
}

void mpc::onnx::foldMasks(::onnx::ModelProto &model) {
  Masks masks(model);
  if (masks.empty())
    return;
  int64_t opset = opsetOf(model.opset_import());
  forEachGraph(model, [&](::onnx::GraphProto &graph) {
    std::vector<std::string> outputs;
    for (const auto &output : graph.output())
      outputs.push_back(output.name());
    Folder(*graph.mutable_node(), masks, opset).run(outputs);
  });
  for (auto &function : *model.mutable_functions())
    Folder(*function.mutable_node(), masks, opsetOf(function.opset_import()))
        .run(function.output());
}

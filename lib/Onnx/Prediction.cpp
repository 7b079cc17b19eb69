#include "mpc/Onnx/Prediction.h"
#include "Body.h"
#include "mpc/Onnx/Masks.h"
#include "mpc/Onnx/Nodes.h"
#include "mpc/Support/Printable.h"

#include <algorithm>
#include <map>
#include <set>

using namespace mpc;
using namespace mpc::onnx;

namespace {
/// Flags that the model knows: initializers and constants by their names.
class Flags {
public:
  explicit Flags(::onnx::ModelProto &model) {
    forEachGraph(model, [&](::onnx::GraphProto &graph) {
      for (const auto &tensor : graph.initializer())
        add(tensor.name(), tensor);
    });
    forEachNode(model, [&](::onnx::NodeProto &node) {
      if (node.op_type() == "Constant" && node.output_size() == 1)
        for (const auto &attribute : node.attribute())
          if (attribute.has_t())
            add(node.output(0), attribute.t());
    });
  }

  /// Whether `name` is known to be false.
  bool isFalse(const std::string &name) const {
    auto found = values.find(name);
    return found != values.end() && !found->second;
  }

private:
  void add(const std::string &name, const ::onnx::TensorProto &tensor) {
    if (tensor.data_type() != ::onnx::TensorProto::BOOL)
      return;
    if (tensor.has_raw_data() && tensor.raw_data().size() == 1)
      values[name] = tensor.raw_data()[0] != 0;
    else if (tensor.int32_data_size() == 1)
      values[name] = tensor.int32_data(0) != 0;
  }

  std::map<std::string, bool> values;
};
} // namespace

/// Opset 12 made the mode of dropout an operand. (That of attention has none,
/// and drops nothing by the letter.)
static bool drops(const ::onnx::NodeProto &node, const Flags &flags) {
  return node.op_type() == "Dropout" && node.input_size() > 2 &&
         !node.input(2).empty() && !flags.isFalse(node.input(2)) &&
         !isDrawnAlways(node);
}

/// Opset 14 made the mode of batch norm an attribute; until then it was the
/// number of results.
static bool normsBatches(const ::onnx::NodeProto &node) {
  if (node.op_type() != "BatchNormalization")
    return false;
  const ::onnx::AttributeProto *mode = findAttribute(node, "training_mode");
  return mode ? mode->i() != 0 : node.output_size() > 1;
}

static bool isRandom(const ::onnx::NodeProto &node) {
  constexpr std::string_view types[] = {"Bernoulli",     "Multinomial",
                                        "RandomNormal",  "RandomNormalLike",
                                        "RandomUniform", "RandomUniformLike"};
  return std::ranges::find(types, node.op_type()) != std::end(types) &&
         !isDrawnAlways(node);
}

std::vector<std::string> mpc::onnx::findTraining(::onnx::ModelProto &model) {
  Flags flags(model);
  std::vector<std::string> found;
  forEachNode(model, [&](::onnx::NodeProto &node) {
    if (drops(node, flags) || normsBatches(node) || isRandom(node))
      found.push_back(printable(typeOf(node) + " " + describe(node)));
  });
  return found;
}

/// All names that nodes and graphs read.
static std::set<std::string> collectUses(::onnx::ModelProto &model) {
  std::set<std::string> used;
  forEachNode(model, [&](::onnx::NodeProto &node) {
    used.insert(node.input().begin(), node.input().end());
  });
  forEachGraph(model, [&](::onnx::GraphProto &graph) {
    for (const auto &output : graph.output())
      used.insert(output.name());
  });
  for (const auto &function : model.functions())
    used.insert(function.output().begin(), function.output().end());
  return used;
}

/// Since opset 12 dropout has a mode, and none is one that predicts.
static bool lacksMode(const ::onnx::NodeProto &node) {
  return node.op_type() == "Dropout" && isDrawnAlways(node) &&
         (node.input_size() < 3 || node.input(2).empty());
}

/// The constant `name`, true, in front of the nodes of a graph or function.
static void addTrue(NodeList &nodes, const std::string &name) {
  ::onnx::NodeProto &constant = *nodes.Add();
  constant.set_op_type("Constant");
  constant.add_output(name);
  ::onnx::AttributeProto &attribute = *constant.add_attribute();
  attribute.set_name("value");
  attribute.set_type(::onnx::AttributeProto::TENSOR);
  attribute.mutable_t()->set_data_type(::onnx::TensorProto::BOOL);
  attribute.mutable_t()->add_int32_data(1);
  for (int i = nodes.size() - 1; i > 0; --i)
    nodes.SwapElements(i, i - 1);
}

namespace {
/// Says of each Dropout that draws always that it does, to all who run the
/// copy: exporters leave it out where dropout is attention's.
class DropoutModes {
public:
  explicit DropoutModes(::onnx::ModelProto &model) : names(collectUses(model)) {
    forEachNode(model, [&](::onnx::NodeProto &node) {
      names.insert(node.output().begin(), node.output().end());
    });
  }

  void say(NodeList &nodes) {
    std::string name;
    for (::onnx::NodeProto &node : nodes) {
      if (!lacksMode(node))
        continue;
      if (name.empty())
        name = makeName();
      while (node.input_size() < 3)
        node.add_input(); // A rate has a default.
      node.set_input(2, name);
    }
    if (!name.empty())
      addTrue(nodes, name);
  }

private:
  std::string makeName() {
    std::string name;
    do
      name = "training_mode." + std::to_string(number++);
    while (!names.insert(name).second);
    return name;
  }

  std::set<std::string> names;
  int number = 0;
};
} // namespace

/// Of a model or a function.
template <typename Holder> static bool hasModes(const Holder &holder) {
  return std::ranges::any_of(holder.opset_import(), [](const auto &import) {
    return import.domain().empty() && import.version() >= 12;
  });
}

static void sayModes(::onnx::ModelProto &model) {
  DropoutModes modes(model);
  if (hasModes(model))
    forEachGraph(model, [&](::onnx::GraphProto &graph) {
      modes.say(*graph.mutable_node());
    });
  for (auto &function : *model.mutable_functions())
    if (hasModes(function))
      modes.say(*function.mutable_node());
}

Status mpc::onnx::makePredicting(::onnx::ModelProto &model) {
  foldMasks(model);
  sayModes(model);
  Flags flags(model);
  std::set<std::string> used = collectUses(model);
  Status status;
  forEachNode(model, [&](::onnx::NodeProto &node) {
    if (drops(node, flags))
      node.mutable_input()->DeleteSubrange(2, node.input_size() - 2);
    if (!normsBatches(node))
      return;
    for (int i = 1; i < node.output_size(); ++i)
      if (!node.output(i).empty() && used.contains(node.output(i)))
        status = {StatusCode::InvalidArgument,
                  printable("batch norm " + describe(node) +
                            " cannot be made one that predicts, since its "
                            "result '" +
                            node.output(i) + "' is read")};
    node.mutable_output()->DeleteSubrange(1, node.output_size() - 1);
    for (auto &attribute : *node.mutable_attribute())
      if (attribute.name() == "training_mode")
        attribute.set_i(0);
  });
  return status;
}

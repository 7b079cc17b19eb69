#include "mpc/Onnx/Parameters.h"
#include "Signature.h"
#include "mpc/Onnx/ElementTypes.h"
#include "mpc/Onnx/Nodes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

using namespace mpc;

using mpc::onnx::Names;
using mpc::onnx::NamesByName;
using mpc::onnx::Nodes;

/// The names without what stands in front of their first dot: the name of a
/// module that was put around another for its export.
static NamesByName dropOutermost(const NamesByName &names) {
  NamesByName inner;
  for (const auto &[name, called] : names)
    if (size_t dot = name.find('.'); dot != name.npos)
      inner.emplace(name.substr(dot + 1), called);
  return inner;
}

/// Whether the operands of an op type are weights where they are initializers.
/// Of a type that is no op of ONNX, a function, all may be.
static bool isLayer(const ::onnx::NodeProto &node) {
  static const Names layers = {
      "Attention", "Conv", "ConvTranspose", "Einsum", "GRU", "Gather",
      "Gemm",      "LSTM", "MatMul",        "PRelu",  "RNN"};
  std::string_view type = node.op_type();
  bool isOwn = node.domain().empty() || node.domain() == "ai.onnx";
  if (node.domain() == mpc::onnx::kOwnDomain)
    return false;
  return !isOwn || layers.contains(type) || type.ends_with("Normalization");
}

void mpc::onnx::collectNodes(const ::onnx::GraphProto &graph, Nodes &nodes) {
  for (const auto &node : graph.node()) {
    for (const auto &attribute : node.attribute())
      if (attribute.has_g())
        mpc::onnx::collectNodes(attribute.g(), nodes);
    nodes.push_back(&node);
  }
}

/// What the results of a node are made of: its operands, or, where graphs
/// within it make them, what they put out.
static std::vector<std::string> sourcesOf(const ::onnx::NodeProto &node) {
  std::vector<std::string> sources;
  for (const auto &attribute : node.attribute())
    if (attribute.has_g())
      for (const auto &output : attribute.g().output())
        sources.push_back(output.name());
  if (sources.empty())
    sources.assign(node.input().begin(), node.input().end());
  return sources;
}

namespace {
/// Finds the initializers of which operands of layers, and exponents, are made.
class LayerSearch {
public:
  explicit LayerSearch(const ::onnx::GraphProto &graph) {
    for (const auto &tensor : graph.initializer())
      known.insert(tensor.name());
    mpc::onnx::collectNodes(graph, nodes);
    for (const auto *node : nodes) {
      bool isKnown =
          std::ranges::all_of(sourcesOf(*node), [&](const std::string &name) {
            return name.empty() || known.contains(name);
          });
      for (const std::string &name : node->output()) {
        makers[name] = node;
        if (isKnown)
          known.insert(name);
      }
    }
  }

  Names findWeights() {
    Names found, results;
    auto isResult = [&](const std::string &name) {
      return results.contains(name);
    };
    for (const auto *node : nodes) {
      std::string_view type = node->op_type();
      bool isBehind = (type == "Add" || type == "Mul") &&
                      std::ranges::any_of(node->input(), isResult);
      bool isOneInside =
          type == "If" && std::ranges::any_of(sourcesOf(*node), isResult);
      if (isOneInside) // whose operand, the condition, is no weight
        results.insert(node->output().begin(), node->output().end());
      if (!isLayer(*node) && !isBehind)
        continue;
      bool hasWeight = false; // a product of two results is no layer
      for (const std::string &name : node->input()) {
        hasWeight |= known.contains(name);
        collect(name, found);
      }
      if (hasWeight)
        for (const std::string &name : node->output())
          results.insert(name);
    }
    return found;
  }

  Names findExponents() {
    Names found;
    for (const auto *node : nodes)
      if (node->op_type() == "Pow" && node->input_size() == 2)
        collect(node->input(1), found);
    return found;
  }

private:
  /// Adds the initializers of which `name` is made, if it is of nothing else.
  void collect(const std::string &name, Names &found) {
    std::vector<std::string> left = {name};
    while (!left.empty()) {
      std::string next = std::move(left.back());
      left.pop_back();
      if (!known.contains(next) || !found.insert(next).second)
        continue;
      if (auto maker = makers.find(next); maker != makers.end())
        std::ranges::move(sourcesOf(*maker->second), std::back_inserter(left));
    }
  }

  Nodes nodes;
  Names known; ///< Made of initializers alone.
  std::map<std::string, const ::onnx::NodeProto *, std::less<>> makers;
};
} // namespace

mpc::onnx::Parameters::Parameters(const ::onnx::GraphProto &graph)
    : graph(graph) {
  Names stored;
  for (const auto &tensor : graph.initializer())
    stored.insert(tensor.name());
  Signature signature = readSignature(graph);
  named = std::move(signature.parameters);
  unchanged = std::move(signature.others);
  auto fits = [&] {
    return std::ranges::any_of(
        named, [&](const auto &row) { return stored.contains(row.first); });
  };
  isSigned = fits();
  if (!isSigned && !named.empty()) {
    NamesByName whole = std::exchange(named, dropOutermost(named));
    isSigned = fits(); // one that names no initializer says nothing about them
    isWrapped = isSigned;
    if (isSigned)
      unchanged = dropOutermost(unchanged);
    else
      named = std::move(whole);
  }
  if (isSigned)
    return;
  LayerSearch search(graph);
  ofLayers = search.findWeights();
  exponents = search.findExponents();
}

static bool isSmall(const ::onnx::TensorProto &tensor) {
  return std::ranges::all_of(tensor.dims(),
                             [](int64_t dim) { return dim == 1; });
}

bool mpc::onnx::Parameters::contains(const ::onnx::TensorProto &tensor) const {
  if (!isFloatType(tensor.data_type()))
    return false;
  if (isSigned)
    return named.contains(tensor.name());
  if (tensor.dims_size() == 0 || exponents.contains(tensor.name()))
    return false;
  return !isSmall(tensor) || ofLayers.contains(tensor.name());
}

std::vector<std::string> mpc::onnx::Parameters::findDoubtful() const {
  std::vector<std::string> doubtful;
  for (const auto &tensor : graph.initializer())
    if (!isSigned && contains(tensor) && !ofLayers.contains(tensor.name()))
      doubtful.push_back(tensor.name());
  return doubtful;
}

bool mpc::onnx::isInvented(std::string_view name) {
  return name.starts_with("val_") || name.starts_with("onnx::");
}

std::vector<std::string> mpc::onnx::Parameters::findUntrained() const {
  std::vector<std::string> untrained;
  for (const auto &tensor : graph.initializer())
    if (!isSigned && isFloatType(tensor.data_type()) &&
        (isSmall(tensor) || exponents.contains(tensor.name())) &&
        !contains(tensor) && !isInvented(tensor.name()))
      untrained.push_back(tensor.name());
  return untrained;
}

std::vector<std::string> mpc::onnx::Parameters::findFolded() const {
  std::vector<std::string> folded;
  for (const auto &tensor : graph.initializer()) {
    const std::string &name = tensor.name();
    if (isInvented(name) && contains(tensor) && tensor.dims_size() >= 2)
      folded.push_back("'" + name + "'");
  }
  return folded;
}

#include "mpc/Onnx/Parameters.h"
#include "mpc/Onnx/ElementTypes.h"
#include "mpc/Onnx/Nodes.h"
#include "mpc/Onnx/UnknownFields.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

using namespace mpc;

using Names = std::set<std::string, std::less<>>;

static constexpr std::string_view kSignature =
    "pkg.torch.export.ExportedProgram.graph_signature";

/// The names in lines like "p_wte_weight: PARAMETER target='wte.weight'".
static void readSignature(std::string_view text, Names &named) {
  constexpr std::string_view mark = ": PARAMETER target='";
  for (size_t at = 0; (at = text.find(mark, at)) != text.npos;) {
    at += mark.size();
    std::string_view rest = text.substr(at);
    rest = rest.substr(0, rest.find('\n'));
    if (size_t end = rest.find('\''); end != rest.npos)
      named.emplace(rest.substr(0, end));
  }
}

/// The names without what stands in front of their first dot: the name of a
/// module that was put around another for its export.
static Names dropOutermost(const Names &named) {
  Names inner;
  for (const std::string &name : named)
    if (size_t dot = name.find('.'); dot != name.npos)
      inner.insert(name.substr(dot + 1));
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

using Nodes = std::vector<const ::onnx::NodeProto *>;

/// Those of graphs within a node stand in front of it.
static void collectNodes(const ::onnx::GraphProto &graph, Nodes &nodes) {
  for (const auto &node : graph.node()) {
    for (const auto &attribute : node.attribute())
      if (attribute.has_g())
        collectNodes(attribute.g(), nodes);
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
    collectNodes(graph, nodes);
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
  for (const auto &[key, value] : readMetadata(graph))
    if (key == kSignature)
      readSignature(value, named);
  auto fits = [&] {
    return std::ranges::any_of(
        named, [&](const auto &name) { return stored.contains(name); });
  };
  isSigned = fits();
  if (!isSigned && !named.empty()) {
    named = dropOutermost(named);
    isSigned = fits(); // one that names no initializer says nothing about them
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

static bool isInvented(std::string_view name) {
  return name.starts_with("val_") || name.starts_with("onnx::");
}

std::vector<std::string> mpc::onnx::Parameters::findUntrained() const {
  std::vector<std::string> untrained;
  for (const auto &tensor : graph.initializer())
    if (!isSigned && isFloatType(tensor.data_type()) && isSmall(tensor) &&
        !contains(tensor) && !isInvented(tensor.name()) &&
        !exponents.contains(tensor.name()))
      untrained.push_back(tensor.name());
  return untrained;
}

/// Whether a weight of a layer has a name that the exporter invented, or layers
/// share one: what a program of PyTorch's has before parameters are folded or
/// merged shows neither. (A tied embedding is read by nodes of two types.)
static bool showsLoss(const ::onnx::GraphProto &graph, const Names &named) {
  Names layers, invented;
  for (const auto &tensor : graph.initializer())
    if (mpc::onnx::isFloatType(tensor.data_type()) && tensor.dims_size() >= 2 &&
        isInvented(tensor.name()))
      invented.insert(tensor.name());
  Nodes nodes;
  collectNodes(graph, nodes);
  for (const auto *node : nodes) {
    std::string_view type = node->op_type();
    bool isProduct = type == "MatMul" || type == "Gemm" || type == "Conv" ||
                     type == "ConvTranspose";
    bool isNorm = type.ends_with("Normalization");
    if (!isProduct && !isNorm)
      continue;
    for (const std::string &name : node->input())
      if ((isProduct && invented.contains(name)) ||
          (isNorm && named.contains(name) && !layers.insert(name).second))
        return true;
  }
  return false;
}

std::vector<std::string> mpc::onnx::Parameters::findLost() const {
  Names stored;
  for (const auto &tensor : graph.initializer())
    stored.insert(tensor.name());
  std::vector<std::string> lost;
  for (const auto &name : named)
    if (!stored.contains(name))
      lost.push_back("'" + name + "'");
  if (!isSigned || !showsLoss(graph, named))
    lost.clear();
  return lost;
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

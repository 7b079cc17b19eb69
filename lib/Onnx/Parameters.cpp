#include "mpc/Onnx/Parameters.h"
#include "mpc/Onnx/ElementTypes.h"
#include "mpc/Onnx/Nodes.h"
#include "mpc/Onnx/UnknownFields.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

using namespace mpc;

using Names = std::set<std::string, std::less<>>;

using Signature = std::map<std::string, std::string, std::less<>>;

static constexpr std::string_view kSignature =
    "pkg.torch.export.ExportedProgram.graph_signature";
static constexpr std::string_view kCall = "pkg.torch.onnx.fx_node";
static constexpr std::string_view kScopes = "pkg.torch.onnx.name_scopes";

/// Lines like "p_wte_weight: PARAMETER target='wte.weight'": what the program
/// of torch.export calls a tensor, by the tensor's name.
static void readSignature(std::string_view text, std::string_view kind,
                          Signature &targets) {
  const std::string mark = ": " + std::string(kind) + " target='";
  for (size_t at = 0; (at = text.find(mark, at)) != text.npos;) {
    std::string_view before = text.substr(0, at);
    before.remove_prefix(before.find_last_of(" \n") + 1); // none: 0
    at += mark.size();
    std::string_view rest = text.substr(at);
    rest = rest.substr(0, rest.find('\n'));
    if (size_t end = rest.find('\''); end != rest.npos)
      targets.emplace(rest.substr(0, end), before);
  }
}

/// The names without what stands in front of their first dot: the name of a
/// module that was put around another for its export.
static Signature dropOutermost(const Signature &targets) {
  Signature inner;
  for (const auto &[name, called] : targets)
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
    if (key == kSignature) {
      readSignature(value, "PARAMETER", named);
      readSignature(value, "BUFFER", unchanged);
      readSignature(value, "CONSTANT_TENSOR", unchanged);
    }
  auto fits = [&] {
    return std::ranges::any_of(
        named, [&](const auto &row) { return stored.contains(row.first); });
  };
  isSigned = fits();
  if (!isSigned && !named.empty()) {
    Signature whole = std::exchange(named, dropOutermost(named));
    isSigned = fits(); // one that names no initializer says nothing about them
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

/// Whether norms share a weight, or a weight of a layer has a name that the
/// exporter invented: what a program of PyTorch's has before parameters are
/// merged or folded shows neither. (A tied embedding is read by nodes of two
/// types.)
static bool showsMerging(const Nodes &nodes, const Names &invented,
                         const Signature &named) {
  Names seen;
  for (const auto *node : nodes) {
    std::string_view type = node->op_type();
    bool isProduct = type == "MatMul" || type == "Gemm" || type == "Conv" ||
                     type == "ConvTranspose";
    bool isNorm = type.ends_with("Normalization");
    if (!isProduct && !isNorm)
      continue;
    for (const std::string &name : node->input())
      if ((isProduct && invented.contains(name)) ||
          (isNorm && named.contains(name) && !seen.insert(name).second))
        return true;
  }
  return false;
}

namespace {
/// The call of PyTorch's that a node stands for, as the file keeps it.
struct Call {
  Names operands;     ///< As the program of torch.export calls them.
  std::string scopes; ///< The modules it is in: "['', 'wte', 'embedding']".
};
} // namespace

/// Of "%embedding : ... (args = (%p_wte_weight, %x), ...)" the names behind %.
static Names readOperands(std::string_view call) {
  Names operands;
  for (size_t at = 0; (at = call.find('%', at)) != call.npos;) {
    std::string_view name = call.substr(++at);
    auto end = std::ranges::find_if_not(name, [](unsigned char letter) {
      return std::isalnum(letter) || letter == '_';
    });
    operands.emplace(name.substr(0, size_t(end - name.begin())));
  }
  return operands;
}

static std::vector<Call> readCalls(const Nodes &nodes) {
  std::vector<Call> calls;
  for (const auto *node : nodes) {
    Call call;
    for (const auto &[key, text] : mpc::onnx::readMetadata(*node))
      if (key == kCall)
        call.operands = readOperands(text);
      else if (key == kScopes)
        call.scopes = text;
    if (!call.operands.empty())
      calls.push_back(std::move(call));
  }
  return calls;
}

/// Whether a call is in a module of that name, or of that name behind the name
/// of one that was put around.
static bool isWithin(const Call &call, std::string_view module) {
  for (const char *before : {"'", "."})
    if (call.scopes.find(before + std::string(module) + "'") !=
        std::string::npos)
      return true;
  return false;
}

/// Whether a call in the parameter's own module reads a parameter of another
/// one, as it does where the two are tied: of them the file has one.
static bool isTied(std::string_view name, const std::vector<Call> &calls,
                   const Signature &stored) {
  size_t dot = name.rfind('.');
  if (dot == name.npos)
    return false;
  std::string_view within = name.substr(0, dot + 1);
  return std::ranges::any_of(calls, [&](const Call &call) {
    return isWithin(call, name.substr(0, dot)) &&
           std::ranges::any_of(stored, [&](const auto &row) {
             return !row.first.starts_with(within) &&
                    call.operands.contains(row.second);
           });
  });
}

std::vector<std::string> mpc::onnx::Parameters::findLost() const {
  Names invented;
  Signature lost = named, kept;
  bool hasComputed = false; // as nothing is before parameters are folded
  for (const auto &tensor : graph.initializer()) {
    const std::string &name = tensor.name();
    if (auto row = lost.extract(name))
      kept.insert(std::move(row));
    else if (isFloatType(tensor.data_type()))
      hasComputed |= !unchanged.contains(name);
    if (isInvented(name) && isFloatType(tensor.data_type()) &&
        tensor.dims_size() >= 2)
      invented.insert(name);
  }
  std::vector<std::string> names;
  if (lost.empty())
    return names;
  Nodes nodes;
  collectNodes(graph, nodes);
  bool isAny = hasComputed || !isSigned || showsMerging(nodes, invented, named);
  std::vector<Call> calls = readCalls(nodes);
  for (const auto &[name, called] : lost) {
    bool isRead = std::ranges::any_of(calls, [&](const Call &call) {
      return call.operands.contains(called);
    });
    if (isRead || (isAny && !isTied(name, calls, kept)))
      names.push_back("'" + name + "'");
  }
  return names;
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

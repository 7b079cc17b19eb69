#include "Parameters.h"
#include "Constant.h"
#include "Refusals.h"
#include "UnknownFields.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;

static constexpr StringRef kSignature =
    "pkg.torch.export.ExportedProgram.graph_signature";

/// The names in lines like "p_wte_weight: PARAMETER target='wte.weight'".
static void readSignature(StringRef text, llvm::StringSet<> &named) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    auto [left, target] = line.split(": PARAMETER target='");
    size_t end = target.find('\'');
    if (end != StringRef::npos)
      named.insert(target.take_front(end));
  }
}

/// The names without what stands in front of their first dot: the name of a
/// module that was put around another for its export.
static llvm::StringSet<> dropOutermost(const llvm::StringSet<> &named) {
  llvm::StringSet<> inner;
  for (const auto &name : named)
    inner.insert(name.getKey().split('.').second);
  return inner;
}

/// Whether the operands of an op type are weights where they are initializers.
/// Of a type that is no op of ONNX, a function, all may be.
static bool isLayer(const ::onnx::NodeProto &node) {
  static const llvm::StringSet<> layers = {
      "Attention", "Conv", "ConvTranspose", "Einsum", "GRU", "Gather",
      "Gemm",      "LSTM", "MatMul",        "PRelu",  "RNN"};
  StringRef type = node.op_type();
  bool isOwn = node.domain().empty() || node.domain() == "ai.onnx";
  if (node.domain() == mpc::onnx::kOwnDomain)
    return false;
  return !isOwn || layers.contains(type) || type.ends_with("Normalization");
}

namespace {
/// Finds the initializers of which operands of layers, and exponents, are made.
class LayerSearch {
public:
  explicit LayerSearch(const ::onnx::GraphProto &graph) : graph(graph) {
    for (const auto &tensor : graph.initializer())
      known.insert(tensor.name());
    for (const auto &node : graph.node()) {
      bool isKnown = llvm::all_of(node.input(), [&](const std::string &name) {
        return name.empty() || known.contains(name);
      });
      for (const std::string &name : node.output()) {
        makers[name] = &node;
        if (isKnown)
          known.insert(name);
      }
    }
  }

  llvm::StringSet<> findWeights() {
    llvm::StringSet<> found, results;
    for (const auto &node : graph.node()) {
      StringRef type = node.op_type();
      bool isBehind = (type == "Add" || type == "Mul") &&
                      llvm::any_of(node.input(), [&](const std::string &name) {
                        return results.contains(name);
                      });
      if (!isLayer(node) && !isBehind)
        continue;
      bool hasWeight = false; // a product of two results is no layer
      for (const std::string &name : node.input()) {
        hasWeight |= known.contains(name);
        collect(name, found);
      }
      if (hasWeight)
        for (const std::string &name : node.output())
          results.insert(name);
    }
    return found;
  }

  llvm::StringSet<> findExponents() {
    llvm::StringSet<> found;
    for (const auto &node : graph.node())
      if (node.op_type() == "Pow" && node.input_size() == 2)
        collect(node.input(1), found);
    return found;
  }

private:
  /// Adds the initializers of which `name` is made, if it is of nothing else.
  void collect(StringRef name, llvm::StringSet<> &found) {
    SmallVector<StringRef> left = {name};
    while (!left.empty()) {
      StringRef next = left.pop_back_val();
      if (!known.contains(next) || !found.insert(next).second)
        continue;
      if (const auto *maker = makers.lookup(next))
        left.append(maker->input().begin(), maker->input().end());
    }
  }

  const ::onnx::GraphProto &graph;
  llvm::StringSet<> known; ///< Made of initializers alone.
  llvm::StringMap<const ::onnx::NodeProto *> makers;
};
} // namespace

mpc::onnx::Parameters::Parameters(const ::onnx::GraphProto &graph)
    : graph(graph) {
  llvm::StringSet<> stored;
  for (const auto &tensor : graph.initializer())
    stored.insert(tensor.name());
  for (const auto &[key, value] : readMetadata(graph))
    if (key == kSignature)
      readSignature(value, named);
  auto fits = [&] {
    return llvm::any_of(named, [&](const auto &name) {
      return stored.contains(name.getKey());
    });
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
  return llvm::all_of(tensor.dims(), [](int64_t dim) { return dim == 1; });
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

static bool isInvented(StringRef name) {
  return name.starts_with("val_") || name.starts_with("onnx::");
}

/// Whether a weight of a layer has a name that the exporter invented, or layers
/// share one: what a program of PyTorch's has before parameters are folded or
/// merged shows neither. (A tied embedding is read by nodes of two types.)
static bool showsLoss(const ::onnx::GraphProto &graph,
                      const llvm::StringSet<> &named) {
  llvm::StringSet<> layers, invented;
  for (const auto &tensor : graph.initializer())
    if (mpc::onnx::isFloatType(tensor.data_type()) && tensor.dims_size() >= 2 &&
        isInvented(tensor.name()))
      invented.insert(tensor.name());
  for (const auto &node : graph.node()) {
    StringRef type = node.op_type();
    bool isProduct = type == "MatMul" || type == "Gemm" || type == "Conv" ||
                     type == "ConvTranspose";
    bool isNorm = type.ends_with("Normalization");
    if (!isProduct && !isNorm)
      continue;
    for (const std::string &name : node.input())
      if ((isProduct && invented.contains(name)) ||
          (isNorm && named.contains(name) && !layers.insert(name).second))
        return true;
  }
  return false;
}

std::vector<std::string> mpc::onnx::Parameters::findLost() const {
  llvm::StringSet<> stored;
  for (const auto &tensor : graph.initializer())
    stored.insert(tensor.name());
  std::vector<std::string> lost;
  for (const auto &name : named)
    if (!stored.contains(name.getKey()))
      lost.push_back("'" + name.getKey().str() + "'");
  llvm::sort(lost);
  if (!isSigned || !showsLoss(graph, named))
    lost.clear();
  return lost;
}

std::vector<std::string> mpc::onnx::Parameters::findFolded() const {
  std::vector<std::string> folded;
  for (const auto &tensor : graph.initializer()) {
    StringRef name = tensor.name();
    if (isInvented(name) && contains(tensor) && tensor.dims_size() >= 2)
      folded.push_back("'" + name.str() + "'");
  }
  return folded;
}

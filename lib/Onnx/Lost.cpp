// Parameters that an exporter has lost: folded into others, or merged with
// them.
#include "Signature.h"
#include "mpc/Onnx/ElementTypes.h"
#include "mpc/Onnx/Parameters.h"
#include "mpc/Support/Printable.h"

#include <algorithm>
#include <ranges>
#include <utility>

using namespace mpc;
using namespace mpc::onnx;

/// For a message, whatever the file calls it.
static std::string quote(std::string_view name) {
  constexpr size_t most = 120;
  std::string shown = printable(name.substr(0, most));
  return "'" + shown + (name.size() > most ? "..." : "") + "'";
}

//===-- Files with a signature --------------------------------------------===//

/// Whether norms share a weight, or a weight of a layer has a name that the
/// exporter invented: what a program of PyTorch's has before parameters are
/// merged or folded shows neither. (A tied embedding is read by nodes of two
/// types.)
static bool showsMerging(const Nodes &nodes, const Names &invented,
                         const NamesByName &named) {
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

std::vector<std::string> Parameters::findLost() const {
  Names invented;
  NamesByName lost = named, kept;
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
  Calls calls(nodes, kept, lost, isWrapped);
  // A call that is gone may have read any of them: a product with a number that
  // is one leaves nothing behind.
  bool isAny = hasComputed || !isSigned ||
               showsMerging(nodes, invented, named) ||
               !calls.areWhole(readSignature(graph));
  for (const auto &[name, called] : lost)
    if (calls.read(called) || (isAny && !calls.readInPlaceOf(name)))
      names.push_back(quote(name));
  return names;
}

//===-- Files without one -------------------------------------------------===//

/// Of the node "/layer1/layer1.0/ln/Add" the module "layer1.0.ln"; empty if the
/// node is in none.
static std::string moduleOf(std::string_view node) {
  std::string module;
  size_t last = node.rfind('/');
  if (last == node.npos || !node.starts_with('/'))
    return module;
  std::string_view scope = node.substr(1, std::max<size_t>(last, 1) - 1);
  std::string_view before; // a list's elements repeat the list's name
  while (!scope.empty()) {
    std::string_view part = scope.substr(0, scope.find('/'));
    scope.remove_prefix(std::min(part.size() + 1, scope.size()));
    std::string_view shown = part;
    if (!before.empty() && part.starts_with(before) &&
        part.substr(before.size()).starts_with('.'))
      shown.remove_prefix(before.size() + 1);
    module += (module.empty() ? "" : ".") + std::string(shown);
    before = part;
  }
  return module;
}

/// "ln" of "layer1.0.ln", and of "layer1.0.ln_1" where it is called again.
static std::string_view withoutCall(std::string_view name) {
  size_t digits = name.find_last_not_of("0123456789");
  bool isCall = digits != name.npos && digits + 1 < name.size() &&
                name[digits] == '_' && digits > 0;
  return isCall ? name.substr(0, digits) : name;
}

static std::string_view lastOf(std::string_view name) {
  return name.substr(name.rfind('.') + 1); // none: all
}

/// Whether at most one dim is more than one, as of scales and biases.
static bool isRow(const ::onnx::TensorProto &tensor) {
  return std::ranges::count_if(tensor.dims(),
                               [](int64_t dim) { return dim != 1; }) <= 1;
}

/// Whether PyTorch's older exporter has put this node where it merged two
/// initializers that are equal: it is in no module, and its result has the name
/// of one that is gone. (Tied ones have one name.)
static bool isMerge(const ::onnx::NodeProto &node, const Names &outputs) {
  auto isPlain = [](std::string_view name) {
    return name.find('/') == name.npos;
  };
  return node.op_type() == "Identity" && node.input_size() == 1 &&
         node.output_size() == 1 && isPlain(node.name()) &&
         isPlain(node.output(0)) && !outputs.contains(node.output(0)) &&
         node.output(0).find_first_not_of("0123456789") != std::string::npos;
}

/// Another module than the parameter's own that reads it in its place, as where
/// a tool has dropped the node above; empty if there is none. One module may
/// stand in several ("a.norm", "b.norm"), and be called again ("norm_1").
static std::string_view
findOther(std::string_view parameter,
          const std::set<const std::string *> &modules) {
  size_t dot = parameter.rfind('.');
  if (dot == parameter.npos)
    return {};
  std::string_view owner = parameter.substr(0, dot), other;
  bool isOwn = false;
  auto isIn = [](std::string_view module, std::string_view outer) {
    return module.starts_with(outer) &&
           module.substr(outer.size()).starts_with('.');
  };
  for (std::string_view module : modules | std::views::transform([](auto *at) {
                                   return std::string_view(*at);
                                 })) {
    bool isNamedSo = lastOf(module) == lastOf(owner) ||
                     lastOf(withoutCall(module)) == lastOf(owner);
    isOwn |= module == owner || withoutCall(module) == owner;
    if (!isNamedSo && !isIn(module, owner) && !isIn(owner, module))
      other = other.empty() ? module : std::min(other, module);
  }
  return isOwn ? other : std::string_view();
}

std::vector<std::string> Parameters::findMerged() const {
  std::vector<std::string> merged;
  if (isSigned)
    return merged;
  Names outputs, modules;
  for (const auto &output : graph.output())
    outputs.insert(output.name());
  std::map<std::string_view, const ::onnx::TensorProto *> stored;
  for (const auto &tensor : graph.initializer())
    if (contains(tensor))
      stored.emplace(tensor.name(), &tensor);
  std::map<std::string_view, std::set<const std::string *>> readers;
  Nodes nodes;
  collectNodes(graph, nodes);
  for (const auto *node : nodes) {
    bool isAlias = isMerge(*node, outputs);
    std::string module = isAlias ? "" : moduleOf(node->name());
    const std::string *within =
        module.empty() ? nullptr : &*modules.insert(std::move(module)).first;
    for (const std::string &name : node->input()) {
      auto tensor = stored.find(name);
      if (tensor == stored.end())
        continue;
      bool isScale = isRow(*tensor->second); // tables are tied, or buffers
      if (isAlias && (isScale || ofLayers.contains(node->output(0))))
        merged.push_back(quote(name) + " for " + quote(node->output(0)));
      else if (isScale && within && node->op_type() != "Identity")
        readers[tensor->first].insert(within);
    }
  }
  for (const auto &[name, within] : readers)
    if (std::string_view other = findOther(name, within); !other.empty())
      merged.push_back(quote(name) + " for one of " + quote(other));
  return merged;
}

// The error for an op that the dialect does not have: which ones it could be.
#include "mlir/IR/OpImplementation.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <tuple>

using namespace mpc;
using namespace mpc::graph;

/// "layer_norm" as people type it who know it from elsewhere: "LayerNorm".
static std::string withoutStyle(StringRef name) {
  std::string letters;
  for (char c : name)
    if (c != '_')
      letters += llvm::toLower(c);
  return letters;
}

/// The op that other systems (PyTorch, ONNX, NumPy) have under a name that is
/// not near to its own; empty: none. Names are without style.
static StringRef findSynonym(StringRef name) {
  static const llvm::StringMap<StringRef> synonyms = {
      {"swish", "graph.silu"},
      {"embedding", "graph.gather"},
      {"take", "graph.gather"},
      {"indexselect", "graph.gather"},
      {"takealongdim", "graph.gather_elements"},
      {"indexadd", "graph.segment_sum"},
      {"arange", "graph.iota"},
      {"where", "graph.select"},
      {"maskedfill", "graph.select"},
      {"permute", "graph.transpose"},
      {"view", "graph.reshape"},
      {"flatten", "graph.reshape"},
      {"squeeze", "graph.reshape"},
      {"unsqueeze", "graph.reshape"},
      {"expand", "graph.broadcast"},
      {"repeat", "graph.tile"},
      {"cat", "graph.concat"},
      {"chunk", "graph.split"},
      {"attention", "graph.scaled_dot_product_attention"},
      {"sdpa", "graph.scaled_dot_product_attention"},
      {"rope", "graph.rotary_embedding"},
      {"linear", "graph.matmul"},
      {"gemm", "graph.matmul"},
      {"bmm", "graph.matmul"},
      {"addmm", "graph.matmul"},
      {"amax", "graph.max"},
      {"amin", "graph.min"},
      {"reducesum", "graph.sum"},
      {"reducemean", "graph.mean"},
      {"less", "graph.compare"},
      {"greater", "graph.compare"},
      {"equal", "graph.compare"},
      {"rand", "graph.uniform"},
      {"randn", "graph.normal"},
      {"zeros", "graph.constant"},
      {"ones", "graph.constant"},
      {"full", "graph.constant"},
      {"to", "graph.cast"},
      {"convert", "graph.cast"}};
  return synonyms.lookup(name);
}

/// The ops whose names are nearest to `name`, the best first: a few letters
/// differ, or one name holds the other. None if nothing is near.
static SmallVector<StringRef> findNearest(MLIRContext &context,
                                          StringRef name) {
  constexpr size_t kShown = 3, kShortestPart = 3;
  std::string wanted = withoutStyle(name);
  SmallVector<std::tuple<unsigned, StringRef>> near;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations()) {
    if (op.getDialectNamespace() != GraphDialect::getDialectNamespace())
      continue;
    std::string known = withoutStyle(op.stripDialect());
    unsigned distance = StringRef(wanted).edit_distance(known);
    bool holds = std::min(wanted.size(), known.size()) >= kShortestPart &&
                 (StringRef(wanted).contains(known) ||
                  StringRef(known).contains(wanted));
    if (distance <= std::max<size_t>(1, wanted.size() / 3) || holds)
      near.emplace_back(distance, op.getStringRef());
  }
  llvm::sort(near);
  SmallVector<StringRef> names;
  if (StringRef synonym = findSynonym(wanted); !synonym.empty())
    names.push_back(synonym);
  for (auto [distance, op] : ArrayRef(near).take_front(kShown))
    if (!llvm::is_contained(names, op))
      names.push_back(op);
  return names;
}

/// "'a', 'b' or 'c'".
static std::string quoteAll(ArrayRef<StringRef> names) {
  std::string text;
  for (auto [index, name] : llvm::enumerate(names)) {
    if (index)
      text += index + 1 == names.size() ? " or " : ", ";
    text += ("'" + name + "'").str();
  }
  return text;
}

static mlir::ParseResult refuse(mlir::OpAsmParser &parser,
                                mlir::OperationState &state) {
  // The parser begins the sentence: "custom op 'graph.x' ".
  InFlightDiagnostic error = parser.emitError(parser.getNameLoc());
  error << "is unknown";
  SmallVector<StringRef> nearest = findNearest(
      *parser.getContext(), state.name.getStringRef().split('.').second);
  if (nearest.empty())
    return error << ": docs/Ops.md lists the ops of the dialect; one that is "
                    "made of them is a private function that 'graph.custom' "
                    "calls";
  return error << ", did you mean " << quoteAll(nearest) << "?";
}

/// The hook is a reference, so it is to a function, which outlives the call.
std::optional<mlir::Dialect::ParseOpHook>
GraphDialect::getParseOperationHook(StringRef) const {
  return refuse;
}

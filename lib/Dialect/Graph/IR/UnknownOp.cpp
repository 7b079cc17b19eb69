// The error for an op that the dialect does not have: which ones it could be.
#include "mlir/IR/OpImplementation.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Interfaces/OtherNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
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

/// Whether other systems have the op under `name`, which is without style.
static bool isAlsoCalled(mlir::RegisteredOperationName op, StringRef name) {
  const auto *record = op.getInterface<OtherNamesOpInterface>();
  return record && llvm::any_of(record->getOtherNames(), [&](StringRef other) {
           return withoutStyle(other) == name;
         });
}

/// The ops whose names are nearest to `name`, the best first: other systems
/// have it under that name, a few letters differ, or one name holds the other.
/// None if nothing is near.
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
    if (isAlsoCalled(op, wanted))
      near.emplace_back(0, op.getStringRef());
    else if (distance <= std::max<size_t>(1, wanted.size() / 3) || holds)
      near.emplace_back(distance, op.getStringRef());
  }
  llvm::sort(near);
  return llvm::map_to_vector(ArrayRef(near).take_front(kShown),
                             [](auto op) { return std::get<1>(op); });
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

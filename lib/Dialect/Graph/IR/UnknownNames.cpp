// The errors for ops and attributes that the dialect does not have: which ones
// they could be.
#include "UnknownNames.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpImplementation.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Interfaces/OtherNames.h"
#include "mpc/Text/Nearest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <tuple>

using namespace mpc;
using namespace mpc::graph;

//===-- Ops ---------------------------------------------------------------===//

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
  return error << ", did you mean " << quoteAll(nearest, "or") << "?";
}

/// The hook is a reference, so it is to a function, which outlives the call.
std::optional<mlir::Dialect::ParseOpHook>
GraphDialect::getParseOperationHook(StringRef) const {
  return refuse;
}

/// The op that MLIR did not find in the dialect around it, which is not this
/// one: "custom op 'relu' is unknown (tried 'func.relu' as well)", or in a
/// region of ours "Dialect `' not found for custom op 'relu'". Empty: `message`
/// is another.
static StringRef findShortName(StringRef message) {
  auto [before, after] = message.split("custom op '");
  auto [name, rest] = after.split('\'');
  bool isUnknown = rest.starts_with(" is unknown (tried ") ||
                   before.starts_with("Dialect `' not found");
  return isUnknown && !name.contains('.') ? name : "";
}

/// Says which op or attribute of ours the error could be about. Attributes of
/// arguments, results and functions are read by MLIR before any dialect sees
/// them, and where a bare word stands it tells no more than that.
static void addHint(mlir::Diagnostic &diagnostic, MLIRContext &context) {
  std::string message = diagnostic.str();
  if (message == "expected attribute value") {
    diagnostic.attachNote(diagnostic.getLocation())
        << "an attribute of the dialect begins with '#graph.', as in "
           "'graph.init = "
        << kInitialiserForms[2]
        << "', and a string has quotes, as in 'graph.input = \"x\"'";
    return;
  }
  StringRef name = findShortName(message);
  if (name.empty())
    return;
  SmallVector<StringRef> nearest = findNearest(context, name);
  std::string whole = (GraphDialect::getDialectNamespace() + "." + name).str();
  if (llvm::is_contained(nearest, whole))
    nearest = {whole};
  if (!nearest.empty())
    diagnostic.attachNote(diagnostic.getLocation())
        << "did you mean " << quoteAll(nearest, "or") << "?";
}

void GraphDialect::addHints() {
  MLIRContext *context = getContext();
  context->getDiagEngine().registerHandler(
      [context](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          addHint(diagnostic, *context);
        return failure(); // somebody else prints it
      });
}

//===-- Attributes --------------------------------------------------------===//

/// What initialisers are called elsewhere.
static StringRef findInitialiser(StringRef name) {
  constexpr std::pair<StringRef, StringRef> kOthers[] = {
      {"constant", "fill"}, {"full", "fill"},    {"gaussian", "normal"},
      {"ones", "fill"},     {"randn", "normal"}, {"rand", "uniform"}};
  for (auto [other, known] : kOthers)
    if (name == other)
      return known;
  return name;
}

/// "#graph.normal<mean, stddev>", or "#graph.clip".
static std::string describeForm(StringRef mnemonic) {
  std::string begin = ("#graph." + mnemonic).str();
  for (StringRef form : kInitialiserForms)
    if (form.take_until([](char c) { return c == '<'; }) == begin)
      return form.str();
  return begin;
}

InFlightDiagnostic graph::refuseAttribute(mlir::AsmParser &parser,
                                          llvm::SMLoc loc, StringRef name,
                                          ArrayRef<StringRef> known) {
  InFlightDiagnostic error = parser.emitError(loc);
  error << "unknown attribute '#graph." << name << "'";
  StringRef nearest = findNearest(known, findInitialiser(name));
  if (!nearest.empty())
    return std::move(error << ", did you mean '" << describeForm(nearest)
                           << "'?");
  if (findOptimizer(name))
    return std::move(error << ": an optimizer is '#graph.optimizer<name = \""
                           << name << "\", lr = ...>'");
  return std::move(
      error << ": the first values of a parameter are "
            << quoteAll(kInitialiserForms, "or")
            << "; docs/Ops.md and docs/Training.md have all attributes");
}

// The attribute of regions; custom ops: the words of a call, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Region.h"
#include "../SettingSyntax.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mpc/Dialect/Graph/Settings/Words.h"

using namespace mpc;
using namespace mpc::graph;

Attribute AutocastRegionAttr::parse(mlir::AsmParser &parser, Type) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  std::string name, lists;
  bool enabled = true, recompute = false;
  FloatType dtype;
  auto readName = [&] { return parser.parseString(&name); };
  auto readEnabled = [&] { return parseFlag(parser, enabled); };
  auto readType = [&] { return parser.parseType(dtype); };
  auto readLists = [&] { return parser.parseString(&lists); };
  auto readRecompute = [&] { return parseFlag(parser, recompute); };
  TrainingSettings none;
  if (parseFields(parser, {}, none,
                  {{"name", readName},
                   {"enabled", readEnabled},
                   {"dtype", readType},
                   {"lists", readLists},
                   {"recompute", readRecompute}}))
    return {};
  return parser.getChecked<AutocastRegionAttr>(loc, parser.getContext(),
                                               StringRef(name), enabled, dtype,
                                               StringRef(lists), recompute);
}

void AutocastRegionAttr::print(mlir::AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  if (!getName().empty())
    fields.begin("name").printString(getName());
  if (!getEnabled())
    fields.begin("enabled") << "false";
  if (getDtype())
    fields.begin("dtype") << getDtype();
  if (!getLists().empty())
    fields.begin("lists").printString(getLists());
  if (getRecompute())
    fields.begin("recompute") << "true";
}

LogicalResult
AutocastRegionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                           StringRef, bool, FloatType dtype, StringRef lists,
                           bool) {
  if (dtype && !dtype.isF16() && !dtype.isBF16())
    return emitError() << "expected dtype to be f16 or bf16, but got " << dtype;
  if (!lists.empty() && !symbolizeEnum<TorchLists>(lists))
    return emitError() << "expected lists to be "
                       << listWords(listOf<TorchLists>()) << ", but got '"
                       << lists << "'";
  return success();
}

//===-- graph.custom -----------------------------------------------------===//

AutocastPolicy CustomOp::getOwnPolicy() {
  if (FloatType forced = getForcedType())
    return forced.isF32() ? AutocastPolicy::Deny : AutocastPolicy::Allow;
  return getPolicy() ? *symbolizeAutocastPolicy(*getPolicy())
                     : getAutocastPolicy();
}
TorchPolicy CustomOp::getOwnTorchPolicy(TorchLists) {
  return toTorchPolicy(getOwnPolicy());
}
TensorFlowPolicy CustomOp::getOwnTensorFlowPolicy(TensorFlowLists) {
  return toTensorFlowPolicy(getOwnPolicy());
}
FloatType CustomOp::getForcedType() {
  return getCastInputs() ? cast<FloatType>(*getCastInputs()) : FloatType();
}

LogicalResult CustomOp::verify() {
  if (getPolicy() && !symbolizeAutocastPolicy(*getPolicy())) // C3
    return emitOpError("expected policy to be Allow, Deny, DenyIO, Promote, "
                       "Infer or Clear, but got '")
           << *getPolicy() << "'";
  if (getPolicy() && getCastInputs()) // C4
    return emitOpError("expected one of policy and cast_inputs, but got both");
  return success();
}

/// Equal, but for the width of floats, which autocast decides.
static bool fits(Type found, Type declared) {
  auto a = cast<RankedTensorType>(found);
  auto b = dyn_cast<RankedTensorType>(declared);
  auto isNarrowable = [](Type element) {
    return isa<FloatType>(element) && !element.isF64();
  };
  return a == declared ||
         (b && a.getShape() == b.getShape() &&
          isNarrowable(a.getElementType()) && isNarrowable(b.getElementType()));
}

static LogicalResult verifyFits(CustomOp op, TypeRange found,
                                TypeRange declared, StringRef what) {
  if (found.size() != declared.size())
    return op.emitOpError("expected as many ")
           << what << "s as '" << op.getImplementation() << "' has, but got "
           << found.size() << " and " << declared.size();
  for (auto [index, pair] : llvm::enumerate(llvm::zip(found, declared)))
    if (auto [type, wanted] = pair; !fits(type, wanted))
      return op.emitOpError("expected ")
             << what << " " << index << " to fit " << wanted << " of '"
             << op.getImplementation() << "', but got " << type;
  return success();
}

LogicalResult CustomOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
  Operation *symbol =
      symbols.lookupNearestSymbolFrom(*this, getImplementationAttr());
  auto function = dyn_cast_if_present<mlir::FunctionOpInterface>(symbol);
  if (!function) // C1
    return emitOpError("expected a function '")
           << getImplementation() << "' in the module, but "
           << (symbol ? "it is something else" : "there is none");
  if (function.isExternal() || !function.isPrivate()) {
    InFlightDiagnostic error = emitOpError("expected '")
                               << getImplementation()
                               << "' to be private and to have a body";
    error.attachNote(function.getLoc()) << "the implementation";
    return error;
  }
  if (failed(verifyFits(*this, getOperandTypes(), function.getArgumentTypes(),
                        "operand"))) // C2
    return failure();
  return verifyFits(*this, getResultTypes(), function.getResultTypes(),
                    "result");
}

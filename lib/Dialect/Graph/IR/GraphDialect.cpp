#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "SettingSyntax.h"
#include "UnknownNames.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Settings/Words.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Text/Nearest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mpc;
using namespace mpc::graph;

#include "mpc/Dialect/Graph/IR/GraphDialect.cpp.inc"
#include "mpc/Dialect/Graph/IR/GraphEnums.cpp.inc"

/// A word of an enum, as attributes hold it.
template <typename Enum>
static mlir::ParseResult parseKeyword(mlir::AsmParser &parser, Enum &value) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  std::string word;
  if (succeeded(parser.parseOptionalKeywordOrString(&word)))
    if (std::optional<Enum> found = symbolizeEnum<Enum>(word)) {
      value = *found;
      return success();
    }
  std::vector<StringRef> words = listOf<Enum>();
  InFlightDiagnostic error = parser.emitError(loc, "expected ");
  error << listWords(words);
  if (!word.empty())
    error << ", but got '" << word << "'" << suggestNearest(words, word);
  return error;
}
template <typename Enum>
static void printKeyword(mlir::AsmPrinter &printer, Enum value) {
  printer << stringifyEnum(value);
}

/// The same between < and >, as attributes of ops are written.
template <typename Enum>
static mlir::ParseResult parseKeywordInAngles(mlir::AsmParser &parser,
                                              Enum &value) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalLess()))
    return parser.emitError(loc, "expected <")
           << llvm::join(listOf<Enum>(), ">, <") << ">";
  if (parseKeyword(parser, value))
    return failure();
  return parser.parseGreater();
}
template <typename Enum>
static void printKeywordInAngles(mlir::AsmPrinter &printer, Enum value) {
  printer << "<" << stringifyEnum(value) << ">";
}

#define GET_ATTRDEF_CLASSES
#include "mpc/Dialect/Graph/IR/AllAttrs.cpp.inc"

void GraphDialect::initialize() {
#define FAMILY(name) register##name##Ops();
#include "mpc/Dialect/Graph/IR/Ops/Families.inc"
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mpc/Dialect/Graph/IR/AllAttrs.cpp.inc"
      >();
  addHints();
}

template <typename... Attrs> static std::vector<StringRef> namesOf() {
  return {Attrs::getMnemonic()...};
}

Attribute GraphDialect::parseAttribute(mlir::DialectAsmParser &parser,
                                       Type type) const {
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  Attribute attribute;
  if (generatedAttributeParser(parser, &name, type, attribute).has_value())
    return attribute;
  refuseAttribute(parser, loc, name,
                  namesOf<
#define GET_ATTRDEF_LIST
#include "mpc/Dialect/Graph/IR/AllAttrs.cpp.inc"
                      >());
  return {};
}

void GraphDialect::printAttribute(Attribute attribute,
                                  mlir::DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

Operation *GraphDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  auto elements = dyn_cast<mlir::ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

const TargetDescription &graph::getTarget(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto name = module ? module->getAttrOfType<StringAttr>(kTargetAttr) : nullptr;
  const TargetDescription *target = name ? findTarget(name) : nullptr;
  return target ? *target : allTargets().front();
}

//===-- Attribute verifiers ----------------------------------------------===//

using EmitError = function_ref<InFlightDiagnostic()>;

LogicalResult NormalAttr::verify(EmitError emitError, Real, Real stddev) {
  if (stddev.value < 0)
    return emitError() << "expected stddev >= 0, but got " << stddev;
  return success();
}

Attribute ClassesAttr::parse(mlir::AsmParser &parser, Type) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  int64_t count = 0;
  std::optional<int64_t> ignored;
  auto readCount = [&] { return parser.parseInteger(count); };
  auto readIgnored = [&] { return parser.parseInteger(ignored.emplace()); };
  TrainingSettings none;
  if (parseFields(parser, {}, none,
                  {{"count", readCount, true}, {"ignored", readIgnored}}))
    return {};
  return parser.getChecked<ClassesAttr>(loc, parser.getContext(), count,
                                        ignored);
}
void ClassesAttr::print(mlir::AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.begin("count") << getCount();
  if (getIgnored())
    fields.begin("ignored") << *getIgnored();
}

LogicalResult ClassesAttr::verify(EmitError emitError, int64_t count,
                                  std::optional<int64_t>) {
  if (count < 1)
    return emitError() << "expected a count of 1 or more classes, but got "
                       << count;
  return success();
}

LogicalResult UniformAttr::verify(EmitError emitError, Real low, Real high) {
  if (low.value > high.value)
    return emitError() << "expected low <= high, but got " << low << " and "
                       << high;
  return success();
}

LogicalResult StateAttr::verify(EmitError emitError, StringAttr name, Role role,
                                StringAttr of, Attribute init) {
  if (failed(verifyName(name, "the name of a state", emitError)))
    return failure();
  if (of && failed(verifyName(of, "what state '" + name.getValue() + "' is of",
                              emitError)))
    return failure();
  return verifyFacts({name, role, of, init}, emitError);
}

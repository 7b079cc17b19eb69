#include "SettingSyntax.h"
#include "mlir/IR/DialectImplementation.h"
#include "mpc/Dialect/Graph/IR/Real.h"
#include "mpc/Text/Nearest.h"
#include <set>

using namespace mpc;
using namespace mpc::graph;

//===-- Reading -----------------------------------------------------------===//

namespace {

/// Reads the value of one field.
struct ValueParser {
  mlir::AsmParser &parser;
  const Setting &setting;
  TrainingSettings &settings;

  template <typename Value> mlir::ParseResult read(Value &value) const {
    FailureOr<Value> parsed = mlir::FieldParser<Value>::parse(parser);
    if (failed(parsed))
      return failure();
    value = *parsed;
    return success();
  }
  mlir::ParseResult readText() const {
    llvm::SMLoc loc = parser.getCurrentLocation();
    std::string text;
    if (failed(parser.parseOptionalString(&text)))
      return parser.emitError(loc, "expected a text in quotes as ")
             << setting.field.parameter;
    return setText(settings, setting, text,
                   [&] { return parser.emitError(loc); });
  }

  mlir::ParseResult operator()(WordRef) const { return readText(); }
  mlir::ParseResult operator()(PNorm *) const { return readText(); }
  mlir::ParseResult operator()(Pattern *) const { return readText(); }
  mlir::ParseResult operator()(std::string *) const { return readText(); }
  mlir::ParseResult operator()(bool *value) const {
    return parseFlag(parser, *value);
  }
  mlir::ParseResult operator()(std::optional<bool> *value) const {
    return parseFlag(parser, value->emplace());
  }
  template <typename Value>
  mlir::ParseResult operator()(std::optional<Value> *value) const {
    return read(value->emplace());
  }
  template <typename Value> mlir::ParseResult operator()(Value *value) const {
    return read(*value);
  }
};

bool isOf(const Setting &setting, ArrayRef<Part> parts) {
  return setting.hasField() && llvm::is_contained(parts, setting.field.part);
}

/// Fields between < and >.
struct FieldsParser {
  mlir::AsmParser &parser;
  ArrayRef<Part> parts;
  TrainingSettings &settings;
  ArrayRef<OtherField> others;
  std::set<std::string, std::less<>> seen;

  std::vector<StringRef> allNames() const {
    std::vector<StringRef> names;
    for (const Setting &setting : trainingSettings())
      if (isOf(setting, parts))
        names.push_back(setting.field.parameter);
    for (const OtherField &other : others)
      names.push_back(other.name);
    return names;
  }

  mlir::ParseResult readValue(llvm::SMLoc loc, StringRef name) {
    for (const OtherField &other : others)
      if (other.name == name)
        return other.parse();
    for (Part part : parts)
      if (const Setting *setting = findSetting(part, name))
        return std::visit(ValueParser{parser, *setting, settings},
                          setting->field.in(settings));
    return refuseName(loc, name);
  }

  mlir::ParseResult refuseName(llvm::SMLoc loc, StringRef name) const {
    return parser.emitError(loc, "expected ")
           << listWords(allNames()) << ", but got '" << name << "'"
           << suggestNearest(allNames(), name);
  }

  mlir::ParseResult readField() {
    llvm::SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (failed(parser.parseOptionalKeyword(&name)))
      return parser.emitError(loc, "expected ")
             << listWords(allNames()) << " and '=' in front of a value";
    if (!llvm::is_contained(allNames(), name))
      return refuseName(loc, name);
    if (parser.parseEqual())
      return failure();
    if (!seen.insert(name.str()).second)
      return parser.emitError(loc, "expected one '")
             << name << "', but got two";
    return readValue(loc, name);
  }

  mlir::ParseResult checkMissing(llvm::SMLoc loc) const {
    for (const OtherField &other : others)
      if (other.isNeeded && !seen.contains(other.name))
        return parser.emitError(loc, "expected '")
               << other.name << "', but got none";
    for (const Setting &setting : trainingSettings())
      if (isOf(setting, parts) && setting.field.isAlwaysWritten &&
          !seen.contains(setting.field.parameter))
        return parser.emitError(loc, "expected '")
               << setting.field.parameter << "', but got none";
    return success();
  }
};

} // namespace

mlir::ParseResult graph::parseFields(mlir::AsmParser &parser,
                                     ArrayRef<Part> parts,
                                     TrainingSettings &settings,
                                     ArrayRef<OtherField> others) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  FieldsParser fields{parser, parts, settings, others, {}};
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::LessGreater,
                                     [&] { return fields.readField(); }))
    return failure();
  return fields.checkMissing(loc);
}

mlir::ParseResult graph::parseFlag(mlir::AsmParser &parser, bool &value) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  for (bool flag : {true, false})
    if (succeeded(parser.parseOptionalKeyword(flag ? "true" : "false"))) {
      value = flag;
      return success();
    }
  InFlightDiagnostic error = parser.emitError(loc, "expected true or false");
  if (StringRef word; succeeded(parser.parseOptionalKeyword(&word)))
    error << ", but got '" << word << "'";
  return error;
}

//===-- Writing -----------------------------------------------------------===//

namespace {
struct ValuePrinter {
  mlir::AsmPrinter &printer;
  const std::string text; ///< Of the value, by the table.

  void operator()(WordRef) const { printer.printString(text); }
  void operator()(PNorm *) const { printer.printString(text); }
  void operator()(Pattern *) const { printer.printString(text); }
  void operator()(std::string *) const { printer.printString(text); }
  void operator()(Real *value) const { printer << *value; }
  void operator()(std::optional<Real> *value) const { printer << **value; }
  template <typename Value> void operator()(Value *) const { printer << text; }
};
} // namespace

mlir::AsmPrinter &FieldPrinter::begin(StringRef name) {
  printer << (isFirst ? "" : ", ") << name << " = ";
  isFirst = false;
  return printer;
}

void FieldPrinter::print(Part part, const TrainingSettings &settings) {
  for (const Setting &setting : trainingSettings()) {
    if (!isOf(setting, part) ||
        (!setting.field.isAlwaysWritten && isDefault(settings, setting)))
      continue;
    std::string text = toText(settings, setting).value_or("");
    std::visit(ValuePrinter{begin(setting.field.parameter), std::move(text)},
               read(setting.field, settings));
  }
}

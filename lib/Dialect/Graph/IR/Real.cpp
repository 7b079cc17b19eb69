#include "mpc/Dialect/Graph/IR/Real.h"
#include "mlir/IR/Builders.h"
#include "mpc/Dialect/Graph/IR/RealAttr.h"
#include "mpc/Support/Number.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::graph;

mlir::AsmPrinter &graph::operator<<(mlir::AsmPrinter &printer, Real real) {
  printer.getStream() << formatReal(real);
  return printer;
}

/// The decimal number at the start of `text`: "3", "-0.5", "1e-5". Empty if
/// there is none, or a longer word ("0x10", "1e").
static StringRef spellingOf(StringRef text) {
  StringRef rest = text;
  auto digits = [&] {
    size_t before = rest.size();
    rest = rest.drop_while(llvm::isDigit);
    return rest.size() < before;
  };
  rest.consume_front("-");
  if (!digits())
    return "";
  if (rest.consume_front("."))
    digits();
  if (rest.consume_front("e") || rest.consume_front("E")) {
    if (!rest.consume_front("-"))
      rest.consume_front("+");
    if (!digits())
      return "";
  }
  if (!rest.empty() && (llvm::isAlnum(rest.front()) || rest.front() == '_'))
    return "";
  return text.drop_back(rest.size());
}

/// Takes the tokens of a number. Without a point the MLIR lexer knows no
/// exponent: 1e-5 is 1, e, - and 5 for it.
static mlir::ParseResult takeTokens(mlir::AsmParser &parser,
                                    StringRef spelling) {
  double value;
  if (spelling.contains('.'))
    return parser.parseFloat(value);
  llvm::APInt digits;
  StringRef word;
  if (parser.parseInteger(digits))
    return failure();
  if (!spelling.contains_insensitive('e'))
    return success();
  if (parser.parseKeyword(&word))
    return failure();
  if (word.size() > 1) // "e5"
    return success();
  if (spelling.contains('+') ? parser.parsePlus() : parser.parseMinus())
    return failure();
  return parser.parseInteger(digits);
}

/// What stands at `loc`, up to a space or a separator. A source ends in a zero.
static StringRef wordAt(llvm::SMLoc loc) {
  const char *begin = loc.getPointer(), *end = begin;
  while (*end && !llvm::isSpace(*end) && !StringRef(",:>").contains(*end))
    ++end;
  return {begin, size_t(end - begin)};
}

FailureOr<Real> graph::parseReal(mlir::AsmParser &parser) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef word = wordAt(loc);
  StringRef spelling = spellingOf(word);
  if (spelling.empty())
    return parser.emitError(loc, "expected a finite number, but got '")
           << word << "'";
  if (failed(takeTokens(parser, spelling)))
    return failure();
  auto value = parseNumber<double>(spelling);
  if (!value)
    return parser.emitError(loc, "expected a finite number, but got '")
           << spelling << "'";
  return Real(*value);
}

mlir::ParseResult graph::parseRealAttr(mlir::OpAsmParser &parser,
                                       mlir::FloatAttr &attribute) {
  FailureOr<Real> real = parseReal(parser);
  if (failed(real))
    return failure();
  attribute = parser.getBuilder().getF64FloatAttr(real->value);
  return success();
}

void graph::printRealAttr(mlir::OpAsmPrinter &printer, Operation *,
                          mlir::FloatAttr attribute) {
  printer.printAttributeWithoutType(attribute);
}

mlir::ParseResult graph::parseNormOrder(mlir::OpAsmParser &parser,
                                        mlir::FloatAttr &attribute) {
  if (failed(parser.parseOptionalKeyword("inf")))
    return parseRealAttr(parser, attribute);
  attribute = parser.getBuilder().getF64FloatAttr(
      std::numeric_limits<double>::infinity());
  return success();
}

void graph::printNormOrder(mlir::OpAsmPrinter &printer, Operation *op,
                           mlir::FloatAttr attribute) {
  if (attribute.getValue().isInfinity() && !attribute.getValue().isNegative())
    printer << "inf";
  else
    printRealAttr(printer, op, attribute);
}

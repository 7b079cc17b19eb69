#include "mpc/Dialect/Graph/IR/Real.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <charconv>
#include <cmath>

using namespace mpc;
using namespace mpc::graph;

std::string graph::formatReal(Real real) {
  char buffer[32];
  auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), real.value);
  assert(error == std::errc() && "a double has at most 24 characters");
  std::string text(buffer, end);
  // The MLIR lexer knows a float by its point.
  if (text.find('.') == std::string::npos)
    text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

mlir::AsmPrinter &graph::operator<<(mlir::AsmPrinter &printer, Real real) {
  printer.getStream() << formatReal(real);
  return printer;
}

FailureOr<Real> graph::parseReal(mlir::AsmParser &parser) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return parser.emitError(loc, "expected a finite number, but got '")
           << word << "'";
  Attribute number;
  if (parser.parseAttribute(number))
    return failure();
  double value = 0.0;
  if (auto real = dyn_cast<mlir::FloatAttr>(number);
      real && real.getType().isF64())
    value = real.getValueAsDouble();
  else if (auto integer = dyn_cast<mlir::IntegerAttr>(number);
           integer && integer.getType().isInteger(64))
    value = static_cast<double>(integer.getInt());
  else
    return parser.emitError(loc, "expected a number, but got ") << number;
  if (!std::isfinite(value))
    return parser.emitError(loc, "expected a finite number, but got ")
           << number;
  return Real(value);
}

// Flags: comparisons, what is made of flags, and choices by them.
#include "../Masks.h"
#include "../Tables.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mpc;
using namespace mpc::onnx;
namespace expr = mpc::graph::expr;

/// Flags are compared as numbers.
static Expr comparable(Node &n, size_t i) {
  Expr x = n.value(i);
  return x && x.elementType().isInteger(1) ? n.cast(x, n.builder.getI32Type())
                                           : x;
}

static LogicalResult convertCompare(Node &n) {
  StringRef predicate = llvm::StringSwitch<StringRef>(n.proto.op_type())
                            .Case("Equal", "eq")
                            .Case("Greater", "gt")
                            .Case("GreaterOrEqual", "ge")
                            .Case("Less", "lt")
                            .Case("LessOrEqual", "le")
                            .Default("ne"); // Xor
  return n.set(0, n.compare(predicate, comparable(n, 0), comparable(n, 1)));
}

static LogicalResult convertLogical(Node &n) {
  StringRef op = n.proto.op_type() == "And" ? "logical_and" : "logical_or";
  return n.set(0, n.op(op, {n.value(0), n.value(1)}));
}

static LogicalResult convertNot(Node &n) {
  return n.set(0, n.op("logical_not", {n.value(0)}));
}

static LogicalResult convertIsNaN(Node &n) {
  return n.set(0, n.op("is_nan", {n.floating(0)}));
}

static LogicalResult convertIsInf(Node &n) {
  bool negative = n.integer("detect_negative", 1) != 0;
  bool positive = n.integer("detect_positive", 1) != 0;
  Expr x = n.floating(0);
  Expr isInf = n.op("is_inf", {x});
  if (!isInf)
    return failure();
  if (negative && positive)
    return n.set(0, isInf);
  if (!negative && !positive)
    return n.set(0, n.op("logical_and", {isInf, n.op("logical_not", {isInf})}));
  return n.set(0, n.op("logical_and", {isInf, positive ? expr::greater(x, 0.0)
                                                       : expr::less(x, 0.0)}));
}

static LogicalResult convertWhere(Node &n) {
  Expr flags = n.value(0), a = n.value(1), b = n.value(2);
  if (Expr mask = choiceOf(n, flags, a, b))
    return n.set(0, mask);
  return n.set(0, n.select(flags, a, b));
}

ArrayRef<Converter> mpc::onnx::comparisonConverters() {
  static constexpr Converter rows[] = {
      {"And", 7, convertLogical},     {"Equal", 7, convertCompare},
      {"Greater", 7, convertCompare}, {"GreaterOrEqual", 12, convertCompare},
      {"IsInf", 10, convertIsInf},    {"IsNaN", 9, convertIsNaN},
      {"Less", 7, convertCompare},    {"LessOrEqual", 12, convertCompare},
      {"Not", 1, convertNot},         {"Or", 7, convertLogical},
      {"Where", 9, convertWhere},     {"Xor", 7, convertCompare}};
  return rows;
}

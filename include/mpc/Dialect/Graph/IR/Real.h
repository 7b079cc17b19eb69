// A double as an attribute parameter: hashable by its bits, written as a plain
// decimal number.
#ifndef MPC_DIALECT_GRAPH_IR_REAL_H
#define MPC_DIALECT_GRAPH_IR_REAL_H

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"
#include <bit>

namespace mpc::graph {

struct Real {
  double value = 0.0;

  Real() = default;
  Real(double value) : value(value) {} // NOLINT: a Real is a double

  bool operator==(const Real &other) const {
    return std::bit_cast<uint64_t>(value) ==
           std::bit_cast<uint64_t>(other.value);
  }
  friend llvm::hash_code hash_value(const Real &real) {
    return llvm::hash_value(std::bit_cast<uint64_t>(real.value));
  }
  friend mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer,
                                      const Real &real) {
    printer.printFloat(llvm::APFloat(real.value));
    return printer;
  }
};

} // namespace mpc::graph

template <> struct mlir::FieldParser<mpc::graph::Real> {
  static FailureOr<mpc::graph::Real> parse(AsmParser &parser) {
    double value;
    if (parser.parseFloat(value))
      return failure();
    return mpc::graph::Real(value);
  }
};

#endif // MPC_DIALECT_GRAPH_IR_REAL_H

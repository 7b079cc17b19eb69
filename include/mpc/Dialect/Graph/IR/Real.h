// A finite double as an attribute parameter: hashable by its bits, written as
// the shortest decimal number that reads back as the same bits.
#ifndef MPC_DIALECT_GRAPH_IR_REAL_H
#define MPC_DIALECT_GRAPH_IR_REAL_H

#include "mlir/IR/DialectImplementation.h"
#include "mpc/Interfaces/LLVM.h"
#include "llvm/ADT/Hashing.h"
#include <bit>
#include <string>

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
};

/// "16777216.0", "0.001", "1.0e-08".
std::string formatReal(Real real);
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, Real real);
inline mlir::Diagnostic &operator<<(mlir::Diagnostic &diagnostic, Real real) {
  return diagnostic << formatReal(real);
}
/// Reads a decimal number; integers need no point. inf and NaN are errors.
FailureOr<Real> parseReal(mlir::AsmParser &parser);

} // namespace mpc::graph

template <> struct mlir::FieldParser<mpc::graph::Real> {
  static FailureOr<mpc::graph::Real> parse(AsmParser &parser) {
    return mpc::graph::parseReal(parser);
  }
};

#endif // MPC_DIALECT_GRAPH_IR_REAL_H

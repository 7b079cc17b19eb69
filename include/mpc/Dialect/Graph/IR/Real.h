// A Real as an attribute parameter.
#ifndef MPC_DIALECT_GRAPH_IR_REAL_H
#define MPC_DIALECT_GRAPH_IR_REAL_H

#include "mlir/IR/DialectImplementation.h"
#include "mpc/Dialect/Graph/Settings/Real.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

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

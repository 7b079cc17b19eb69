// custom<RealAttr>($epsilon): an f64 attribute of an op, written as a Real is.
#ifndef MPC_DIALECT_GRAPH_IR_REALATTR_H
#define MPC_DIALECT_GRAPH_IR_REALATTR_H

#include "mlir/IR/OpImplementation.h"

namespace mpc::graph {

mlir::ParseResult parseRealAttr(mlir::OpAsmParser &parser,
                                mlir::FloatAttr &attribute);
void printRealAttr(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::FloatAttr attribute);

/// custom<NormOrder>($p): the same, or `inf`.
mlir::ParseResult parseNormOrder(mlir::OpAsmParser &parser,
                                 mlir::FloatAttr &attribute);
void printNormOrder(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::FloatAttr attribute);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_REALATTR_H

// The bodies of ops in text.
//
// What a body defines may be used by ops before it in the text, as forward
// references. Where the body turns out to be wrong, MLIR's parser destroys it
// and leaves these uses; here they are dropped first.
#ifndef MPC_TEXT_BODYSYNTAX_H
#define MPC_TEXT_BODYSYNTAX_H

#include "mlir/IR/OpImplementation.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc {

/// `{ ... }`, of one block, which is there even if the text has none.
mlir::ParseResult parseBody(mlir::OpAsmParser &parser, mlir::Region &body);
void printBody(mlir::OpAsmPrinter &printer, Operation *op, mlir::Region &body);

/// The same without a terminator that says nothing; the parser leaves it to the
/// op to make one.
void printOpenBody(mlir::OpAsmPrinter &printer, Operation *op,
                   mlir::Region &body);

/// `a, b` or `(a, b)`, the types of what a body yields.
mlir::ParseResult parseResultTypes(mlir::OpAsmParser &parser,
                                   SmallVectorImpl<Type> &types);
void printResultTypes(mlir::OpAsmPrinter &printer, Operation *op,
                      mlir::TypeRange types);

} // namespace mpc

#endif // MPC_TEXT_BODYSYNTAX_H

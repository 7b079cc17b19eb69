// The error for a word in the text of an op that the op does not know there.
// MLIR's parser asks for each optional word in turn; where none of them stands
// it only knows that it wants the type, or the word that comes next.
#ifndef MPC_TEXT_WORDSYNTAX_H
#define MPC_TEXT_WORDSYNTAX_H

#include "mlir/IR/OpImplementation.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc {

/// Fails where a word stands, all that may stand in front of attributes and
/// type having been read. `syntax`: the assembly format of the op, of which the
/// optional words are those behind a "(".
mlir::ParseResult parseOtherWord(mlir::OpAsmParser &parser, StringRef syntax);
/// There is none in what is printed.
inline void printOtherWord(mlir::OpAsmPrinter &, Operation *, StringRef) {}

/// Reads `word`, which must stand here. An error names what does, and the
/// optional words of `syntax` in front of `word`, which might have.
mlir::ParseResult parseWord(mlir::OpAsmParser &parser, StringRef word,
                            StringRef syntax);
inline void printWord(mlir::OpAsmPrinter &printer, Operation *, StringRef word,
                      StringRef) {
  printer << word;
}

} // namespace mpc

#endif // MPC_TEXT_WORDSYNTAX_H

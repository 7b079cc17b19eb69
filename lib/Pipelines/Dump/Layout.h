// What MLIR prints, in lines that people read and a diff can show.
#ifndef MPC_LIB_PIPELINES_DUMP_LAYOUT_H
#define MPC_LIB_PIPELINES_DUMP_LAYOUT_H

#include "mpc/Interfaces/LLVM.h"
#include <string>

namespace mpc::dump {

/// `text`, a module as MLIR prints it, with the arguments and the results of
/// each function on lines of their own. Only white space between the tokens of
/// a signature changes, so it parses to the same module; a line that does not
/// look like a signature stays as it is.
std::string breakSignatures(StringRef text);

/// `pass`, as `name{option=value other=}`, without the options that have no
/// value, which is how an option says that it was not given.
std::string dropEmptyOptions(StringRef pass);

/// The end of the string literal that begins at `begin`, after its quote.
size_t endOfString(StringRef text, size_t begin);

} // namespace mpc::dump

#endif // MPC_LIB_PIPELINES_DUMP_LAYOUT_H

// Names that MLIR's printer would not use.
#ifndef MPC_LIB_PIPELINES_DUMP_RENAME_H
#define MPC_LIB_PIPELINES_DUMP_RENAME_H

#include "PrintedNames.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Value.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::dump {

/// `text`, a module as MLIR prints it, with its values called as `names` has
/// them. Ops that name their own results keep MLIR from taking these names from
/// locations, so they are put into the text: the lines of the ops in it,
/// `lines`, say which values a line is about. If it is about others, which an
/// op with a print method of its own may do, the text comes back as it is.
std::string renameValues(StringRef text,
                         const mlir::AsmState::LocationMap &lines,
                         const DenseMap<Value, StringRef> &names,
                         const PrintedNames &printed);

} // namespace mpc::dump

#endif // MPC_LIB_PIPELINES_DUMP_RENAME_H

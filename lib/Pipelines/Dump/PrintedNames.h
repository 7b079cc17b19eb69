// What MLIR's printer calls the values of a module.
#ifndef MPC_LIB_PIPELINES_DUMP_PRINTEDNAMES_H
#define MPC_LIB_PIPELINES_DUMP_PRINTEDNAMES_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Value.h"
#include "mpc/Interfaces/LLVM.h"
#include "llvm/Support/Allocator.h"
#include <optional>

namespace mpc::dump {

/// "%h" or "%3#1", in parts.
struct PrintedName {
  StringRef name; ///< "h", "3".
  /// Which one of the results that have the name together.
  std::optional<unsigned> number;
};

/// The names of all values below a module, asked of the printer once.
class PrintedNames {
public:
  PrintedNames(Operation *module, mlir::AsmState &state);

  const PrintedName &of(Value value) const;

private:
  void add(Value value, mlir::AsmState &state);

  llvm::BumpPtrAllocator memory;
  DenseMap<Value, PrintedName> names;
};

} // namespace mpc::dump

#endif // MPC_LIB_PIPELINES_DUMP_PRINTEDNAMES_H

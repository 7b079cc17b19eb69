// The names of values in a dump.
#ifndef MPC_LIB_PIPELINES_DUMP_NAMING_H
#define MPC_LIB_PIPELINES_DUMP_NAMING_H

#include "LocationNames.h"
#include "PrintedNames.h"
#include "llvm/Support/StringSaver.h"

namespace mpc::dump {

/// Names for all values below `module`, without '%' and kept in `strings`, such
/// that no two that see each other have the same. They are the bases (Bases.h),
/// made unique base by base: `%h.cast`, `%h.cast_0`. A region's argument is
/// called like the operand that it stands for; others without a base count,
/// `%arg0`.
DenseMap<Value, StringRef> nameValues(Operation *module,
                                      const LocationNames &names,
                                      const PrintedNames &printed,
                                      llvm::StringSaver &strings);

} // namespace mpc::dump

#endif // MPC_LIB_PIPELINES_DUMP_NAMING_H

// Graph ops by name, made of what strangers say: what is not valid is an answer
// here, where the builders of the records would end the process.
#ifndef MPC_LIB_IMPORT_ONNX_BUILDOP_H
#define MPC_LIB_IMPORT_ONNX_BUILDOP_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Interfaces/LLVM.h"

#include <string>

namespace mpc::onnx {

/// The op graph.<name> at the insertion point. Null operands are those that it
/// may miss. Its results have the type `result`, or those that it infers. Null,
/// with what is wrong in `error`, if the op is not valid or an operand is
/// missing; nothing is left of it then.
Operation *buildOp(mlir::ImplicitLocOpBuilder &builder, StringRef name,
                   ArrayRef<Value> operands, mlir::NamedAttrList attributes,
                   Type result, std::string &error);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_BUILDOP_H

// The ops of the exec dialect, and questions about their buffers.
#ifndef MPC_DIALECT_EXEC_IR_EXECOPS_H
#define MPC_DIALECT_EXEC_IR_EXECOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mpc/Dialect/Exec/IR/ExecDialect.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Interfaces/TensorBytes.h"

namespace mpc::graph {
class GroupOp;
} // namespace mpc::graph

#include "mpc/Dialect/Exec/IR/ExecInterfaces.h.inc"

#define GET_OP_CLASSES
#include "mpc/Dialect/Exec/IR/ExecOps.h.inc"

namespace mpc::exec {

/// Bytes of a buffer: elements times bytes of one (i1 takes a byte).
int64_t getBytes(mlir::MemRefType type);

/// The buffer whose memory `value` has: what it views or renews, through any
/// number of both.
Value getRoot(Value value);
/// The buffer that holds what is read through `value`: what it views. A renewed
/// buffer is another one than that whose memory it has.
Value getViewed(Value value);

/// Whether shape, strides and offset are known numbers, none of them negative.
bool isStrided(mlir::MemRefType type);
/// In elements; of buffers that isStrided. The offset is from the start of the
/// root.
struct StridedLayout {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
};
StridedLayout getLayout(mlir::MemRefType type);
/// Bytes from the first element of a buffer that isStrided to the end of its
/// last one; nothing if that overflows.
std::optional<uint64_t> getReach(mlir::MemRefType type);

/// The dense buffer that begins and ends where `operand` of a call does: of a
/// strided view from the first to the last element of a buffer that buffer, of
/// a view of a part null, else `operand`. A kernel reads it by the same
/// argument.
Value getWholeBuffer(Value operand);

/// Whether both are views of one buffer and have no element of it in common.
bool areParts(Value one, Value other);

/// The element type of a buffer as the program file has it.
program::ElementType getProgramType(Type buffer);

} // namespace mpc::exec

#endif // MPC_DIALECT_EXEC_IR_EXECOPS_H

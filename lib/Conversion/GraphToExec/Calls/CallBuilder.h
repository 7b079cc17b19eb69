// What conversions of library groups have in common: the operands of one
// exec.call, and buffers as they are read in place.
#ifndef MPC_LIB_CONVERSION_GRAPHTOEXEC_CALLS_CALLBUILDER_H
#define MPC_LIB_CONVERSION_GRAPHTOEXEC_CALLS_CALLBUILDER_H

#include "../EntryBuilder.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Interfaces/StridedShape.h"
#include "mpc/Program/Program.h"

namespace mpc {

/// `lies` with dim `dims`[i] as dim i; with no dims, as it is.
StridedShape permute(const StridedShape &lies, ArrayRef<int64_t> dims);

class CallBuilder {
public:
  CallBuilder(graph::GroupOp group, EntryBuilder &entry)
      : group(group), entry(entry) {}

  /// A value of the group's body that is one from outside, or a movement of
  /// such that is a matter of strides alone; or one that is yielded, or a part
  /// of such.
  struct Operand {
    Value inside; ///< from outside, or yielded
    StridedShape lies;
  };
  /// Fails for other values, where they are made.
  FailureOr<Operand> find(Value inside);

  void read(program::OperandRole role, const Operand &operand);
  /// The call reads `inside`, a value from outside.
  void read(program::OperandRole role, Value inside);
  /// The call writes `inside`, which gets a buffer, or a part of that of a
  /// concat of results; dim i of the operand is dim `dims`[i] of it. The result
  /// comes first.
  void write(program::OperandRole role, Value inside,
             ArrayRef<int64_t> dims = {});

  /// The call, at the end of the entry. `plain` is what it computes in any
  /// case; what stands beside it becomes a tail if the target may need one.
  /// Fails if the group yields what no operand writes.
  LogicalResult create(Attribute kind, const PlainCall &plain);

private:
  mlir::OperandRange getYielded();
  std::optional<Operand> findWritten(Value inside);
  LogicalResult allocateOutputs();
  Value view(Value buffer, const StridedShape &lies);

  graph::GroupOp group;
  EntryBuilder &entry;
  SmallVector<Value> inputs, outputs; ///< buffers
  /// Of the group's body: what a tail may read, null for a part of a buffer.
  SmallVector<Value> readInside;
  SmallVector<Value> writtenInside; ///< of the group's body
  SmallVector<SmallVector<int64_t>> writtenDims;
  SmallVector<int32_t> inputRoles, outputRoles;
};

} // namespace mpc

#endif // MPC_LIB_CONVERSION_GRAPHTOEXEC_CALLS_CALLBUILDER_H

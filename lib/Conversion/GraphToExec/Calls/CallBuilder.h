// What conversions of library groups have in common: the operands of one
// exec.call, and buffers as they are read in place.
#ifndef MPC_LIB_CONVERSION_GRAPHTOEXEC_CALLS_CALLBUILDER_H
#define MPC_LIB_CONVERSION_GRAPHTOEXEC_CALLS_CALLBUILDER_H

#include "../EntryBuilder.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Program/Program.h"

namespace mpc {

/// How a tensor lies in a buffer, in elements.
struct StridedShape {
  SmallVector<int64_t> shape, strides;
  int64_t offset = 0;
};
StridedShape getDenseShape(ArrayRef<int64_t> shape);

class CallBuilder {
public:
  CallBuilder(graph::GroupOp group, EntryBuilder &entry)
      : group(group), entry(entry) {}

  /// The call reads `inside`, a value of the group's body from outside, as
  /// `shape` says.
  void read(program::OperandRole role, Value inside, const StridedShape &shape);
  void read(program::OperandRole role, Value inside);
  /// The call writes `inside`, which gets a buffer. The result comes first.
  void write(program::OperandRole role, Value inside);

  /// The call, at the end of the entry. `plain` is what it computes without
  /// what stands beside it, which becomes a tail if the target may need one.
  /// Fails if the group yields what no operand writes.
  LogicalResult create(Attribute kind, Value plain);

private:
  FailureOr<Value> allocate(Value inside);

  graph::GroupOp group;
  EntryBuilder &entry;
  SmallVector<Value> inputs, outputs;           ///< buffers
  SmallVector<Value> readInside, writtenInside; ///< of the group's body
  SmallVector<int32_t> inputRoles, outputRoles;
};

} // namespace mpc

#endif // MPC_LIB_CONVERSION_GRAPHTOEXEC_CALLS_CALLBUILDER_H

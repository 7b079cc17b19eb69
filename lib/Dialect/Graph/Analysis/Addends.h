// Whether a library call had better add a tensor to its product, as its C
// operand, than a kernel that reads both: by the bytes that are moved.
//
//   apart:     the call writes y; a kernel reads y and r, and writes the sum
//              where others read that, too
//   together:  the call reads r and writes the sum; the kernel reads that
//
// If r is in memory by then, the call saves the bytes of y where the sum has to
// be stored anyway, as the residual stream has. Else as much is moved, but by
// the call, under its operations; it is worth that if nobody reads r later: the
// sum then takes the place of r. Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_ANALYSIS_ADDENDS_H
#define MPC_LIB_DIALECT_GRAPH_ANALYSIS_ADDENDS_H

#include "Deadlines.h"
#include <string>

namespace mpc::graph {

class Addends {
public:
  explicit Addends(Block &block);

  struct Answer {
    std::string refusal;    ///< Empty: the call adds it.
    int64_t savedBytes = 0; ///< Of those that are moved.
  };
  /// Whether `call` adds `addend`, which `add` adds to its product.
  /// `isOfCall`: ops whose result a call writes.
  Answer decide(Operation *call, Operation *add, Value addend,
                function_ref<bool(Operation *)> isOfCall);

private:
  bool isInMemory(Value value, Operation *call,
                  function_ref<bool(Operation *)> isOfCall) const;
  bool isStored(Operation *add) const;
  bool diesAt(Value addend, Operation *call, Operation *add) const;

  Deadlines deadlines;
  DenseMap<Operation *, int> positions;
};

/// Of the two operands of `add`, the one that is not `value`.
Value getOther(Operation *add, Value value);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_ANALYSIS_ADDENDS_H

// Why a pass put a cast in: a note to whoever reads a dump.
#ifndef MPC_DIALECT_GRAPH_IR_CASTREASON_H
#define MPC_DIALECT_GRAPH_IR_CASTREASON_H

#include "mlir/IR/BuiltinAttributes.h"

namespace mpc::graph {

/// Two casts of one value to one type are one value, whatever their reasons
/// say: CSE keeps the first, with its reason. Whether there is one is not a
/// note, for a cast without was written by somebody and stays.
struct CastReason {
  mlir::StringAttr text; ///< Or null.

  bool operator==(const CastReason &other) const {
    return !text == !other.text;
  }
  bool operator!=(const CastReason &other) const { return !(*this == other); }
};

inline llvm::hash_code hash_value(const CastReason &reason) {
  return llvm::hash_value(!reason.text);
}

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_CASTREASON_H

// The error for an attribute that the dialect does not have. Private to this
// room.
#ifndef MPC_LIB_DIALECT_GRAPH_IR_UNKNOWNNAMES_H
#define MPC_LIB_DIALECT_GRAPH_IR_UNKNOWNNAMES_H

#include "mpc/Dialect/Graph/IR/GraphDialect.h"

namespace mpc::graph {

/// At `loc` stands the name of none of the `known` attributes: which one could
/// it be?
InFlightDiagnostic refuseAttribute(mlir::AsmParser &parser, llvm::SMLoc loc,
                                   StringRef name, ArrayRef<StringRef> known);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_IR_UNKNOWNNAMES_H

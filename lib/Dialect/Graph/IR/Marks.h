// The table of marks: the attributes that make a function a model or a step,
// where each may stand and what it may say. FunctionMarks.cpp reads it when
// MLIR verifies a function. Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_IR_MARKS_H
#define MPC_LIB_DIALECT_GRAPH_IR_MARKS_H

#include "mpc/Dialect/Graph/IR/GraphDialect.h"

namespace mpc::graph {

enum class Place { Argument, Result, Function, Module, Constant, Op };

/// A mark as it was found.
struct MarkUse {
  StringRef name;
  Attribute value;
  Type type; ///< Of the argument or result; else null.
  function_ref<InFlightDiagnostic()> error;
};

struct Mark {
  StringRef name;
  Place place;
  /// Whether it says what it may; an error if not.
  LogicalResult (*verify)(const MarkUse &use);
  /// The mark that must stand beside it, and what that makes of the place;
  /// empty: none.
  StringRef beside, owner;
};

/// All marks; one that may stand at two places has two rows.
ArrayRef<Mark> getMarks();

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_IR_MARKS_H

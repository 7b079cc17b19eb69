// What the role of a state demands of it. Asked by #graph.state, by the marks
// of functions and by exec.state_decl; and of all states of a module together
// by gates and the conversion to exec.
#ifndef MPC_DIALECT_GRAPH_IR_STATES_H
#define MPC_DIALECT_GRAPH_IR_STATES_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "llvm/ADT/MapVector.h"

namespace mpc::graph {

/// Whether a state of this role names the parameter that it belongs to.
bool belongsToParameter(Role role);

/// How the initialisers are written, for messages.
constexpr StringRef kInitialiserForms[] = {"#graph.zeros", "#graph.fill<value>",
                                           "#graph.normal<mean, stddev>",
                                           "#graph.uniform<low, high>"};

/// Whether `attr` is one of these.
bool isInitialiser(Attribute attr);

/// What is said of a state: by an argument of an entry, or by its declaration.
struct StateFacts {
  StringAttr name;
  Role role;
  StringAttr of;  ///< What it belongs to, or null.
  Attribute init; ///< Its first value, or null.
};

/// Whether owner and first value, where they are given, are those of the role.
LogicalResult verifyFacts(const StateFacts &state,
                          function_ref<InFlightDiagnostic()> emitError);

/// Whether the role's states have such a type, a tensor or a buffer.
LogicalResult verifyStateType(const StateFacts &state, mlir::ShapedType type,
                              function_ref<InFlightDiagnostic()> emitError);

/// The states of a module, which several entries have as arguments.
class StateTable {
public:
  /// A state as one entry has it. Fails with an error if another one has it
  /// otherwise.
  LogicalResult add(const StateFacts &state, mlir::ShapedType type,
                    Location loc);
  /// Call last. Fails with an error if a state belongs to a parameter that is
  /// not there or is not like it.
  LogicalResult verifyOwners() const;

private:
  struct State {
    StateFacts facts;
    mlir::ShapedType type;
    Location loc;
  };
  llvm::MapVector<StringAttr, State> states;
};

/// What argument `index` of `func` is, if it is a parameter or a state.
std::optional<StateFacts> getStateFacts(mlir::FunctionOpInterface func,
                                        unsigned index);

/// Checks the states of all entries of `module` together.
LogicalResult verifyStates(ModuleOp module);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_STATES_H

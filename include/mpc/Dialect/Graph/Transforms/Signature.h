// The marks on arguments and results of a model function, read and changed.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_SIGNATURE_H
#define MPC_DIALECT_GRAPH_TRANSFORMS_SIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::graph {

/// An argument or result that carries a mark with a name.
struct Marked {
  StringAttr name;
  /// The block argument, or the operand of the return.
  Value value;
  /// Position among all arguments, or among all results.
  unsigned index;
};

/// Arguments to which `mark` gives a name, in order.
SmallVector<Marked> markedArguments(mlir::func::FuncOp func, StringRef mark);

/// Results to which `mark` gives a name, in order.
SmallVector<Marked> markedResults(mlir::func::FuncOp func, StringRef mark);

/// The parameters that a step changes: those that are not `graph.frozen`.
SmallVector<Marked> trainableParameters(mlir::func::FuncOp func);

/// What argument `index` is beside a parameter; null if it is no state.
StateAttr getState(mlir::func::FuncOp func, unsigned index);

/// What argument `index`, a parameter or a state, is for.
Role getRole(mlir::func::FuncOp func, unsigned index);

/// The parameter that argument `index`, a parameter or a state, is or belongs
/// to; null if there is none. Other states are of a loss or a parameter group,
/// which may be called like a parameter.
StringAttr getParameter(mlir::func::FuncOp func, unsigned index);

/// Everything that lives from step to step: parameters, then state.
SmallVector<Marked> stateArguments(mlir::func::FuncOp func);

/// The functions of `module` whose `graph.entry` is `entry`.
SmallVector<mlir::func::FuncOp> entryFunctions(ModuleOp module,
                                               StringRef entry);

/// Whether the function has inputs or parameters and a body: somebody's model,
/// before or after a stage made an entry of it.
bool isModelFunction(mlir::func::FuncOp func);

/// Index of the first result marked as loss, if there is one. After
/// mpc-differentiate there is no other.
std::optional<unsigned> lossResult(mlir::func::FuncOp func);

/// A new state argument. `init` null means derived from other state.
struct NewState {
  StringRef name;
  Type type;
  Role role;
  Attribute init;
  /// Parameter, loss or parameter group that it belongs to, or empty.
  StringRef of;
};

/// Adds arguments and results to a function, all at once in `finish`, because
/// one at a time costs quadratic time in the number of parameters.
class SignatureEditor {
public:
  explicit SignatureEditor(mlir::func::FuncOp func);

  /// Fails with an error when the function has an argument of that name.
  FailureOr<Value> addState(const NewState &state);
  /// Gives an argument that was there before a mark without a value.
  void markArgument(unsigned index, StringRef mark);
  /// The name of a state argument that `addState` returned.
  StringRef nameOf(Value argument) const;
  /// Adds a result with the attribute `mark` = `name`, and the mark `of` if
  /// that is not empty.
  void addResult(Value value, StringRef mark, StringRef name,
                 StringRef of = "");
  /// Adds the result that is the loss.
  void addLoss(Value value);
  /// Drops every result that carries `mark`.
  void dropResults(StringRef mark);
  /// Drops every result whose marks `isDropped` says so of.
  void dropResults(function_ref<bool(DictionaryAttr)> isDropped);
  /// Replaces the value of each result that carries `mark` by what `change`
  /// makes of the name that the mark gives it and the value.
  void changeResults(StringRef mark,
                     function_ref<Value(StringRef name, Value value)> change);
  /// Replaces the value of a result that was there before.
  void setResult(unsigned index, Value value) { results[index] = value; }
  /// Writes type, attributes and return operands. Call once, last.
  void finish();

private:
  mlir::func::FuncOp func;
  llvm::StringMap<Value> argumentOfName;
  llvm::StringMap<Value> inputOfName; ///< These are no state.
  SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
  SmallVector<Value> results;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_SIGNATURE_H

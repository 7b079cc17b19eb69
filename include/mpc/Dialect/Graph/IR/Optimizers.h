// The optimizers, by the names that `#graph.optimizer` gives them.
//
// An optimizer is its op record (Optimizer.td): the mnemonic is its name, the
// float and unit attributes are the hyperparameters that it takes from
// `#graph.optimizer`, their defaults are its own. What a record cannot say, the
// moments and how operands are passed, stands beside it in
// lib/Dialect/Graph/IR/Optimizers.cpp. Passes, the attribute's verifier and the
// texts of help ask here, and name no optimizer.
#ifndef MPC_DIALECT_GRAPH_IR_OPTIMIZERS_H
#define MPC_DIALECT_GRAPH_IR_OPTIMIZERS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include <string>

namespace mpc::graph {

/// A tensor that an optimizer keeps for a parameter, in its shape and type.
struct Moment {
  StringRef name; ///< As in the optimizer's state_dict in PyTorch.
  double initial; ///< Value of all elements before the first step.
};

/// What one parameter is updated from.
struct UpdateOperands {
  Value parameter, gradient;
  ArrayRef<Value> moments; ///< As many as `getMoments` names, in that order.
  Value lr;                ///< A scalar of the parameter's element type.
  Value step;              ///< i32: the number of this step, from 1.
};

struct OptimizerRecord {
  StringRef name;
  /// Names of the hyperparameters that it takes, as an error lists them.
  SmallVector<StringRef> hyperparameters;
  /// Each parameter is updated before all gradients are known.
  bool updatesInBackward;
  SmallVector<Moment> (*getMoments)(OptimizerAttr);
  Operation *(*build)(mlir::ImplicitLocOpBuilder &, const UpdateOperands &,
                      const SmallVector<NamedAttribute> &hyperparameters);
  /// The attribute that its op has if nobody gives one; null for flags, which
  /// are off, and for what is no attribute of the op.
  Attribute (*getOpDefault)(MLIRContext *, StringRef hyperparameter);

  bool takes(StringRef hyperparameter) const {
    return llvm::is_contained(hyperparameters, hyperparameter);
  }
  /// The value of a number that it takes when nobody gives one.
  double getRealDefault(MLIRContext *context, StringRef hyperparameter) const;
};

/// In the order in which help lists them.
ArrayRef<OptimizerRecord> allOptimizers();

/// Null if there is no optimizer `name`.
const OptimizerRecord *findOptimizer(StringRef name);
const OptimizerRecord &recordOf(OptimizerAttr optimizer);

/// "sgd, adam, ... or lomo"; with a hyperparameter, those that take it.
std::string optimizerNames(StringRef hyperparameter = "");

/// The moments of `optimizer` per parameter.
SmallVector<Moment> getMoments(OptimizerAttr optimizer);

/// Builds the op of `optimizer`. The answer is the next parameter, then for
/// each moment the next moment.
SmallVector<Value> buildUpdate(mlir::ImplicitLocOpBuilder &builder,
                               OptimizerAttr optimizer,
                               const UpdateOperands &operands);

/// Whether an optimizer of `training`, which may be null, updates parameters in
/// the backward.
bool updatesInBackward(TrainingAttr training);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_OPTIMIZERS_H

// The graph dialect and its attributes. Names of the attributes that mark the
// arguments and results of a model function stand here, once.
#ifndef MPC_DIALECT_GRAPH_IR_GRAPHDIALECT_H
#define MPC_DIALECT_GRAPH_IR_GRAPHDIALECT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mpc/Dialect/Graph/IR/Real.h"
#include "mpc/Interfaces/LLVM.h"

#include "mpc/Dialect/Graph/IR/GraphEnums.h.inc"

#include "mpc/Dialect/Graph/IR/GraphDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mpc/Dialect/Graph/IR/GraphAttrs.h.inc"

namespace mpc {
struct TargetDescription;
} // namespace mpc

namespace mpc::graph {

// Attributes of function arguments.
/// Name of a model input, a string.
constexpr StringRef kInputAttr = "graph.input";
/// Name of a parameter, a string.
constexpr StringRef kParameterAttr = "graph.parameter";
/// Unit, on a parameter: no step changes it (torch: `requires_grad` is False,
/// or `grad` is None). The model says so, or `mpc-differentiate` of one that no
/// loss depends on.
constexpr StringRef kFrozenAttr = "graph.frozen";
/// A state tensor that is not a parameter (moments, loss scale, ...): its name,
/// role and first value, a StateAttr.
constexpr StringRef kStateAttr = "graph.state";
/// On a parameter, its first value: one of the initialiser attributes.
constexpr StringRef kInitAttr = "graph.init";

/// On an input of integers: the classes that its elements name, a ClassesAttr.
constexpr StringRef kClassesAttr = "graph.classes";
/// Unit, on an input: nothing that a model returns depends on it but the loss.
constexpr StringRef kLossOnlyAttr = "graph.loss_only";

// Attributes of function results.
/// This rank-0 result is the loss (unit), or one of several that are added up,
/// with its name, a string.
constexpr StringRef kLossAttr = "graph.loss";
/// Name of an output, a string.
constexpr StringRef kOutputAttr = "graph.output";
/// Name of the parameter whose gradient this result is, a string.
constexpr StringRef kGradientAttr = "graph.gradient";
/// On a gradient: the loss whose gradient it is, where each loss has its own
/// scale, a string.
constexpr StringRef kOfAttr = "graph.of";
/// Name of the parameter group of which this result says whether its gradients
/// have an inf or NaN, a string. The update stage takes it away.
constexpr StringRef kFoundInfAttr = "graph.found_inf";
/// Unit, on an output: a loss with a name, of which the loss is the sum.
constexpr StringRef kLossTermAttr = "graph.loss_term";
/// Name of the state that this result replaces, a string.
constexpr StringRef kUpdatesAttr = "graph.updates";
// Attributes of functions.
/// How autocast decided, a dictionary: mode, precision, lists, output,
/// keep_normalization, policy (array of rules).
constexpr StringRef kAutocastAttr = "graph.autocast";

// Attributes of ops.
/// On a constant: the cotangent of the loss, from which the backward starts.
/// Unit, or the name of the loss where each has a backward of its own.
constexpr StringRef kSeedAttr = "graph.seed";
/// The autocast region that the op stands in, an AutocastRegionAttr. None: the
/// outermost, which is the model.
constexpr StringRef kRegionAttr = "graph.autocast_region";
/// Unit, on an op of the model: its results are not kept for the backward,
/// which computes them again (mpc-recompute).
constexpr StringRef kRecomputeAttr = "graph.recompute";
/// Unit, on a call of a custom op: what its implementation makes and does not
/// return is not kept either.
constexpr StringRef kRecomputeInsideAttr = "graph.recompute_inside";
/// On a product of a step: in how many chunks of rows it is to be computed,
/// with all that is as large (mpc-chunk-rows). An i64.
constexpr StringRef kChunksAttr = "graph.chunks";

// Attributes of functions.
/// How to train, a TrainingAttr. Also on the module of a device program.
constexpr StringRef kTrainingAttr = "graph.training";
/// On a module: what it is compiled for, the name of a target
/// (mpc/Interfaces/Target.h), a string. Missing: the default.
constexpr StringRef kTargetAttr = "graph.target";
/// On a module: how many bytes its program may need, and what was done for that
/// (mpc-limit-memory), a dictionary of i64: limit; chunks, the most that a
/// product is made in; recomputed, values that the backward makes again.
constexpr StringRef kMemoryLimitAttr = "graph.memory_limit";
/// The entry a function is: init, forward, accumulate, step or probe. A string.
constexpr StringRef kEntryAttr = "graph.entry";
/// Unit, on a step: it trains on one rank and reduces no gradients.
constexpr StringRef kSingleRankAttr = "graph.single_rank";

/// The target of the module that `op` is or stands in.
const TargetDescription &getTarget(Operation *op);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_GRAPHDIALECT_H

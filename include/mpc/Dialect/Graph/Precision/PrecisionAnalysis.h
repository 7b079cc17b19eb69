// Decides at which element type every op of a model runs, and why. Rewrites
// nothing: mpc-autocast follows the decisions, mpc-print-precision shows them.
//
// The analysis knows no compute op. Policy words come from AutocastOpInterface,
// overrides from PolicyRules, result types from type inference.
//
// Modes. `torch` repeats the dispatcher of PyTorch or Apex O1: op by op,
// forward, no look-ahead. `tf` repeats the painting of TensorFlow's graph
// rewrite. `whole` casts the model and lets ops run in the type of their
// operands (Apex O2 and O3, jmp). `cheapest` solves for the assignment that
// moves the fewest bytes, exactly (CastCut.h). Precision fp32 decides nothing:
// types stay as written.
//
// In all modes f64, integers and i1 are never touched, a cast that somebody
// wrote takes what it gets and gives the type that was written (mode tf alone
// may narrow what it gives, as TensorFlow does), and a function returns the
// types that it declares.
//
// Cost model of `cheapest`, in bytes moved per step: an op costs its float
// operands and results at the width at which it runs; a cast costs reading one
// width and writing the other (6 bytes per element), the cast of a parameter
// only its 16-bit copy (2 bytes: the update writes it with the value in hand),
// the cast of a constant nothing (it is folded). Arithmetic is not priced: the
// only ops that it would decide are Allow, and those are narrow by rule.
#ifndef MPC_DIALECT_GRAPH_PRECISION_PRECISIONANALYSIS_H
#define MPC_DIALECT_GRAPH_PRECISION_PRECISIONANALYSIS_H

#include "mpc/Dialect/Graph/Precision/ConstantRange.h"
#include "mpc/Dialect/Graph/Precision/PolicyRules.h"
#include "mpc/Dialect/Graph/Settings/TrainingSettings.h"

namespace mpc::graph {

struct PrecisionOptions {
  PrecisionMode mode = PrecisionMode::Cheapest;
  TorchLists lists = TorchLists::Cuda; ///< Of mode torch.
  FloatType lowp;                 ///< f16 or bf16; null for precision fp32.
  FloatType output;               ///< Of mode whole: what leaves the model.
  bool keepNormalization = false; ///< Of mode whole: such ops stay f32.
  PolicyRules *rules = nullptr;   ///< Not owned; null for none.
};

/// What a user may choose about autocast, as texts. Empty texts leave it to the
/// model's `graph.training`, and then to the defaults of Numerics.
struct AutocastChoice {
  std::string mode, precision;
  std::string lists;             ///< "cuda", "cpu", "apex": of mode torch.
  std::string output;            ///< "f32", "f16", "bf16": of mode whole.
  std::string keepNormalization; ///< "true", "false": of mode whole.
  std::string policy;            ///< Rules separated by commas.
  std::string policyFile; ///< Path of a policy file; its rules come first.
  /// Path of a range profile (PrecisionProfile.h); its rules come last. The
  /// shares of elements above which a value needs f32.
  std::string precisionProfile = {}, profileOverflow = "0",
              profileFlush = "0.1";
  /// Whether what the profile changes is told by remarks and warnings.
  bool tellsProfile = false;

  /// Adds the rules to `rules`; errors are reported at `module`.
  LogicalResult readRules(ModuleOp module, PolicyRules &rules) const;
  /// The options that the words stand for, and `numerics` where they are open,
  /// without rules; fails with an error that names the option.
  FailureOr<PrecisionOptions> parse(Numerics numerics, MLIRContext *context,
                                    PolicyRules::EmitError emitError) const;
  /// The options for one model, with `rules`; words that are left open come
  /// from its `graph.training`. Those of the
  /// profile are added to `rules`.
  FailureOr<PrecisionOptions> resolve(mlir::func::FuncOp func,
                                      PolicyRules &rules) const;

private:
  LogicalResult addProfile(mlir::func::FuncOp func, FloatType narrow,
                           PolicyRules &rules) const;
};

/// How autocast ran on `func`, from its `graph.autocast`, with the rules in
/// `rules`; nothing if it did not run. Fails with an error on words that it
/// does not know.
FailureOr<std::optional<PrecisionOptions>>
readAutocastRecord(mlir::func::FuncOp func, PolicyRules &rules);

/// How one op runs.
struct OpDecision {
  /// The policy word that was applied: "Allow", "lower_precision_fp"; "-" for
  /// an op whose types autocast leaves as they are.
  StringRef word = "-";
  /// "allow: matmul runs in f16". Empty for "-".
  std::string reason;
  /// Element type of the op's float operands; null for "-".
  FloatType type;
  /// Per operand the element type it is to have; null: as it comes.
  SmallVector<Type> operandTypes;
  /// Per operand the type that it is rounded to before; empty or null: none.
  SmallVector<FloatType> throughTypes;
  /// Types of the results.
  SmallVector<Type> resultTypes;
  /// Element type to write into the op's `dtype` attribute, or null.
  FloatType dtype;
};

/// A constant that does not fit the 16-bit type of one of its users.
struct ConstantFinding {
  Operation *constant;
  Operation *user;
  RangeFinding range;
  FloatType type;
  /// Whether it stays f32 (mode cheapest). In the other modes it is cast all
  /// the same, as the systems do that they repeat.
  bool keptWide;
};

class PrecisionAnalysis {
public:
  /// Decides for every op of `func`, whose body is one block. Fails with an
  /// error at the op that cannot be given a type.
  static FailureOr<PrecisionAnalysis> compute(mlir::func::FuncOp func,
                                              const PrecisionOptions &options);

  const OpDecision &lookup(Operation *op) const {
    return decisions.find(op)->second;
  }
  const PrecisionOptions &getOptions() const { return options; }
  ArrayRef<ConstantFinding> getFindings() const { return findings; }
  /// Cost of the cut in bytes; 0 in other modes than cheapest.
  int64_t getCost() const { return cost; }

private:
  friend class TorchPrecision;
  friend class TfPrecision;
  friend class WholePrecision;
  friend class CheapestPrecision;

  /// Records the constants that `op` reads in a type that loses them.
  void noteLostConstants(Operation *op, const OpDecision &decision);

  PrecisionOptions options;
  DenseMap<Operation *, OpDecision> decisions;
  std::vector<ConstantFinding> findings;
  int64_t cost = 0;
};

/// Bytes that the cast of `value` moves, by the cost model above.
int64_t getCastBytes(Value value);

/// Bytes of a tensor whose elements have `element`'s type.
int64_t getBytes(Type tensor, Type element);

/// The element type of `value` if it is a float other than f64, else null.
FloatType getCastableType(Value value);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_PRECISION_PRECISIONANALYSIS_H

// A range profile (mpc-run profile) as policy rules: which ops leave the range
// of the narrow type and therefore run in f32.
//
// A value of the forward needs f32 if more of its elements than a threshold
// would overflow, or flush to zero, in the narrow type. Then the op that makes
// it is denied, and so is each op that reads it, since a cast in front of that
// op would lose the same. Ops that the record already keeps in f32 need no
// rule. Values of the backward decide nothing: their range is moved by the loss
// scale. Profiles and models meet in the names of values (ValueNames.h).
#ifndef MPC_DIALECT_GRAPH_PRECISION_PRECISIONPROFILE_H
#define MPC_DIALECT_GRAPH_PRECISION_PRECISIONPROFILE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Precision/PolicyRules.h"

namespace mpc::graph {

/// Shares of elements above which a value needs f32.
struct ProfileThresholds {
  double overflow = 0, flush = 0.1;

  /// From the texts of options; fails unless both are shares from 0 to 1.
  LogicalResult parse(StringRef overflowText, StringRef flushText,
                      PolicyRules::EmitError emitError);
  /// One of them, with an error that does not name the option.
  static LogicalResult parseShare(StringRef text, double &share,
                                  PolicyRules::EmitError emitError);
};

class PrecisionProfile {
public:
  /// Reads a profile; errors name the file and the key.
  static FailureOr<PrecisionProfile> read(StringRef path,
                                          PolicyRules::EmitError emitError);

  /// Adds a rule for each op of the model `func` that needs f32 where others
  /// run in `narrow`. If `tells`, with a remark at the op that says why, and
  /// with warnings of entries that no value of the model has the name of, and
  /// of ops that no rule can name because they have no location.
  LogicalResult addRules(mlir::func::FuncOp func, mlir::FloatType narrow,
                         ProfileThresholds thresholds, bool tells,
                         PolicyRules &rules) const;

private:
  /// What one entry says of its value in one format.
  struct Loss {
    double overflow, flush;
  };
  struct Entry {
    std::string name;
    bool isMade; ///< By a pass, or state of the step: the model lacks it.
    bool isBackward;
    double largest, smallest;
    llvm::StringMap<Loss> losses; ///< By format.
  };
  class Reader;
  class Rewriter;

  std::string path;
  std::vector<Entry> entries;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_PRECISION_PRECISIONPROFILE_H

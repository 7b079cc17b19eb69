// Mode cheapest: the assignment of {f32, 16 bits} that moves the fewest bytes.
//
// Every op gets a site for its operands and one for its results (CastCut.h).
// Both are the same site unless the op computes in f32 inside (DenyIO) and lets
// its caller choose the result's type (an unset `dtype`): then the change of
// width happens inside the kernel and costs nothing.
//
// Fixed sites:  Allow narrow, Deny wide;
//               the loss and the scalar arithmetic that leads to it wide;
//               ops that a constant out of range reaches wide (see pinRanges);
//               ops on which two 16-bit types meet wide.
// The narrow type of an op is the one that it asks for, or the 16-bit type of
// its operands (as declared or, but for Allow, as made in another region), or
// its region's type if there is none. So a
// site chooses within its pair {f32, t} and the cut stays two-valued; a value
// whose users have other pairs crosses between them (CastCut.h). Ops of a
// region that is off have no site: they run as written.
#ifndef MPC_LIB_DIALECT_GRAPH_PRECISION_MODES_CHEAPESTPRECISION_H
#define MPC_LIB_DIALECT_GRAPH_PRECISION_MODES_CHEAPESTPRECISION_H

#include "mpc/Dialect/Graph/Precision/CastCut.h"
#include "mpc/Dialect/Graph/Precision/OpPolicy.h"
#include "llvm/ADT/MapVector.h"

namespace mpc::graph {

class CheapestPrecision {
public:
  explicit CheapestPrecision(PrecisionAnalysis &analysis)
      : analysis(analysis) {}

  LogicalResult run(mlir::func::FuncOp func);

private:
  /// An op with something to decide.
  struct Candidate {
    Operation *op;
    OpPolicy words;
    SmallVector<unsigned> operands = {}; ///< Those that follow `in`.
    /// Those with a rule of their own, and the type that it gives them.
    SmallVector<std::pair<unsigned, FloatType>> ruled = {};
    FloatType narrow = {};
    unsigned in = 0, out = 0; ///< Equal unless the op changes width inside.
    SmallVector<Type> wideResults = {}, narrowResults = {};
    std::string pinned = {}; ///< Why it is fixed wide against its policy.
  };
  /// Where a use takes its value, and the 16-bit type there (null: f32 only).
  struct Place {
    unsigned site;
    FloatType narrow;
  };
  /// A constant out of range, on its way to users.
  struct Taint {
    Operation *constant;
    RangeFinding range;
  };

  // Building the problem.
  LogicalResult addCandidate(Operation *op, ArrayRef<unsigned> operands);
  FloatType chooseNarrow(Operation *op, const OpPolicy &words,
                         ArrayRef<unsigned> operands) const;
  FloatType narrowOfMaker(Value value) const;
  void chooseSites(Candidate &candidate);
  LogicalResult inferResults(Candidate &candidate);
  void priceSites(const Candidate &candidate);
  void pinRanges();
  std::optional<Taint> findTaint(const Candidate &candidate, Value operand);
  std::optional<Taint> findOwnTaint(Operation *op, const Candidate &candidate);
  void spreadTaint(const Candidate &candidate, const Taint &taint,
                   bool allTainted);
  void pinLoss(mlir::func::FuncOp func);
  void pin(Candidate &candidate, unsigned site, std::string reason);
  void addValues(Block &body);
  void addValue(Value value);
  Place placeOfMaker(Value value) const;
  std::optional<Place> placeOfUse(OpOperand &use) const;
  Place placeOfType(FloatType type) const;

  // Reading the answer.
  LogicalResult writeDecision(const Candidate &candidate,
                              const std::vector<bool> &narrow);
  std::string explain(const Candidate &candidate, FloatType in,
                      FloatType out) const;

  PrecisionAnalysis &analysis;
  CastCutProblem problem;
  unsigned wideSite = 0, narrowSite = 0; ///< Of things that are not decided.
  llvm::MapVector<Operation *, Candidate> candidates;
  DenseMap<Value, Taint> taints;
};

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_PRECISION_MODES_CHEAPESTPRECISION_H

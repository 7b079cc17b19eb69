#include "mpc/Dialect/Graph/Precision/PrecisionLint.h"
#include "OpTypes.h"
#include "mlir/IR/Matchers.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "mpc/Interfaces/KernelOpInterfaces.h"
#include "mpc/Text/TypeText.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mpc;
using namespace mpc::graph;

/// The 16-bit element type of `value`, or null.
static FloatType narrowType(Value value) {
  FloatType type = getCastableType(value);
  return type && type.getWidth() == 16 ? type : FloatType();
}

/// The constant behind `value` as somebody wrote it: behind casts, too.
static mlir::ElementsAttr constantBehind(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  mlir::ElementsAttr constant;
  matchPattern(value, mlir::m_Constant(&constant));
  return constant;
}

/// The one number that a constant of floats consists of.
static std::optional<double> splatOf(mlir::ElementsAttr constant) {
  if (!constant || !constant.isSplat() ||
      !isa<FloatType>(constant.getElementType()))
    return std::nullopt;
  return constant.getSplatValue<llvm::APFloat>().convertToDouble();
}

namespace {

class Linter {
public:
  Linter(mlir::func::FuncOp func, const PrecisionOptions &options,
         const LintLimits &limits)
      : func(func), options(options), limits(limits) {}

  std::vector<LintFinding> run() {
    for (Operation &op : func.getBody().front()) {
      if (auto cast = dyn_cast<CastOp>(op))
        checkConstant(cast);
      if (!isa<AutocastOpInterface>(op))
        continue;
      checkForced(&op);
      checkSum(&op);
      checkChain(&op);
      checkGuard(&op);
    }
    checkLoss(func.getBody().front().getTerminator());
    return std::move(findings);
  }

private:
  template <typename... Args>
  void add(Operation *op, std::string fix, const char *format, Args &&...args) {
    findings.push_back(
        {op, llvm::formatv(format, std::forward<Args>(args)...).str(),
         std::move(fix)});
  }

  void checkConstant(CastOp cast) {
    auto to = dyn_cast<FloatType>(mlir::getElementTypeOrSelf(cast.getResult()));
    mlir::ElementsAttr constant;
    if (cast.getReason() || !to ||
        !matchPattern(cast.getInput(), mlir::m_Constant(&constant)))
      return;
    if (RangeFinding lost = findRangeLoss(constant, to))
      add(cast, "choose a constant within the range, or leave the cast out",
          "{0} in a cast that the model writes", describe(lost, to));
  }

  void checkForced(Operation *op) {
    auto words = cast<AutocastOpInterface>(op);
    if (words.getOwnPolicy() != AutocastPolicy::Deny || !options.rules)
      return;
    OpPolicy policy = OpPolicy::of(op, options);
    if (!policy.rule || policy.policy == AutocastPolicy::Deny)
      return;
    for (unsigned index : getRetypeableOperands(op))
      if (FloatType type = narrowType(op->getOperand(index)))
        return add(op, "drop the rule, or give it Deny",
                   "{0} needs f32, but runs in {1} by rule '{2}'",
                   shortName(op), toString(type), policy.rule->text);
  }

  void checkSum(Operation *op) {
    auto reduction = dyn_cast<ReductionOpInterface>(op);
    if (!reduction || reduction.getCombiner() != ReductionCombiner::Add)
      return;
    FloatType type = narrowType(op->getResult(0));
    auto operand = dyn_cast<mlir::ShapedType>(op->getOperand(0).getType());
    if (!type || !type.isF16() || !operand || !operand.hasStaticShape())
      return;
    int64_t count =
        countReduced(operand.getShape(), reduction.getReducedDims());
    if (count >= limits.sumElements)
      add(op,
          llvm::formatv(
              "write dtype = f32 at the op, or add the rule '{0}=Deny'",
              op->getName().getStringRef()),
          "{0} folds {1} elements into f16, which ends at 65504", shortName(op),
          count);
  }

  /// Chains are counted along first operands and reported at their end.
  void checkChain(Operation *op) {
    FloatType type =
        op->getNumResults() == 1 ? narrowType(op->getResult(0)) : FloatType();
    if (!type || !isAddition(op))
      return;
    int64_t length = 1;
    for (Value operand : op->getOperands())
      length = std::max(length, 1 + chains.lookup(operand.getDefiningOp()));
    chains[op] = length;
    bool goesOn = llvm::any_of(op->getUsers(), [&](Operation *user) {
      return user->getNumResults() == 1 && narrowType(user->getResult(0)) &&
             isAddition(user);
    });
    if (length >= limits.chainLength && !goesOn)
      add(op, "concatenate the addends and sum them, or cast the first to f32",
          "{0} additions one after the other, each rounded to {1}", length,
          toString(type));
  }

  /// A constant operand that the op gives back when the other one is zero
  /// guards the op that reads the result; so does a number of its own.
  void checkGuard(Operation *op) {
    FloatType type =
        op->getNumResults() == 1 ? narrowType(op->getResult(0)) : FloatType();
    Operation *user = type ? singularUser(op) : nullptr;
    if (!user)
      return;
    for (double guard : guardsOf(op))
      if (guard != 0 && isLostAsGuard(guard, type))
        return reportGuard(op, user, guard, type);
  }

  /// What `op` may keep its result from zero by.
  static SmallVector<double> guardsOf(Operation *op) {
    SmallVector<double> guards;
    if (op->getNumOperands() == 2)
      for (unsigned index : {0u, 1u})
        if (auto guard = splatOf(constantBehind(op->getOperand(index)));
            guard && isGuard(op, index))
          guards.push_back(*guard);
    // Of an op of one operand, the number that it makes of zero.
    if (op->getNumOperands() == 1)
      for (const llvm::APFloat &number :
           cast<AutocastOpInterface>(op).getRoundedNumbers())
        if (number.convertToDouble() > 0)
          guards.push_back(number.convertToDouble());
    return guards;
  }

  void reportGuard(Operation *op, Operation *user, double guard,
                   FloatType type) {
    std::string number;
    llvm::raw_string_ostream(number) << llvm::format("%g", guard);
    add(op,
        llvm::formatv("choose a larger constant, or add the rule '{0}=Deny'",
                      op->getName().getStringRef()),
        "{0} keeps {1} from zero by {2}, which {3} cannot hold or invert",
        shortName(op), shortName(user), number, toString(type));
    findings.back().cause = user;
  }

  static bool isLostAsGuard(double guard, FloatType type) {
    auto round = [&](double value) {
      llvm::APFloat number(value);
      bool loses = false;
      number.convert(type.getFloatSemantics(),
                     llvm::APFloat::rmNearestTiesToEven, &loses);
      return number;
    };
    llvm::APFloat held = round(guard);
    return held.isZero() || round(1 / held.convertToDouble()).isInfinity();
  }

  static Operation *singularUser(Operation *op) {
    for (OpOperand &use : op->getResult(0).getUses()) {
      auto user = dyn_cast<AutocastOpInterface>(use.getOwner());
      if (user && user.isSingularAtZero(use.getOperandNumber()))
        return user;
    }
    return nullptr;
  }

  /// What `op` gives for two numbers, by its own folder; nothing if it has
  /// none.
  static std::optional<double> evaluate(Operation *op, double lhs, double rhs) {
    SmallVector<Attribute> operands;
    const double numbers[] = {lhs, rhs};
    for (auto [value, number] : llvm::zip(op->getOperands(), numbers)) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !isa<FloatType>(type.getElementType()))
        return std::nullopt;
      Attribute element = mlir::FloatAttr::get(type.getElementType(), number);
      operands.push_back(mlir::DenseElementsAttr::get(type, element));
    }
    Operation *copy = op->clone(); // Folders may change the op in place.
    SmallVector<mlir::OpFoldResult> results;
    bool folded = succeeded(copy->fold(operands, results));
    copy->destroy();
    if (!folded || results.size() != 1)
      return std::nullopt;
    auto constant = dyn_cast_if_present<mlir::ElementsAttr>(
        llvm::dyn_cast_if_present<Attribute>(results.front()));
    return splatOf(constant);
  }

  static bool isGuard(Operation *op, unsigned index) {
    return index == 0 ? evaluate(op, 2, 0) == 2 : evaluate(op, 0, 2) == 2;
  }

  bool isAddition(Operation *op) {
    if (op->getNumOperands() != 2 || !isa<KernelBodyOpInterface>(op))
      return false;
    auto [known, isNew] = additions.try_emplace(op->getName(), false);
    if (isNew)
      known->second = evaluate(op, 2, 3) == 5;
    return known->second;
  }

  void checkLoss(Operation *terminator) {
    for (OpOperand &operand : terminator->getOpOperands()) {
      auto cast = operand.get().getDefiningOp<CastOp>();
      if (!cast || !func.getResultAttr(operand.getOperandNumber(), kLossAttr))
        continue;
      if (FloatType type = narrowType(cast.getInput()))
        add(cast.getInput().getDefiningOp() ? cast.getInput().getDefiningOp()
                                            : cast.getOperation(),
            "give the ops that make it Deny, or use a loss op, which is f32",
            "the loss is computed in {0}", toString(type));
    }
  }

  mlir::func::FuncOp func;
  const PrecisionOptions &options;
  LintLimits limits;
  std::vector<LintFinding> findings;
  DenseMap<Operation *, int64_t> chains;
  DenseMap<mlir::OperationName, bool> additions;
};

} // namespace

std::vector<LintFinding>
mpc::graph::lintPrecision(mlir::func::FuncOp func,
                          const PrecisionOptions &options,
                          const LintLimits &limits) {
  return Linter(func, options, limits).run();
}

#include "Reductions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"

using namespace mpc;
using mlir::RewriterBase;

namespace {

/// One way to make the module around an op smaller.
using Change = llvm::function_ref<void(Operation *, RewriterBase &)>;

/// Tries changes on a copy of the module before they are made. MLIR's reducer
/// needs that: it takes for granted that a pattern which is applied wherever it
/// can be leaves an interesting module.
class Trial {
public:
  explicit Trial(const mlir::Tester &tester) : tester(tester) {}

  LogicalResult make(Operation *op, RewriterBase &rewriter,
                     Change change) const {
    mlir::IRMapping copies;
    mlir::OwningOpRef<ModuleOp> copy =
        cast<ModuleOp>(op->getParentOfType<ModuleOp>()->clone(copies));
    mlir::IRRewriter ofCopy(op->getContext());
    change(copies.lookup(op), ofCopy);
    if (tester.isInteresting(*copy).first !=
        mlir::Tester::Interestingness::True)
      return failure();
    change(op, rewriter);
    return success();
  }

private:
  const mlir::Tester &tester;
};

/// Erases what made `values` as far as nothing reads it any more.
void eraseUnused(SmallVector<Value> values, RewriterBase &rewriter) {
  while (!values.empty()) {
    Operation *maker = values.pop_back_val().getDefiningOp();
    if (!maker || !mlir::isOpTriviallyDead(maker))
      continue;
    llvm::append_range(values, maker->getOperands());
    // A value that was read twice is listed twice.
    llvm::erase_if(values,
                   [&](Value value) { return value.getDefiningOp() == maker; });
    rewriter.eraseOp(maker);
  }
}

void replaceAndClean(Operation *op, ValueRange replacements,
                     RewriterBase &rewriter) {
  SmallVector<Value> operands = llvm::to_vector(op->getOperands());
  rewriter.replaceOp(op, replacements);
  eraseUnused(std::move(operands), rewriter);
}

void replaceByZeros(Operation *op, RewriterBase &rewriter) {
  SmallVector<Value> zeros;
  rewriter.setInsertionPoint(op);
  for (Type type : op->getResultTypes())
    zeros.push_back(graph::ConstantOp::create(
        rewriter, op->getLoc(),
        cast<mlir::ElementsAttr>(rewriter.getZeroAttr(type))));
  replaceAndClean(op, zeros, rewriter);
}

/// Whether `op` is valid without its last operand: that is one which it may
/// miss.
bool mayMissLast(Operation *op) {
  if (op->getNumOperands() < 2 || op->getNumRegions() > 0 ||
      op->hasTrait<mlir::OpTrait::AttrSizedOperandSegments>() ||
      isa<mlir::SymbolUserOpInterface>(op))
    return false;
  mlir::ScopedDiagnosticHandler quiet(
      op->getContext(), [](mlir::Diagnostic &) { return success(); });
  Operation *copy = op->clone();
  copy->eraseOperand(copy->getNumOperands() - 1);
  bool isValid = succeeded(copy->getName().verifyInvariants(copy));
  copy->destroy();
  return isValid;
}

void eraseLast(Operation *op, RewriterBase &rewriter) {
  unsigned last = op->getNumOperands() - 1;
  Value operand = op->getOperand(last);
  rewriter.modifyOpInPlace(op, [&] { op->eraseOperand(last); });
  eraseUnused({operand}, rewriter);
}

/// An op of the graph dialect without its work, or without an operand that it
/// may miss.
class DropWork final : public mlir::RewritePattern {
public:
  DropWork(MLIRContext *context, const mlir::Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        trial(tester) {}

  LogicalResult
  matchAndRewrite(Operation *op,
                  mlir::PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<graph::GraphDialect>(op->getDialect()) ||
        op->hasTrait<mlir::OpTrait::ConstantLike>() || op->getNumResults() == 0)
      return failure();
    bool hasZeros = llvm::all_of(op->getResultTypes(), [&](Type type) {
      return isa_and_nonnull<mlir::ElementsAttr>(rewriter.getZeroAttr(type));
    });
    if (hasZeros && succeeded(trial.make(op, rewriter, replaceByZeros)))
      return success();
    if (op->getNumResults() > 1)
      return failure();
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (op->getOperand(i).getType() == op->getResult(0).getType() &&
          succeeded(
              trial.make(op, rewriter, [i](Operation *op, RewriterBase &r) {
                replaceAndClean(op, op->getOperand(i), r);
              })))
        return success();
    return success(mayMissLast(op) &&
                   succeeded(trial.make(op, rewriter, eraseLast)));
  }

private:
  Trial trial;
};

/// A function without a result that nobody needs, or an unused argument.
class DropFromSignature final
    : public mlir::OpRewritePattern<mlir::func::FuncOp> {
public:
  DropFromSignature(MLIRContext *context, const mlir::Tester &tester)
      : OpRewritePattern(context), trial(tester) {}

  LogicalResult
  matchAndRewrite(mlir::func::FuncOp function,
                  mlir::PatternRewriter &rewriter) const override {
    if (function.isExternal() || !function.getBody().hasOneBlock())
      return failure();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (succeeded(trial.make(
              function, rewriter, [i](Operation *op, RewriterBase &rewriter) {
                eraseResult(cast<mlir::func::FuncOp>(op), i, rewriter);
              })))
        return success();
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgument(i).use_empty() &&
          succeeded(trial.make(
              function, rewriter, [i](Operation *op, RewriterBase &rewriter) {
                rewriter.modifyOpInPlace(op, [&] {
                  (void)cast<mlir::func::FuncOp>(op).eraseArgument(i);
                });
              })))
        return success();
    return failure();
  }

private:
  static void eraseResult(mlir::func::FuncOp function, unsigned index,
                          RewriterBase &rewriter) {
    Operation *end = function.getBody().front().getTerminator();
    Value value = end->getOperand(index);
    rewriter.modifyOpInPlace(end, [&] { end->eraseOperand(index); });
    rewriter.modifyOpInPlace(function,
                             [&] { (void)function.eraseResult(index); });
    eraseUnused({value}, rewriter);
  }

  Trial trial;
};

struct GraphReductions final : mlir::DialectReductionPatternInterface {
  explicit GraphReductions(mlir::Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(mlir::RewritePatternSet &) const override {}
  void
  populateReductionPatternsWithTester(mlir::RewritePatternSet &patterns,
                                      mlir::Tester &tester) const override {
    patterns.add<DropWork, DropFromSignature>(patterns.getContext(), tester);
  }
};

} // namespace

void reduce::registerReductions(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, graph::GraphDialect *dialect) {
    dialect->addInterfaces<GraphReductions>();
  });
}

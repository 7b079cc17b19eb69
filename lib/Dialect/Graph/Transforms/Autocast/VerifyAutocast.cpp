// Gate of stage autocast: no op runs at a precision that its policy forbids,
// the float operands of an op have one type, loss and master values are wide,
// every cast of autocast has its reason and leaves f64 alone.
// How autocast ran is read from `graph.autocast` on the function; a function
// without it, or with precision fp32, has its types as written, and only the
// checks that need no policy apply.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/Precision/OpPolicy.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"

namespace mpc::graph {
#define GEN_PASS_DEF_VERIFYAUTOCAST
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;

namespace {

bool isWide(Type type) {
  Type element = mlir::getElementTypeOrSelf(type);
  return element.isF32() || element.isF64();
}

/// Points from an operand of the wrong type to the cast that made it so.
void noteCast(InFlightDiagnostic &diagnostic, Value operand) {
  if (auto cast = operand.getDefiningOp<CastOp>())
    diagnostic.attachNote(cast.getLoc())
        << "cast here"
        << (cast.getReason() ? " because " + cast.getReason().str() : "");
}

class Checker {
public:
  Checker(mlir::func::FuncOp func, std::optional<PrecisionOptions> options)
      : func(func), options(options) {}

  LogicalResult run() {
    LogicalResult result = checkSignature();
    for (Operation &op : func.getBody().front()) {
      if (auto cast = dyn_cast<CastOp>(op)) {
        if (failed(checkCast(cast)))
          result = failure();
        continue;
      }
      if (isa<AutocastOpInterface>(op) && failed(checkOp(&op)))
        result = failure();
    }
    return result;
  }

private:
  LogicalResult checkSignature() {
    for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
      if (auto name = func.getArgAttrOfType<StringAttr>(i, kParameterAttr);
          name && getCastableType(func.getArgument(i)) &&
          !isWide(func.getArgument(i).getType()))
        return func.emitError("expected parameter '")
               << name.getValue() << "' to be f32 or f64, the type of its "
               << "master value, but got " << func.getArgument(i).getType();
    return success();
  }

  LogicalResult checkCast(CastOp cast) {
    if (!cast.getReason())
      return success(); // Somebody wrote it, whatever it is.
    if (cast.getReason().getValue().trim().empty())
      return cast.emitOpError("expected a reason after 'because'");
    Type from = mlir::getElementTypeOrSelf(cast.getInput());
    Type to = mlir::getElementTypeOrSelf(cast.getResult());
    if (!isa<FloatType>(from) || !isa<FloatType>(to) || from.isF64() ||
        to.isF64())
      return cast.emitOpError("expected autocast to touch only f32, f16 and "
                              "bf16, but got ")
             << from << " to " << to;
    return success();
  }

  /// The float type that the policy of `op` demands, or null for none.
  FloatType demandedType(Operation *op, const OpPolicy &words,
                         StringRef &word) {
    if (!options->lowp || !words.enabled || isImplementation(words.region))
      return {};
    FloatType f32 = mlir::Float32Type::get(op->getContext());
    if (words.forced) {
      word = "cast_inputs";
      return words.forced;
    }
    if (options->mode == PrecisionMode::Torch && !words.rule) {
      word = stringifyTorchPolicy(words.torch);
      if (words.torch == TorchPolicy::Fp32 ||
          words.torch == TorchPolicy::Banned)
        return f32;
      return words.torch == TorchPolicy::LowerPrecisionFp ? words.lowp
                                                          : FloatType();
    }
    word = stringifyAutocastPolicy(words.policy);
    bool denies = options->mode == PrecisionMode::Cheapest ||
                  (words.rule && options->mode != PrecisionMode::TensorFlow);
    return denies && words.policy == AutocastPolicy::Deny ? f32 : FloatType();
  }

  /// The word by which `op` takes no cast to 16 bits of ours (what somebody
  /// wrote in 16 bits stays): empty for none.
  StringRef refusesNarrowing(Operation *op, const OpPolicy &words) {
    if (!options || !options->lowp || words.rule)
      return "";
    if (!words.enabled && options->mode != PrecisionMode::Torch &&
        !isImplementation(words.region))
      return "off";
    auto autocast = cast<AutocastOpInterface>(op);
    if (options->mode == PrecisionMode::Whole)
      return options->keepNormalization && autocast.isNormalization()
                 ? "normalization"
                 : "";
    if (options->mode != PrecisionMode::TensorFlow)
      return "";
    TensorFlowPolicy place = autocast.getOwnTensorFlowPolicy(
        options->lowp.isBF16() ? TensorFlowLists::Bf16 : TensorFlowLists::Fp16);
    return place == TensorFlowPolicy::Deny ||
                   place == TensorFlowPolicy::Unlisted
               ? stringifyTensorFlowPolicy(place)
               : "";
  }

  LogicalResult checkNarrowing(Operation *op, const OpPolicy &words,
                               OpOperand &operand) {
    auto cast = operand.get().getDefiningOp<CastOp>();
    if (!cast || !cast.getReason() || isWide(cast.getType()))
      return success();
    StringRef word = refusesNarrowing(op, words);
    if (word.empty())
      return success();
    InFlightDiagnostic error =
        op->emitOpError("expected autocast to leave it wide by policy ")
        << word << ", but operand #" << operand.getOperandNumber()
        << " is cast to " << getCastableType(operand.get());
    noteCast(error, operand.get());
    return error;
  }

  LogicalResult checkOp(Operation *op) {
    auto autocast = cast<AutocastOpInterface>(op);
    StringRef word;
    OpPolicy words;
    FloatType demanded, common;
    if (options) {
      words = OpPolicy::of(op, *options);
      demanded = demandedType(op, words, word);
    }
    for (OpOperand &operand : op->getOpOperands()) {
      FloatType type = getCastableType(operand.get());
      if (!type || !autocast.isRetypeable(operand.getOperandNumber()))
        continue;
      if (const PolicyRule *rule =
              words.operandRules.findOperand(operand.getOperandNumber())) {
        if (failed(checkRuled(op, operand, *rule)))
          return failure();
        continue;
      }
      if (failed(checkNarrowing(op, words, operand)))
        return failure();
      if (demanded && type != demanded)
        return refuse(op, operand, [&](InFlightDiagnostic &error) {
          error << "expected float operands in " << demanded << " by policy "
                << word << ", but operand #" << operand.getOperandNumber()
                << " is " << type;
        });
      if (common && type != common && !autocast.takesMixedTypes())
        return refuse(op, operand, [&](InFlightDiagnostic &error) {
          error << "expected float operands of one type, but got " << common
                << " and " << type << " at operand #"
                << operand.getOperandNumber();
        });
      common = type;
    }
    return checkResults(op, demanded, common, word);
  }

  /// An operand with a rule of its own.
  LogicalResult checkRuled(Operation *op, OpOperand &operand,
                           const PolicyRule &rule) {
    bool wantsWide = rule.policy == AutocastPolicy::Deny;
    if (!options->lowp || isWide(operand.get().getType()) == wantsWide)
      return success();
    return refuse(op, operand, [&](InFlightDiagnostic &error) {
      error << "expected operand #" << operand.getOperandNumber() << " in "
            << (wantsWide ? "f32" : "16 bits") << " by rule '" << rule.text
            << "', but got " << getCastableType(operand.get());
    });
  }

  LogicalResult refuse(Operation *op, OpOperand &operand,
                       function_ref<void(InFlightDiagnostic &)> write) {
    InFlightDiagnostic error = op->emitOpError();
    write(error);
    noteCast(error, operand.get());
    return error;
  }

  LogicalResult checkResults(Operation *op, FloatType demanded,
                             FloatType operands, StringRef word) {
    if (!operands || !demanded || !demanded.isF32())
      return success();
    for (OpResult result : op->getResults())
      if (FloatType type = getCastableType(result); type && !type.isF32())
        return op->emitOpError("expected f32 results by policy ")
               << word << ", but result #" << result.getResultNumber() << " is "
               << type;
    return success();
  }

  mlir::func::FuncOp func;
  std::optional<PrecisionOptions> options;
};

struct VerifyAutocast final : impl::VerifyAutocastBase<VerifyAutocast> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(mlir::verify(getOperation())))
      return signalPassFailure();
    bool ok = true;
    for (auto func : getOperation().getOps<mlir::func::FuncOp>()) {
      if (func.isExternal())
        continue;
      PolicyRules rules;
      auto options = readAutocastRecord(func, rules);
      ok &= succeeded(options) && succeeded(Checker(func, *options).run());
    }
    if (!ok)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

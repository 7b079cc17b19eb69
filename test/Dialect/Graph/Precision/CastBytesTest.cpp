// Mode cheapest against the other modes on random models: never more cast
// bytes, by one measure (getCastBytes).
//
// The comparison is between assignments that keep what cheapest promises: Allow
// ops in 16 bits, Deny ops in f32. Where a mode breaks a promise (tf leaves an
// Allow op wide that is fetched; whole and PyTorch's CPU lists run exp in 16
// bits) it buys fewer casts with something else, and cheapest is freed of that
// promise, op by op, by a rule. Then the mode's assignment is one of those that
// cheapest chooses from, so that its minimum is never larger.
#include "RandomModel.h"
#include "mlir/IR/Verifier.h"
#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::graph;

namespace {

/// The casts that follow from decisions, and their bytes: per use in mode torch
/// except for parameters, once per (value, type) otherwise.
class CastCounter {
public:
  CastCounter(mlir::func::FuncOp func, const PrecisionAnalysis &analysis)
      : func(func), analysis(analysis),
        perUse(analysis.getOptions().mode == PrecisionMode::Torch) {}

  int64_t count() {
    for (Operation &op : func.getBody().front())
      for (auto [index, value] : llvm::enumerate(op.getOperands())) {
        const OpDecision &decision = analysis.lookup(&op);
        Type through = decision.throughTypes.empty()
                           ? Type()
                           : Type(decision.throughTypes[index]);
        Type type = castTo(value, typeNow(value), through);
        castTo(value, type, decision.operandTypes[index]);
      }
    return bytes;
  }

private:
  Type typeNow(Value value) const {
    auto result = dyn_cast<OpResult>(value);
    Type type = result ? analysis.lookup(result.getOwner())
                             .resultTypes[result.getResultNumber()]
                       : value.getType();
    return mlir::getElementTypeOrSelf(type);
  }

  Type castTo(Value value, Type from, Type wanted) {
    if (!wanted || wanted == from)
      return from;
    auto argument = dyn_cast<mlir::BlockArgument>(value);
    bool cached =
        argument && func.getArgAttr(argument.getArgNumber(), kParameterAttr);
    if (seen.insert({value, wanted}).second || (perUse && !cached))
      bytes += getCastBytes(value);
    return wanted;
  }

  mlir::func::FuncOp func;
  const PrecisionAnalysis &analysis;
  bool perUse;
  DenseSet<std::pair<Value, Type>> seen;
  int64_t bytes = 0;
};

/// Frees cheapest of its promises where `theirs` does not keep them; how often.
unsigned freePromises(mlir::func::FuncOp func, const PrecisionAnalysis &theirs,
                      PolicyRules &rules) {
  unsigned freed = 0;
  for (Operation &op : func.getBody().front()) {
    auto autocast = dyn_cast<AutocastOpInterface>(op);
    FloatType type = theirs.lookup(&op).type;
    if (!autocast || !type)
      continue;
    AutocastPolicy policy = autocast.getAutocastPolicy();
    if ((policy != AutocastPolicy::Allow || !type.isF32()) &&
        (policy != AutocastPolicy::Deny || type.isF32()))
      continue;
    auto name = cast<mlir::NameLoc>(op.getLoc()).getName().getValue();
    EXPECT_TRUE(succeeded(rules.addRule(("loc:" + name + "=Infer").str(), [&] {
      return mlir::emitError(op.getLoc());
    })));
    ++freed;
  }
  return freed;
}

struct Mode {
  const char *name;
  PrecisionMode mode;
  TorchLists lists;
  bool keepNormalization = false;
};

/// How a run over many models went.
struct Tally {
  unsigned fewer = 0; ///< Models on which cheapest casts less.
  unsigned freed = 0; ///< Models on which it was freed of a promise.
};

void compare(MLIRContext &context, unsigned seed, const Mode &mode,
             Tally &tally) {
  RandomModel model(context, seed);
  ASSERT_TRUE(succeeded(mlir::verify(*model.module)));
  PrecisionOptions options;
  options.lowp = seed % 2 ? FloatType(mlir::Float16Type::get(&context))
                          : FloatType(mlir::BFloat16Type::get(&context));
  options.output = mlir::Float32Type::get(&context);
  options.priceOps = false;
  PrecisionOptions other = options;
  other.mode = mode.mode;
  other.lists = mode.lists;
  other.keepNormalization = mode.keepNormalization;
  auto theirs = PrecisionAnalysis::compute(model.func, other);
  ASSERT_TRUE(succeeded(theirs));
  PolicyRules rules;
  tally.freed += freePromises(model.func, *theirs, rules) != 0;
  options.rules = &rules;
  auto ours = PrecisionAnalysis::compute(model.func, options);
  ASSERT_TRUE(succeeded(ours));
  int64_t ourBytes = CastCounter(model.func, *ours).count();
  int64_t theirBytes = CastCounter(model.func, *theirs).count();
  EXPECT_LE(ourBytes, theirBytes) << "seed " << seed;
  EXPECT_EQ(ourBytes, ours->getCost()) << "seed " << seed;
  tally.fewer += ourBytes < theirBytes;
}

class CheapestAgainst : public testing::TestWithParam<Mode> {};

TEST_P(CheapestAgainst, NeverMoreCastBytes) {
  MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, GraphDialect>();
  Tally tally;
  constexpr unsigned kModels = 800;
  for (unsigned seed = 0; seed < kModels; ++seed)
    compare(context, seed, GetParam(), tally);
  // The comparison is not vacuous, neither in what it finds nor because
  // cheapest was freed of everything.
  EXPECT_GT(tally.fewer, kModels / 10);
  bool keepsPromises = GetParam().mode == PrecisionMode::Torch &&
                       GetParam().lists != TorchLists::Cpu;
  EXPECT_LT(tally.freed, keepsPromises ? 1 : kModels * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(
    Modes, CheapestAgainst,
    testing::Values(Mode{"TorchCuda", PrecisionMode::Torch, TorchLists::Cuda},
                    Mode{"TorchCpu", PrecisionMode::Torch, TorchLists::Cpu},
                    Mode{"Apex", PrecisionMode::Torch, TorchLists::Apex},
                    Mode{"TensorFlow", PrecisionMode::TensorFlow,
                         TorchLists::Cuda},
                    Mode{"Whole", PrecisionMode::Whole, TorchLists::Cuda},
                    Mode{"WholeKeepsNormalization", PrecisionMode::Whole,
                         TorchLists::Cuda, true}),
    [](const auto &info) { return info.param.name; });

} // namespace

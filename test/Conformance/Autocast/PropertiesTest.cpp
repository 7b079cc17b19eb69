// B17 and B18, properties of every graph, on random models and on the models of
// the repository, in every mode.
#include "Dialect/Graph/Precision/RandomModel.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::graph;

namespace {

struct Mode {
  const char *name, *mode, *precision, *lists;
  const char *keepNormalization = "";
};

/// What runs before a property is checked.
enum class Passes { Autocast, FoldCasts, Differentiate };

class AutocastProperty : public testing::TestWithParam<Mode> {
protected:
  AutocastProperty() {
    context.loadDialect<mlir::func::FuncDialect, GraphDialect>();
  }

  /// Runs autocast, and what of the pipeline follows it up to `last`.
  void run(ModuleOp module, Passes last) {
    mlir::PassManager pm(&context);
    AutocastOptions options;
    options.mode = GetParam().mode;
    options.precision = GetParam().precision;
    options.lists = GetParam().lists;
    options.keepNormalization = GetParam().keepNormalization;
    pm.addPass(createInlineRegions());
    pm.addPass(createAutocast(options));
    if (last != Passes::Autocast)
      pm.addPass(createInlineCustom());
    pm.addPass(createVerifyAutocast());
    if (last == Passes::Differentiate) {
      pm.addPass(createNumberRandom());
      pm.addPass(createDifferentiate());
    }
    if (last == Passes::FoldCasts)
      pm.addPass(createFoldCasts());
    ASSERT_TRUE(succeeded(pm.run(module)));
  }

  /// Calls `check` with random models and with those of the repository.
  void forEachModel(Passes last,
                    function_ref<void(ModuleOp, std::string)> check) {
    mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &d) {
      return success(d.getSeverity() == mlir::DiagnosticSeverity::Warning ||
                     d.getSeverity() == mlir::DiagnosticSeverity::Note);
    });
    for (unsigned seed = 0; seed < 300; ++seed) {
      RandomModel model(context, seed, /*hasLoss=*/true);
      run(*model.module, last);
      check(*model.module, "seed " + std::to_string(seed));
    }
    for (const std::string &path : findModels()) {
      auto module = mlir::parseSourceFile<ModuleOp>(path, &context);
      ASSERT_TRUE(module) << path;
      run(*module, last);
      check(*module, path);
    }
  }

  static std::vector<std::string> findModels() {
    std::vector<std::string> paths;
    for (const char *folder :
         {"/examples/digits", "/examples/embed", "/test/Numerics/Programs"}) {
      std::error_code error;
      for (llvm::sys::fs::directory_iterator
               it(std::string(MPC_SOURCE_DIR) + folder, error),
           end;
           it != end && !error; it.increment(error))
        if (StringRef(it->path()).ends_with(".mlir"))
          paths.push_back(it->path());
    }
    EXPECT_GT(paths.size(), 8u);
    return paths;
  }

  MLIRContext context;
};

/// What a property must be seen on, over all models: one per model.
constexpr unsigned kLeast = 300;

/// Whether autocast put `cast` in.
bool isOurs(CastOp cast) { return cast && cast.getReason(); }

/// What B17 compares: the casts of autocast.
class CastCheck {
public:
  /// `isPerUse`: casts may be repeated, one per use, but not for parameters.
  CastCheck(ModuleOp module, bool isPerUse, const std::string &name)
      : isPerUse(isPerUse), name(name) {
    module.walk([&](CastOp cast) {
      if (isOurs(cast))
        check(cast);
    });
  }
  unsigned count = 0;

private:
  void check(CastOp cast) {
    ++count;
    Value input = cast.getInput();
    EXPECT_FALSE(isOurs(input.getDefiningOp<CastOp>())) << name;
    if (!isPerUse || isParameter(input))
      EXPECT_TRUE(seen.insert({input, cast.getType()}).second) << name;
    else
      EXPECT_TRUE(cast.getResult().hasOneUse()) << name;
  }

  static bool isParameter(Value value) {
    auto argument = dyn_cast<mlir::BlockArgument>(value);
    return argument &&
           cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp())
               .getArgAttr(argument.getArgNumber(), kParameterAttr);
  }

  bool isPerUse;
  const std::string &name;
  DenseSet<std::pair<Value, Type>> seen;
};

// No value goes through two casts of autocast, so that there is no pair wide ->
// narrow -> wide, and at most one cast exists for each (value, type). Mode
// torch casts per use, as PyTorch casts per call.
TEST_P(AutocastProperty, B17_CastsAreSingle) {
  unsigned count = 0;
  bool isTorch = StringRef(GetParam().mode) == "torch";
  forEachModel(Passes::Autocast, [&](ModuleOp module, const std::string &name) {
    count += CastCheck(module, isTorch, name).count;
  });
  EXPECT_GT(count, kLeast);
}

// After mpc-fold-casts the same holds in every mode, per value in torch too.
TEST_P(AutocastProperty, B17_FoldedCastsAreSingle) {
  unsigned count = 0;
  forEachModel(Passes::FoldCasts,
               [&](ModuleOp module, const std::string &name) {
                 count += CastCheck(module, /*isPerUse=*/false, name).count;
               });
  EXPECT_GT(count, kLeast);
}

/// What an op of the forward pass may compute its gradient in.
struct PrimalTypes {
  llvm::SmallDenseSet<Type, 4> own; ///< Types of its float operands, results.
  bool computesWide = false;        ///< f32 inside, whatever it reads.
};

FloatType floatTypeOf(Value value) { return getCastableType(value); }

void addTypes(Operation *op, PrimalTypes &types) {
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                         SmallVector<Value>(op->getResults())))
    if (FloatType type = floatTypeOf(value))
      types.own.insert(type);
  if (auto autocast = dyn_cast<AutocastOpInterface>(op)) {
    AutocastPolicy policy = autocast.getAutocastPolicy();
    types.computesWide |=
        policy == AutocastPolicy::Deny || policy == AutocastPolicy::DenyIO;
  }
}

/// The listed exceptions: gradients that are wider than their primal.
bool hasWiderGradient(Operation *op) {
  auto name = cast<mlir::NameLoc>(op->getLoc()).getName().getValue();
  // The number of maxima is counted in f32, for f16 ends at 65504.
  return name == "gradient of graph.max";
}

/// The location of the op whose gradient `op` is of, or none.
std::optional<Location> primalOf(Operation *op) {
  auto named = dyn_cast<mlir::NameLoc>(op->getLoc());
  if (!named || !named.getName().getValue().starts_with("gradient of "))
    return std::nullopt;
  return named.getChildLoc();
}

// An op of the backward pass computes in a type of its primal: in f32 if the
// primal runs in f32, in 16 bits if it runs in 16 bits. An op that computes in
// f32 inside (DenyIO, and Deny where a mode runs it narrow) has its gradient in
// f32, and so have the listed exceptions.
class GradientCheck {
public:
  GradientCheck(mlir::func::FuncOp func, const std::string &name) : name(name) {
    Block &body = func.getBody().front();
    for (Operation &op : body)
      if (!primalOf(&op))
        addTypes(&op, primals[op.getLoc()]);
    for (Operation &op : body)
      if (auto primal = primalOf(&op); primal && !isa<CastOp, ConstantOp>(op))
        check(op, *primal);
  }
  unsigned count = 0; ///< Operands that were compared.

private:
  void check(Operation &op, Location primal) {
    std::string opName = op.getName().getStringRef().str();
    auto known = primals.find(primal);
    ASSERT_NE(known, primals.end())
        << name << ": " << opName << " has no primal";
    const PrimalTypes &types = known->second;
    for (Value operand : op.getOperands()) {
      FloatType type = floatTypeOf(operand);
      if (!type)
        continue;
      ++count;
      EXPECT_TRUE(
          types.own.contains(type) ||
          (type.isF32() && (types.computesWide || hasWiderGradient(&op))))
          << name << ": " << opName;
    }
  }

  const std::string &name;
  DenseMap<Location, PrimalTypes> primals;
};

TEST_P(AutocastProperty, B18_GradientsRunInTheClassOfTheirPrimal) {
  unsigned count = 0;
  auto check = [&](ModuleOp module, const std::string &name) {
    for (auto func : module.getOps<mlir::func::FuncOp>())
      count += GradientCheck(func, name).count;
  };
  forEachModel(Passes::Differentiate, check);
  EXPECT_GT(count, kLeast);
}

INSTANTIATE_TEST_SUITE_P(
    Modes, AutocastProperty,
    testing::Values(Mode{"Cheapest", "cheapest", "fp16", ""},
                    Mode{"CheapestBf16", "cheapest", "bf16", ""},
                    Mode{"TorchCuda", "torch", "fp16", "cuda"},
                    Mode{"TorchCpu", "torch", "bf16", "cpu"},
                    Mode{"Apex", "torch", "fp16", "apex"},
                    Mode{"TensorFlow", "tf", "fp16", ""},
                    Mode{"TensorFlowBf16", "tf", "bf16", ""},
                    Mode{"Whole", "whole", "fp16", ""},
                    Mode{"WholeKeepsNormalization", "whole", "fp16", "",
                         "true"}),
    [](const auto &info) { return info.param.name; });

} // namespace

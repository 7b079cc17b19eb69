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

class AutocastProperty : public testing::TestWithParam<Mode> {
protected:
  AutocastProperty() {
    context.loadDialect<mlir::func::FuncDialect, GraphDialect>();
  }

  /// Runs autocast as the pipeline does, and then autodiff, or the pass that
  /// merges casts.
  void run(ModuleOp module, bool differentiates) {
    mlir::PassManager pm(&context);
    AutocastOptions options;
    options.mode = GetParam().mode;
    options.precision = GetParam().precision;
    options.lists = GetParam().lists;
    options.keepNormalization = GetParam().keepNormalization;
    pm.addPass(createInlineRegions());
    pm.addPass(createAutocast(options));
    pm.addPass(createInlineCustom());
    pm.addPass(createVerifyAutocast());
    if (differentiates)
      pm.addPass(createDifferentiate());
    else
      pm.addPass(createFoldCasts()); // Mode torch casts per call.
    ASSERT_TRUE(succeeded(pm.run(module)));
  }

  /// Calls `check` with random models and with those of the repository.
  void forEachModel(bool differentiates,
                    function_ref<void(ModuleOp, std::string)> check) {
    mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &d) {
      return success(d.getSeverity() == mlir::DiagnosticSeverity::Warning ||
                     d.getSeverity() == mlir::DiagnosticSeverity::Note);
    });
    for (unsigned seed = 0; seed < 300; ++seed) {
      RandomModel model(context, seed, /*hasLoss=*/true);
      run(*model.module, differentiates);
      check(*model.module, "seed " + std::to_string(seed));
    }
    for (const std::string &path : findModels()) {
      auto module = mlir::parseSourceFile<ModuleOp>(path, &context);
      ASSERT_TRUE(module) << path;
      run(*module, differentiates);
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

/// Whether autocast put `cast` in.
bool isOurs(CastOp cast) { return cast && cast.getReason(); }

// No value goes through two casts of autocast, so that there is no pair wide ->
// narrow -> wide, and at most one cast exists for each (value, type).
TEST_P(AutocastProperty, B17_CastsAreSingle) {
  forEachModel(false, [](ModuleOp module, const std::string &name) {
    DenseSet<std::pair<Value, Type>> seen;
    module.walk([&](CastOp cast) {
      if (!isOurs(cast))
        return;
      EXPECT_FALSE(isOurs(cast.getInput().getDefiningOp<CastOp>())) << name;
      EXPECT_TRUE(seen.insert({cast.getInput(), cast.getType()}).second)
          << name;
    });
  });
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
TEST_P(AutocastProperty, B18_GradientsRunInTheClassOfTheirPrimal) {
  forEachModel(true, [](ModuleOp module, const std::string &name) {
    for (auto func : module.getOps<mlir::func::FuncOp>()) {
      DenseMap<Location, PrimalTypes> primals;
      for (Operation &op : func.getBody().front())
        if (!primalOf(&op))
          addTypes(&op, primals[op.getLoc()]);
      for (Operation &op : func.getBody().front()) {
        std::optional<Location> primal = primalOf(&op);
        if (!primal || isa<CastOp, ConstantOp>(op) || !primals.count(*primal))
          continue;
        const PrimalTypes &types = primals[*primal];
        for (Value operand : op.getOperands())
          if (FloatType type = floatTypeOf(operand))
            EXPECT_TRUE(
                types.own.contains(type) ||
                (type.isF32() && (types.computesWide || hasWiderGradient(&op))))
                << name << ": " << op.getName().getStringRef().str();
      }
    }
  });
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

// No kernel stores a wide copy of a value that is in memory in 16 bits: asked
// about random graphs of 16-bit values whose widening casts have several
// consumers, pointwise, reductions, softmax and norms, forward and with
// gradients.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>
#include <random>

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

//===-- Random graphs -----------------------------------------------------===//

/// Writes a function of matrices: products of 16 bits, what is computed of
/// them in f32, and what is rounded for the next product.
class RandomLayers {
public:
  RandomLayers(unsigned seed, bool isModel) : rng(seed), isModel(isModel) {}

  std::string write() {
    rows = pick(8, 64), columns = pick(8, 48);
    narrow = draw(2) ? "bf16" : "f16";
    addArgument("x", matrix("f32"), "graph.input");
    std::string value = cast("%x", "f32", narrow);
    for (int layer = 0, layers = pick(1, 3); layer < layers; ++layer)
      value = writeLayer(value, layer);
    std::string wide = cast(value, narrow, "f32");
    std::string loss =
        define(llvm::formatv("graph.mean {0} dims = [0, 1] : ({1}) -> {2}",
                             wide, matrix("f32"), "tensor<f32>"));
    std::string results = "tensor<f32>", returned = loss;
    if (isModel)
      results += " {graph.loss}";
    for (auto [name, type] : outputs) {
      results += ", " + type;
      if (isModel)
        results += " {graph.output = \"" + name.substr(1) + "\"}";
      returned += ", " + name;
    }
    std::string types = "tensor<f32>";
    for (auto &output : outputs)
      types += ", " + output.second;
    return "func.func @f(" + arguments + ") -> (" + results + ") {\n" + body +
           "  return " + returned + " : " + types + "\n}\n";
  }

private:
  int pick(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(rng);
  }
  bool draw(int oneIn) { return pick(1, oneIn) == 1; }
  std::string matrix(const std::string &element) const {
    return llvm::formatv("tensor<{0}x{1}x{2}>", rows, columns, element);
  }
  std::string column() const {
    return llvm::formatv("tensor<{0}x1xf32>", rows);
  }
  std::string row() const { return llvm::formatv("tensor<{0}xf32>", columns); }
  std::string define(const std::string &op) {
    std::string name = "%v" + std::to_string(next++);
    body += "  " + name + " = " + op + "\n";
    return name;
  }
  void addArgument(const std::string &name, const std::string &type,
                   const std::string &mark) {
    arguments += (arguments.empty() ? "%" : ", %") + name + ": " + type;
    if (isModel)
      arguments += " {" + mark + " = \"" + name + "\"}";
  }
  std::string cast(const std::string &value, const std::string &from,
                   const std::string &to) {
    return define(llvm::formatv("graph.cast {0} because \"{1}\" : ({2}) -> {3}",
                                value, reasons[pick(0, 2)], matrix(from),
                                matrix(to)));
  }
  std::string unary(const char *op, const std::string &x,
                    const char *attributes = "") {
    return define(llvm::formatv("graph.{0} {1}{2} : ({3}) -> {3}", op, x,
                                attributes, matrix("f32")));
  }
  std::string binary(const char *op, const std::string &x, const std::string &y,
                     const std::string &of) {
    return define(llvm::formatv("graph.{0} {1}, {2} : ({3}, {4}) -> {3}", op, x,
                                y, matrix("f32"), of));
  }

  /// One consumer of `x`, f32: a matrix of f32.
  std::string consume(const std::string &x) {
    switch (pick(0, 8)) {
    case 0:
      return unary("softmax", x, " dim = 1");
    case 1:
      return unary("layer_norm", x, " first_dim = 1");
    case 2: // of rows
      return binary("sub", x,
                    define(llvm::formatv("graph.sum {0} dims = [1] keep : "
                                         "({1}) -> {2}",
                                         x, matrix("f32"), column())),
                    column());
    case 3: // of columns
      return binary("add", x,
                    define(llvm::formatv("graph.mean {0} dims = [0] : ({1}) "
                                         "-> {2}",
                                         x, matrix("f32"), row())),
                    row());
    case 4:
      return define(llvm::formatv("graph.tanh {0} : {1}", x, matrix("f32")));
    case 5:
      return define(llvm::formatv("graph.gelu {0} : {1}", x, matrix("f32")));
    case 6:
      return define(llvm::formatv("graph.exp {0} : {1}", x, matrix("f32")));
    case 7: { // a result of its own
      if (!isModel || draw(3)) {
        outputs.emplace_back(define(llvm::formatv("graph.sum {0} dims = [0] : "
                                                  "({1}) -> {2}",
                                                  x, matrix("f32"), row())),
                             row());
        return x;
      }
      return binary("mul", x, x, matrix("f32"));
    }
    default:
      return binary("mul", x, x, matrix("f32"));
    }
  }

  std::string writeLayer(const std::string &value, int layer) {
    std::string weight = "w" + std::to_string(layer);
    std::string square = llvm::formatv("tensor<{0}x{0}x{1}>", columns, narrow);
    std::string wideSquare = llvm::formatv("tensor<{0}x{0}xf32>", columns);
    addArgument(weight, wideSquare, "graph.parameter");
    std::string w =
        define(llvm::formatv("graph.cast %{0} because \"allow\" : ({1}) -> {2}",
                             weight, wideSquare, square));
    std::string product =
        define(llvm::formatv("graph.matmul {0}, {1} : ({2}, {3}) -> {2}", value,
                             w, matrix(narrow), square));
    std::string wide = cast(product, narrow, "f32");
    std::string again = draw(2) ? cast(product, narrow, "f32") : wide;
    std::string sum = consume(wide);
    for (int count = pick(1, 3); count > 0; --count)
      sum = binary(draw(2) ? "add" : "mul", sum,
                   consume(draw(2) ? wide : again), matrix("f32"));
    if (draw(12))
      outputs.emplace_back(wide, matrix("f32"));
    std::string rounded = cast(sum, "f32", narrow);
    // The residual of 16 bits, which is summed in f32.
    if (draw(2))
      rounded = cast(binary("add", cast(rounded, narrow, "f32"),
                            cast(value, narrow, "f32"), matrix("f32")),
                     "f32", narrow);
    return rounded;
  }

  static constexpr const char *reasons[] = {"allow", "deny", "gradient"};
  std::mt19937 rng;
  bool isModel;
  int rows = 0, columns = 0, next = 0;
  std::string narrow, arguments, body;
  std::vector<std::pair<std::string, std::string>> outputs;
};

//===-- The property ------------------------------------------------------===//

/// Whether `op` makes wider floats of floats, and nothing else.
CastOp getWidening(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  if (!cast)
    return nullptr;
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(cast.getInput()));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(cast.getResult()));
  return from && to && from.getWidth() < to.getWidth() ? cast : nullptr;
}

/// Whether what `value` is computed of, in its group, is in memory: an operand
/// of the group, or stored by it.
bool isInMemory(Value value) {
  if (isa<mlir::BlockArgument>(value))
    return true;
  return llvm::any_of(value.getUsers(),
                      [](Operation *user) { return isa<YieldOp>(user); });
}

/// The one exception: what the function returns in f32, itself or by a view of
/// it, must be there.
bool isReturned(Value stored) {
  return llvm::any_of(stored.getUsers(), [](Operation *user) {
    return isa<mlir::func::ReturnOp>(user) ||
           (isa<ReshapeOp>(user) && isReturned(user->getResult(0)));
  });
}

struct Counts {
  int seeds = 0;
  int withPattern = 0; ///< Seeds that have what the rule is about.
  int kernels = 0;
  int returned = 0;                ///< The exception.
  std::vector<std::string> stored; ///< What there should be none of.
};

class WidenedCastsTest : public ::testing::Test {
protected:
  WidenedCastsTest() {
    context.loadDialect<mlir::func::FuncDialect, GraphDialect>();
  }

  /// Whether a widening cast of a value that kernels must read from memory has
  /// several users in kernels, before these are formed.
  static bool hasPattern(ModuleOp module) {
    bool found = false;
    module.walk([&](CastOp cast) {
      if (!getWidening(cast.getResult()))
        return;
      DenseSet<Operation *> users;
      for (Operation *user : cast->getUsers())
        if (isFusible(user))
          users.insert(user);
      Operation *maker = cast.getInput().getDefiningOp();
      found |= users.size() > 1 && (!maker || isFence(maker));
    });
    return found;
  }

  void look(ModuleOp module) {
    module.walk([&](GroupOp group) {
      if (group.getKind() == GroupKind::Library)
        return;
      ++counts.kernels;
      Operation *yield = group.getBody().front().getTerminator();
      for (auto [value, result] :
           llvm::zip_equal(yield->getOperands(), group.getResults())) {
        CastOp cast = getWidening(value);
        if (!cast || !isInMemory(cast.getInput()) ||
            cast.getResult().getType().getNumElements() <= 1)
          continue;
        if (isReturned(result))
          ++counts.returned;
        else
          counts.stored.push_back(
              llvm::formatv("{0}", *group.getOperation()).str());
      }
    });
  }

  void check(unsigned seed, bool isModel) {
    std::string text = RandomLayers(seed, isModel).write();
    auto module = mlir::parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    mlir::PassManager before(&context), after(&context);
    if (isModel)
      before.addPass(createDifferentiate());
    for (mlir::PassManager *passes : {&before}) {
      passes->addPass(mlir::createCanonicalizerPass());
      passes->addPass(mlir::createCSEPass());
      passes->addPass(createFoldCasts());
      passes->addPass(mlir::createCSEPass());
      passes->addPass(createDecompose());
      passes->addPass(mlir::createCSEPass());
    }
    after.addPass(createGroup());
    ASSERT_TRUE(succeeded(before.run(*module))) << text;
    counts.withPattern += hasPattern(*module);
    ASSERT_TRUE(succeeded(after.run(*module))) << text;
    look(*module);
    ++counts.seeds;
    EXPECT_TRUE(counts.stored.empty())
        << "seed " << seed << ": a kernel stores what it only widens:\n"
        << counts.stored.front() << "\nof\n"
        << text;
  }

  void checkSeeds(bool isModel) {
    for (unsigned seed = 1; seed <= 400 && counts.stored.empty(); ++seed) {
      check(seed, isModel);
      if (HasFatalFailure())
        return;
    }
    EXPECT_GE(4 * counts.withPattern, counts.seeds) << "hardly tried";
    EXPECT_GE(counts.kernels, 2 * counts.seeds);
    EXPECT_GE(counts.returned, 50);
  }

  MLIRContext context;
  Counts counts;
};
} // namespace

TEST_F(WidenedCastsTest, AreNotStoredByKernelsOfGraphs) {
  checkSeeds(/*isModel=*/false);
}

TEST_F(WidenedCastsTest, AreNotStoredByKernelsOfForwardAndBackward) {
  checkSeeds(/*isModel=*/true);
}

/// `store` is what the group yields, of %w, which is widened %h.
static std::string makeGroup(StringRef store) {
  return llvm::formatv(
             R"(func.func @f(%x: tensor<8x8xbf16>) -> tensor<8xf32> {{
  %g = graph.group <row> %x : (tensor<8x8xbf16>) -> tensor<8x8xf32> {{
  ^bb0(%h: tensor<8x8xbf16>):
    %w = graph.cast %h because "t" : (tensor<8x8xbf16>) -> tensor<8x8xf32>
    %t = graph.tanh %w : tensor<8x8xf32>
    graph.yield {0} : tensor<8x8xf32>
  }
  %s = graph.group <row> %g : (tensor<8x8xf32>) -> tensor<8xf32> {{
  ^bb0(%h: tensor<8x8xf32>):
    %r = graph.sum %h dims = [1] : (tensor<8x8xf32>) -> tensor<8xf32>
    graph.yield %r : tensor<8xf32>
  }
  return %s : tensor<8xf32>
})",
             store)
      .str();
}

TEST_F(WidenedCastsTest, AreFoundWhereTheyAreStored) {
  auto widened = mlir::parseSourceString<ModuleOp>(makeGroup("%w"), &context);
  look(*widened);
  EXPECT_EQ(counts.stored.size(), 1u);
  auto computed = mlir::parseSourceString<ModuleOp>(makeGroup("%t"), &context);
  look(*computed);
  EXPECT_EQ(counts.stored.size(), 1u);
}

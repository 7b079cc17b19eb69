// Evaluates a graph function with the reference interpreter, or checks that
// two functions compute the same, or that a result is what a file holds. The
// value test of a pass is
//   mpc-opt %s --pass | graph-eval - --compare=%s
// Exit status: 0 done or equal, 1 different, 2 an error.
#include "NpyTensors.h"
#include "Reference/ErrorRule.h"
#include "Reference/Inputs.h"
#include "Reference/Interpreter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SourceMgr.h"
#include <charconv>
#include <cmath>

using namespace mpc;
using namespace mpc::reference;
using mlir::func::FuncOp;
namespace cl = llvm::cl;

static cl::opt<std::string> file(cl::Positional, cl::init("-"),
                                 cl::desc("<file.mlir>"));
static cl::opt<std::string>
    functionName("function",
                 cl::desc("function to evaluate (default: the only one)"));
static cl::opt<std::string>
    compareFile("compare",
                cl::desc("file whose function must compute the same"));
static cl::opt<std::string>
    compareName("compare-function",
                cl::desc("function of the second file (default: as "
                         "the first; alone: another of this file)"));
static cl::opt<uint64_t> seed("seed", cl::init(1), cl::desc("of the inputs"));
static cl::opt<double> low("low", cl::init(-1), cl::desc("of random floats"));
static cl::opt<double> high("high", cl::init(1), cl::desc("of random floats"));
static cl::list<std::string>
    inputs("input", cl::desc("name=number or name=file.npy: this argument"));
static cl::list<std::string>
    expectations("expect", cl::desc("name=file.npy: what this result must be"));
static cl::opt<bool> rounded("rounded",
                             cl::desc("round each op's result to its type"));
static cl::opt<unsigned>
    steps("steps", cl::init(1),
          cl::desc("evaluate so often, updates becoming the next state; "
                   "rank-0 results of each step are printed"));
static cl::opt<double> relative("rtol", cl::init(1e-12), cl::desc("relative"));
static cl::opt<double> absolute("atol", cl::init(1e-12), cl::desc("absolute"));
static cl::opt<bool>
    errorRule("error-rule",
              cl::desc("print for each --expect its error, that of op by op, "
                       "the floor and how many numbers differ"));
static cl::opt<unsigned>
    numResults("results", cl::desc("compare only the first so many results"));

static LogicalResult error(const Twine &message) {
  llvm::errs() << "graph-eval: error: " << message << "\n";
  return failure();
}

/// The function called `name`, or the only one if `name` is empty.
static FailureOr<FuncOp> findFunction(ModuleOp module, StringRef name) {
  if (!name.empty()) {
    if (auto function = module.lookupSymbol<FuncOp>(name))
      return function;
    return error("no function '" + name + "'");
  }
  auto functions = module.getOps<FuncOp>();
  if (functions.empty() || std::next(functions.begin()) != functions.end())
    return error("expected one function; choose with --function");
  return *functions.begin();
}

/// A tensor from what stands after "name=".
static FailureOr<Tensor> readTensor(StringRef text, const Tensor &like) {
  Tensor tensor(like.type, like.shape);
  double value;
  if (!text.getAsDouble(value)) {
    llvm::fill(tensor.reals, value);
    if (tensor.ints.empty())
      return tensor;
    if (!(std::abs(value) < 0x1p63))
      return error("expected an integer, but got '" + text + "'");
    llvm::fill(tensor.ints, static_cast<int64_t>(value));
    return tensor;
  }
  Result<Tensor> file = readNpyTensor(text.str(), like.type, like.shape);
  if (!file)
    return error(file.status().message());
  return *file;
}

/// Overwrites the arguments that --input names.
static LogicalResult applyInputs(FuncOp function,
                                 std::vector<Tensor> &arguments) {
  for (StringRef entry : inputs) {
    auto [name, text] = entry.split('=');
    bool found = false;
    for (unsigned i = 0; i < arguments.size(); ++i) {
      if (argumentName(function, i) != name)
        continue;
      FailureOr<Tensor> tensor = readTensor(text, arguments[i]);
      if (failed(tensor))
        return failure();
      arguments[i] = *tensor;
      found = true;
    }
    if (!found)
      return error("@" + function.getName() + " has no argument '" + name +
                   "'");
  }
  copyParameters(function, arguments);
  return success();
}

static std::string resultName(FuncOp function, unsigned index) {
  for (StringRef kind :
       {graph::kOutputAttr, graph::kGradientAttr, graph::kUpdatesAttr})
    if (auto name = function.getResultAttrOfType<StringAttr>(index, kind))
      return (kind.drop_front(strlen("graph.")) + " " + name.strref()).str();
  if (Attribute loss = function.getResultAttr(index, graph::kLossAttr)) {
    auto name = dyn_cast<StringAttr>(loss);
    return name ? "loss " + name.str() : "loss";
  }
  return "result " + std::to_string(index);
}

static std::string format(double value) {
  if (std::isnan(value)) // without a sign, which says nothing
    return "nan";
  char text[32];
  auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  return std::string(text, end);
}

static void print(FuncOp function, ArrayRef<Tensor> results) {
  for (auto [index, tensor] : llvm::enumerate(results)) {
    llvm::outs() << resultName(function, index) << ": " << typeString(tensor)
                 << " = [";
    for (size_t i = 0; i < tensor.size(); ++i)
      llvm::outs() << (i == 0 ? "" : ", ") << format(tensor.value(i));
    llvm::outs() << "]\n";
  }
}

/// Rank-0 results in one line.
static void printScalars(FuncOp function, ArrayRef<Tensor> results) {
  StringRef separator;
  for (auto [index, tensor] : llvm::enumerate(results))
    if (tensor.rank() == 0) {
      llvm::outs() << separator << resultName(function, index) << " = "
                   << format(tensor.value(0));
      separator = ", ";
    }
  llvm::outs() << "\n";
}

static Mode givenMode() { return rounded ? Mode::Rounded : Mode::Exact; }

/// Results of the last of --steps evaluations.
static FailureOr<std::vector<Tensor>> run(FuncOp function, Mode mode) {
  InputOptions options;
  options.seed = seed;
  options.low = low;
  options.high = high;
  std::vector<Tensor> arguments = makeInputs(function, options);
  if (failed(applyInputs(function, arguments)))
    return failure();
  for (unsigned step = 1; step < steps; ++step) {
    FailureOr<std::vector<Tensor>> results =
        evaluate(function, arguments, mode);
    if (failed(results))
      return failure();
    llvm::outs() << "step " << step << ": ";
    printScalars(function, *results);
    advance(function, *results, arguments);
  }
  return evaluate(function, std::move(arguments), mode);
}

namespace {
/// Compares results, prints those that differ, and sums up.
class Comparison {
public:
  void add(StringRef name, const Tensor &actual, const Tensor &expected) {
    Difference difference = compare(actual, expected, relative, absolute);
    ++count;
    largest = std::max(largest, difference.largest);
    if (difference.within)
      return;
    isEqual = false;
    llvm::outs() << name << " differs: element " << difference.at
                 << " expected " << format(expected.value(difference.at))
                 << ", but got " << format(actual.value(difference.at)) << "\n";
  }

  bool finish() {
    if (isEqual)
      llvm::outs() << "equal: " << count << " results, largest difference "
                   << format(largest) << "\n";
    return isEqual;
  }

private:
  bool isEqual = true;
  unsigned count = 0;
  double largest = 0;
};
} // namespace

/// Prints what differs and answers whether nothing does.
static FailureOr<bool> compareResults(FuncOp function, ArrayRef<Tensor> actual,
                                      ArrayRef<Tensor> expected) {
  size_t count = expected.size();
  if (numResults.getNumOccurrences())
    count = numResults;
  else if (actual.size() != expected.size())
    return error("expected " + Twine(expected.size()) + " results, but got " +
                 Twine(actual.size()) + "; --results=n compares the first n");
  if (count > actual.size() || count > expected.size())
    return error("--results is more than there are");
  Comparison comparison;
  for (size_t i = 0; i < count; ++i) {
    if (actual[i].shape != expected[i].shape)
      return error("result " + Twine(i) + ": expected shape of " +
                   typeString(expected[i]) + ", but got " +
                   typeString(actual[i]));
    comparison.add(resultName(function, i), actual[i], expected[i]);
  }
  return comparison.finish();
}

/// Calls `visit` with name, number and tensor of each --expect.
static LogicalResult forEachExpectation(
    FuncOp function, ArrayRef<Tensor> results,
    function_ref<void(StringRef, unsigned, const Tensor &)> visit) {
  for (StringRef entry : expectations) {
    auto [name, path] = entry.split('=');
    unsigned index = 0;
    while (index < results.size() && resultName(function, index) != name)
      ++index;
    if (index == results.size())
      return error("@" + function.getName() + " has no result '" + name + "'");
    FailureOr<Tensor> expected = readTensor(path, results[index]);
    if (failed(expected))
      return failure();
    visit(name, index, *expected);
  }
  return success();
}

/// Whether the results that --expect names are what the files hold.
static FailureOr<bool> checkExpectations(FuncOp function,
                                         ArrayRef<Tensor> results) {
  Comparison comparison;
  if (failed(forEachExpectation(
          function, results,
          [&](StringRef name, unsigned index, const Tensor &expected) {
            comparison.add(name, results[index], expected);
          })))
    return failure();
  return comparison.finish();
}

/// A line for each --expect: what Errors has, then its name.
static LogicalResult printErrors(FuncOp function,
                                 const std::vector<Tensor> &plain,
                                 const std::vector<Tensor> &exact) {
  double largest = getLargest(exact);
  return forEachExpectation(
      function, exact,
      [&](StringRef name, unsigned index, const Tensor &actual) {
        Errors errors = getErrors(actual, plain[index], exact[index], largest);
        llvm::outs() << "errors " << format(errors.actual) << " "
                     << format(errors.plain) << " " << format(errors.floor)
                     << " " << errors.count << " " << name << "\n";
      });
}

static mlir::OwningOpRef<ModuleOp> parse(StringRef path, MLIRContext &context) {
  std::string message;
  auto buffer = mlir::openInputFile(path, &message);
  if (!buffer) {
    (void)error(message);
    return {};
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  return mlir::parseSourceFile<ModuleOp>(sources, &context);
}

static int evaluateAndReport(ModuleOp module, ModuleOp other) {
  FailureOr<FuncOp> function = findFunction(module, functionName);
  if (failed(function))
    return 2;
  FailureOr<std::vector<Tensor>> results = run(*function, givenMode());
  if (failed(results))
    return 2;
  if (errorRule) {
    FailureOr<std::vector<Tensor>> plain = run(*function, Mode::Rounded);
    return failed(plain) || failed(printErrors(*function, *plain, *results));
  }
  if (!expectations.empty()) {
    FailureOr<bool> equal = checkExpectations(*function, *results);
    return failed(equal) ? 2 : *equal ? 0 : 1;
  }
  if (!other) {
    print(*function, *results);
    return 0;
  }
  FailureOr<FuncOp> second =
      findFunction(other, compareName.empty() ? functionName : compareName);
  if (failed(second))
    return 2;
  FailureOr<std::vector<Tensor>> expected = run(*second, givenMode());
  if (failed(expected))
    return 2;
  FailureOr<bool> equal = compareResults(*function, *results, *expected);
  return failed(equal) ? 2 : *equal ? 0 : 1;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "reference interpreter of graphs\n");
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, graph::GraphDialect>();
  MLIRContext context(registry);
  mlir::OwningOpRef<ModuleOp> module = parse(file, context);
  if (!module)
    return 2;
  mlir::OwningOpRef<ModuleOp> other;
  if (!compareFile.empty()) {
    other = parse(compareFile, context);
    if (!other)
      return 2;
  }
  ModuleOp second = other ? *other : compareName.empty() ? ModuleOp() : *module;
  return evaluateAndReport(*module, second);
}

#include "mpc/Dialect/Graph/Precision/CastReport.h"
#include "OpTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Text/TypeText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

/// "64x128xf32"; "f32" for rank 0.
static std::string describeType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return toString(type);
  std::string text;
  for (int64_t size : tensor.getShape())
    text += std::to_string(size) + "x";
  return text + toString(tensor.getElementType());
}

static std::string describeLocation(Location loc) {
  SmallVector<std::string> names;
  collectLocationNames(loc, names);
  return names.empty() ? "unknown" : names.front();
}

static std::string describeValue(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op->getName().getStringRef().str();
  auto argument = cast<mlir::BlockArgument>(value);
  auto func = dyn_cast<FuncOp>(argument.getOwner()->getParentOp());
  unsigned index = argument.getArgNumber();
  if (func)
    for (auto [attribute, word] : {std::pair(kParameterAttr, "parameter "),
                                   {kInputAttr, "input "},
                                   {kStateAttr, "state "}})
      if (StringAttr name = getName(func.getArgAttr(index, attribute)))
        return word + name.getValue().str();
  return "argument " + std::to_string(index);
}

std::vector<CastRow> mpc::graph::collectCasts(ModuleOp module) {
  std::vector<CastRow> rows;
  module.walk([&](CastOp op) {
    auto func = op->getParentOfType<FuncOp>();
    rows.push_back({func ? func.getName().str() : "",
                    describeValue(op.getInput()),
                    describeType(op.getInput().getType()),
                    describeType(op.getType()), getCastBytes(op.getInput()),
                    op.getReason() ? op.getReason().str() : "",
                    describeLocation(op.getLoc())});
  });
  return rows;
}

static PolicyRow describeDecision(Operation &op, const OpDecision &decision,
                                  StringRef function) {
  SmallVector<std::string> results;
  for (Type type : decision.resultTypes)
    results.push_back(describeType(type));
  return {function.str(),
          op.getName().getStringRef().str(),
          decision.word.str(),
          toString(decision.type),
          llvm::join(results, ", "),
          decision.reason,
          describeLocation(op.getLoc())};
}

FailureOr<std::vector<PolicyRow>>
mpc::graph::collectPolicies(ModuleOp module, const AutocastChoice &choice) {
  PolicyRules rules;
  if (failed(choice.readRules(module, rules)))
    return failure();
  std::vector<PolicyRow> rows;
  for (auto func : module.getOps<FuncOp>()) {
    // Private functions are implementations of custom ops.
    if (func.isPrivate() || func->hasAttr(kEntryAttr))
      continue;
    FailureOr<PrecisionOptions> options = choice.resolve(func, rules);
    if (failed(options))
      return failure();
    auto analysis = PrecisionAnalysis::compute(func, *options);
    if (failed(analysis))
      return failure();
    for (Operation &op : func.getBody().front())
      if (analysis->lookup(&op).type)
        rows.push_back(
            describeDecision(op, analysis->lookup(&op), func.getName()));
  }
  return rows;
}

/// Prints `lines` (the first is the heading) in columns as wide as needed.
static void printColumns(ArrayRef<SmallVector<std::string>> lines,
                         llvm::raw_ostream &os) {
  SmallVector<size_t> widths(lines.front().size());
  for (const auto &line : lines)
    for (auto [width, cell] : llvm::zip(widths, line))
      width = std::max(width, cell.size());
  for (const auto &line : lines) {
    std::string text;
    for (auto [width, cell] : llvm::zip(widths, line)) {
      text += cell;
      text.append(width - cell.size() + 2, ' ');
    }
    os << StringRef(text).rtrim() << '\n';
  }
}

void mpc::graph::printCasts(ArrayRef<CastRow> rows, llvm::raw_ostream &os) {
  SmallVector<SmallVector<std::string>> lines = {
      {"function", "cast of", "from", "to", "bytes", "because", "at"}};
  int64_t bytes = 0;
  for (const CastRow &row : rows) {
    bytes += row.bytes;
    lines.push_back({row.function, row.value, row.from, row.to,
                     std::to_string(row.bytes),
                     row.reason.empty() ? "written by the user" : row.reason,
                     row.location});
  }
  printColumns(lines, os);
  os << rows.size() << " casts, " << bytes << " bytes per call\n";
}

void mpc::graph::printPolicies(ArrayRef<PolicyRow> rows,
                               llvm::raw_ostream &os) {
  SmallVector<SmallVector<std::string>> lines = {
      {"function", "op", "policy", "runs in", "results", "because", "at"}};
  size_t narrow = 0;
  for (const PolicyRow &row : rows) {
    narrow += row.type != "f32";
    lines.push_back({row.function, row.op, row.policy, row.type, row.results,
                     row.reason, row.location});
  }
  printColumns(lines, os);
  os << rows.size() << " ops decided, " << narrow << " of them in 16 bits\n";
}

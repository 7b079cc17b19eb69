#include "mpc/Dialect/Graph/Analysis/SavedValues.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Analysis/Memory/RecomputeMarks.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Precision/PolicyRules.h"
#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"
#include "mpc/Text/TypeText.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

Operation *graph::findSeed(FuncOp step) {
  for (Operation &op : step.getBody().front())
    if (op.hasAttr(kSeedAttr))
      return &op;
  return nullptr;
}

int64_t graph::getBytes(RankedTensorType type) {
  return getBytes(type, type.getElementType());
}

SmallVector<mlir::OpResult> graph::findSavedValues(FuncOp step) {
  SmallVector<mlir::OpResult> saved;
  Operation *seed = findSeed(step);
  if (!seed)
    return saved;
  auto isForward = [&](Operation *op) {
    return op->isBeforeInBlock(seed) &&
           !op->hasTrait<mlir::OpTrait::ConstantLike>();
  };
  // What is computed again takes what it is computed from.
  DenseSet<Operation *> recomputed =
      findRecomputed(*seed->getBlock(), isForward);
  DenseSet<Value> seen;
  SmallVector<Value> read;
  for (Operation &op :
       llvm::make_range(seed->getIterator(), seed->getBlock()->end()))
    if (!op.hasTrait<mlir::OpTrait::IsTerminator>())
      llvm::append_range(read, op.getOperands());
  while (!read.empty()) {
    Value value = read.pop_back_val();
    Operation *maker = value.getDefiningOp();
    if (!maker || !isForward(maker) || !seen.insert(value).second)
      continue;
    if (recomputed.contains(maker))
      llvm::append_range(read, maker->getOperands());
  }
  for (Operation &op :
       llvm::make_range(seed->getBlock()->begin(), seed->getIterator()))
    for (OpResult result : op.getResults())
      if (seen.contains(result) && !recomputed.contains(&op))
        saved.push_back(result);
  return saved;
}

namespace {

std::string placeOf(Location location) {
  SmallVector<std::string> names;
  collectLocationNames(location, names);
  if (names.empty())
    return "unknown";
  return names.back().substr(names.back().rfind('/') + 1);
}

/// "graph.relu", "input x".
std::string nameOf(Value value, FuncOp step) {
  if (Operation *maker = value.getDefiningOp())
    return maker->getName().getStringRef().str();
  unsigned index = cast<mlir::BlockArgument>(value).getArgNumber();
  for (auto [mark, word] : {std::pair(kInputAttr, "input "),
                            std::pair(kParameterAttr, "parameter ")})
    if (auto name = step.getArgAttrOfType<StringAttr>(index, mark))
      return word + name.str();
  return "argument " + std::to_string(index);
}

/// Whether the update keeps the 16-bit version of `value` as a state: then it
/// is no price of the backward.
bool isCopied(Value value, FuncOp step) {
  auto argument = dyn_cast<mlir::BlockArgument>(value);
  auto training = step->getAttrOfType<TrainingAttr>(kTrainingAttr);
  return argument && step.getArgAttr(argument.getArgNumber(), kParameterAttr) &&
         (!training ||
          training.getNumerics().weightCopies == WeightCopies::Persistent);
}

/// Visits the saved values of all steps. A cast stands at the place of its
/// reader, so it goes by the place of what it casts, and so do both versions.
void forEachSaved(
    ModuleOp module,
    function_ref<void(std::string op, std::string place, RankedTensorType)>
        visit) {
  for (auto step : module.getOps<FuncOp>()) {
    auto entry = step->getAttrOfType<StringAttr>(kEntryAttr);
    if (!entry || entry.getValue() != StringRef(program::kStepEntry))
      continue;
    for (OpResult value : findSavedValues(step)) {
      Value source = value;
      while (auto cast = source.getDefiningOp<CastOp>()) {
        if (!cast.getReason())
          break;
        source = cast.getInput();
      }
      if (!isCopied(source, step))
        visit(nameOf(source, step), placeOf(source.getLoc()),
              cast<RankedTensorType>(value.getType()));
    }
  }
}

} // namespace

std::vector<SavedRow> graph::compareSavedValues(ModuleOp wide,
                                                ModuleOp module) {
  llvm::MapVector<std::pair<std::string, std::string>, SavedRow,
                  std::map<std::pair<std::string, std::string>, unsigned>>
      rows;
  auto rowOf = [&](const std::string &op,
                   const std::string &place) -> SavedRow & {
    SavedRow &row = rows[{place, op}];
    row.value = op;
    row.location = place;
    return row;
  };
  auto add = [](std::string &types, int64_t &bytes, RankedTensorType type) {
    types += (types.empty() ? "" : ", ") + toString(type);
    bytes += getBytes(type);
  };
  forEachSaved(wide, [&](const std::string &op, const std::string &place,
                         RankedTensorType type) {
    SavedRow &row = rowOf(op, place);
    add(row.wideType, row.wideBytes, type);
  });
  forEachSaved(module, [&](const std::string &op, const std::string &place,
                           RankedTensorType type) {
    SavedRow &row = rowOf(op, place);
    add(row.type, row.bytes, type);
  });
  std::vector<SavedRow> result;
  for (auto &[key, row] : rows)
    result.push_back(std::move(row));
  return result;
}

void graph::printSavedValues(ArrayRef<SavedRow> rows,
                             llvm::raw_ostream &stream) {
  constexpr StringRef kWide = "as written", kNarrow = "with autocast";
  size_t nameWidth = 20, placeWidth = 18;
  for (const SavedRow &row : rows) {
    nameWidth = std::max(nameWidth, row.value.size());
    placeWidth = std::max(placeWidth, row.location.size());
  }
  auto cells = [&](StringRef name, StringRef place, StringRef wide,
                   StringRef narrow) {
    stream << "  " << llvm::left_justify(name, nameWidth) << " "
           << llvm::left_justify(place, placeWidth) << " "
           << llvm::right_justify(wide, 13) << " "
           << llvm::right_justify(narrow, 13);
  };
  int64_t wideTotal = 0, total = 0;
  stream << "saved for the backward, in bytes\n";
  cells("value", "place", kWide, kNarrow);
  stream << "\n";
  for (const SavedRow &row : rows) {
    cells(row.value, row.location, std::to_string(row.wideBytes),
          std::to_string(row.bytes));
    stream << "  " << (row.wideType.empty() ? "-" : row.wideType) << " to "
           << (row.type.empty() ? "-" : row.type) << "\n";
    wideTotal += row.wideBytes;
    total += row.bytes;
  }
  stream << "  all: " << rows.size() << " values, " << wideTotal
         << " bytes as written, " << total << " with autocast\n";
}

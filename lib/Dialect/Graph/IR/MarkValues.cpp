// What each mark may say: the table, and a function for each form of value.
#include "Marks.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "mpc/Program/Names.h"
#include "mpc/Text/Nearest.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mpc;
using namespace mpc::graph;

namespace {
/// "expected 'graph.x' <what>, but got <value>".
LogicalResult refuse(const MarkUse &use, const Twine &what) {
  return use.error() << "expected '" << use.name << "' " << what.str()
                     << ", but got " << use.value;
}

//===-- Names and units ---------------------------------------------------===//

LogicalResult verifyUnit(const MarkUse &use) {
  return isa<mlir::UnitAttr>(use.value) ? success()
                                        : refuse(use, "without a value");
}

LogicalResult verifyName(const MarkUse &use) {
  auto string = dyn_cast<StringAttr>(use.value);
  return string ? graph::verifyName(string, "'" + use.name + "'", use.error)
                : refuse(use, "to be a non-empty string");
}

LogicalResult verifyCount(const MarkUse &use) {
  auto count = dyn_cast<mlir::IntegerAttr>(use.value);
  return count && count.getType().isInteger(64) && count.getInt() >= 1
             ? success()
             : refuse(use, "to be an i64 of 1 or more");
}

/// A mark that is enough alone, but has a name where there are several.
LogicalResult verifyUnitOrName(const MarkUse &use) {
  auto string = dyn_cast<StringAttr>(use.value);
  if (isa<mlir::UnitAttr>(use.value))
    return success();
  return string && !string.empty()
             ? verifyName(use)
             : refuse(use, "without a value or with a name");
}

LogicalResult verifyOneOf(const MarkUse &use,
                          ArrayRef<std::string_view> words) {
  auto string = dyn_cast<StringAttr>(use.value);
  if (string && llvm::is_contained(words, std::string_view(string.getValue())))
    return success();
  return refuse(use, "to be one of " + llvm::join(words, ", "));
}

LogicalResult verifyEntry(const MarkUse &use) {
  return verifyOneOf(use, program::kEntries);
}

LogicalResult verifyTarget(const MarkUse &use) {
  auto target = dyn_cast<StringAttr>(use.value);
  return target && findTarget(target)
             ? success()
             : refuse(use, "to be one of " + targetNames());
}

/// As mpc-limit-memory writes it.
LogicalResult verifyMemoryLimit(const MarkUse &use) {
  auto facts = dyn_cast<DictionaryAttr>(use.value);
  auto isCount = [&](StringRef name, int64_t least) {
    auto count = facts.getAs<mlir::IntegerAttr>(name);
    return count && count.getType().isInteger(64) && count.getInt() >= least;
  };
  return facts && facts.size() == 3 && isCount("limit", 1) &&
                 isCount("chunks", 1) && isCount("recomputed", 0)
             ? success()
             : refuse(use, "to be {limit, chunks, recomputed}, i64 of at least "
                           "1, 1 and 0");
}

/// An attribute of the dialect, or a dictionary.
template <typename T> LogicalResult verifyAttr(const MarkUse &use) {
  if (isa<T>(use.value))
    return success();
  if constexpr (std::is_same_v<T, DictionaryAttr>)
    return refuse(use, "to be a dictionary");
  else
    return refuse(use, "to be a #" + T::name);
}

//===-- Names of tensors --------------------------------------------------===//

/// A static, non-empty tensor of an element type of the dialect.
LogicalResult verifyTensor(const MarkUse &use) {
  auto tensor = dyn_cast<RankedTensorType>(use.type);
  bool fits = tensor && tensor.hasStaticShape() &&
              !llvm::is_contained(tensor.getShape(), 0);
  if (fits) {
    Type e = tensor.getElementType();
    fits = e.isF64() || e.isF32() || e.isF16() || e.isBF16() ||
           e.isInteger(64) || e.isInteger(32) || e.isInteger(1);
  }
  if (fits)
    return verifyTensorBytes(use.type, use.error);
  return use.error()
         << "expected '" << use.name
         << "' on a static, non-empty tensor of f64, f32, f16, bf16, "
            "i64, i32 or i1 elements, but got "
         << use.type;
}

LogicalResult verifyTensorName(const MarkUse &use) {
  return failure(failed(verifyName(use)) || failed(verifyTensor(use)));
}

LogicalResult verifyParameter(const MarkUse &use) {
  if (failed(verifyTensorName(use)))
    return failure();
  if (isa<FloatType>(mlir::getElementTypeOrSelf(use.type)))
    return success();
  return use.error() << "expected a parameter of floats, but got " << use.type;
}

LogicalResult verifyLoss(const MarkUse &use) {
  if (failed(verifyUnitOrName(use)))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(use.type);
  Type element = mlir::getElementTypeOrSelf(use.type);
  if (tensor && tensor.getRank() == 0 && (element.isF32() || element.isF64()))
    return success();
  return use.error() << "expected a loss of type tensor<f32> or tensor<f64>, "
                        "but got "
                     << use.type;
}

//===-- First values and states -------------------------------------------===//

/// The numbers of an initialiser, as its type would hold them.
LogicalResult verifyNumbers(const MarkUse &use, Attribute init,
                            FloatType element) {
  SmallVector<Real, 2> numbers;
  if (auto fill = dyn_cast<FillAttr>(init))
    numbers = {fill.getValue()};
  else if (auto normal = dyn_cast<NormalAttr>(init))
    numbers = {normal.getMean(), normal.getStddev()};
  else if (auto uniform = dyn_cast<UniformAttr>(init))
    numbers = {uniform.getLow(), uniform.getHigh()};
  for (Real number : numbers)
    if (!isHeldBy(llvm::APFloat(number.value), element.getFloatSemantics()))
      return use.error() << "expected an initialiser in the range of "
                         << element << ", but " << number << " is "
                         << (std::abs(number.value) < 1 ? "0" : "infinite")
                         << " there";
  return success();
}

/// Whether `element` has the whole number `number`; i1 has 0 and 1.
bool holdsInteger(Type element, double number) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || number != std::trunc(number))
    return false;
  if (integer.getWidth() == 1)
    return number == 0 || number == 1;
  double limit = std::ldexp(1.0, static_cast<int>(integer.getWidth()) - 1);
  return number >= -limit && number < limit;
}

/// Integers start at zero or a whole number; floats at any initialiser that
/// their type holds.
LogicalResult verifyFirstValue(const MarkUse &use, Attribute init) {
  Type element = mlir::getElementTypeOrSelf(use.type);
  if (auto type = dyn_cast<FloatType>(element))
    return verifyNumbers(use, init, type);
  auto fill = dyn_cast<FillAttr>(init);
  if (isa<ZerosAttr>(init) ||
      (fill && holdsInteger(element, fill.getValue().value)))
    return success();
  return use.error() << "expected the initialiser of " << use.type
                     << " to be #graph.zeros or a #graph.fill of a whole "
                        "number in its range, but got "
                     << init;
}

LogicalResult verifyInitialiser(const MarkUse &use) {
  if (!isInitialiser(use.value))
    return refuse(use, "to be " + quoteAll(kInitialiserForms, "or"));
  return verifyFirstValue(use, use.value);
}

LogicalResult verifyState(const MarkUse &use) {
  auto state = dyn_cast<StateAttr>(use.value);
  if (!state)
    return verifyAttr<StateAttr>(use);
  if (state.getRole() == Role::Parameter)
    return use.error() << "expected a parameter to be marked '"
                       << kParameterAttr << "', but got " << use.value;
  if (failed(verifyTensor(use)))
    return failure();
  if (failed(verifyStateType(
          {state.getName(), state.getRole(), state.getOf(), state.getInit()},
          cast<RankedTensorType>(use.type), use.error)))
    return failure();
  return state.getInit() ? verifyFirstValue(use, state.getInit()) : success();
}

/// Labels are integers, and the one that is ignored fits them.
LogicalResult verifyClasses(const MarkUse &use) {
  auto classes = dyn_cast<ClassesAttr>(use.value);
  if (!classes)
    return verifyAttr<ClassesAttr>(use);
  Type element = mlir::getElementTypeOrSelf(use.type);
  if (!element.isInteger(32) && !element.isInteger(64))
    return use.error() << "expected '" << use.name
                       << "' on an input of i32 or i64, but got " << use.type;
  unsigned width = element.getIntOrFloatBitWidth();
  for (int64_t label :
       {classes.getCount() - 1, classes.getIgnored().value_or(0)})
    if (!llvm::isIntN(width, label))
      return use.error() << "expected label " << label << " of '" << use.name
                         << "' to fit " << element;
  return success();
}

//===-- The table ---------------------------------------------------------===//

constexpr Mark kMarks[] = {
    {kInputAttr, Place::Argument, verifyTensorName, "", ""},
    {kParameterAttr, Place::Argument, verifyParameter, "", ""},
    {kStateAttr, Place::Argument, verifyState, "", ""},
    {kInitAttr, Place::Argument, verifyInitialiser, kParameterAttr,
     "a parameter"},
    {kFrozenAttr, Place::Argument, verifyUnit, kParameterAttr, "a parameter"},
    {kClassesAttr, Place::Argument, verifyClasses, kInputAttr, "an input"},
    {kLossOnlyAttr, Place::Argument, verifyUnit, kInputAttr, "an input"},
    {kLossAttr, Place::Result, verifyLoss, "", ""},
    {kOutputAttr, Place::Result, verifyTensorName, "", ""},
    {kLossTermAttr, Place::Result, verifyUnit, kOutputAttr, "an output"},
    {kGradientAttr, Place::Result, verifyTensorName, "", ""},
    {kOfAttr, Place::Result, verifyTensorName, kGradientAttr, "a gradient"},
    {kUpdatesAttr, Place::Result, verifyTensorName, "", ""},
    {kFoundInfAttr, Place::Result, verifyTensorName, "", ""},
    {kTrainingAttr, Place::Function, verifyAttr<TrainingAttr>, "", ""},
    {kEntryAttr, Place::Function, verifyEntry, "", ""},
    {kAutocastAttr, Place::Function, verifyAttr<DictionaryAttr>, "", ""},
    {kSingleRankAttr, Place::Function, verifyUnit, "", ""},
    {kTrainingAttr, Place::Module, verifyAttr<TrainingAttr>, "", ""},
    {kTargetAttr, Place::Module, verifyTarget, "", ""},
    {kMemoryLimitAttr, Place::Module, verifyMemoryLimit, "", ""},
    {kSeedAttr, Place::Constant, verifyUnitOrName, "", ""},
    {kRegionAttr, Place::Op, verifyAttr<AutocastRegionAttr>, "", ""},
    {kRecomputeAttr, Place::Op, verifyUnit, "", ""},
    {kRecomputeInsideAttr, Place::Op, verifyUnit, "", ""},
    {kChunksAttr, Place::Op, verifyCount, "", ""}};
} // namespace

ArrayRef<Mark> graph::getMarks() { return kMarks; }

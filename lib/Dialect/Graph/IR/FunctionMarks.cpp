// The marks that make a function a model or a step: what each may say, and
// where. Whether a model is complete (every argument marked, every parameter
// reached) is asked by the gates, since passes build functions bit by bit.
//
// MLIR calls the dialect once per attribute. What concerns a signature as a
// whole, names that must be unique, is checked once, at its first mark.
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Program/Names.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mpc;
using namespace mpc::graph;
using mlir::FunctionOpInterface;

namespace {
enum class Place { Argument, Result, Function, Module, Constant, Op };

struct Mark {
  StringRef name;
  Place place;
};

constexpr Mark kMarks[] = {
    {kInputAttr, Place::Argument},    {kParameterAttr, Place::Argument},
    {kStateAttr, Place::Argument},    {kInitAttr, Place::Argument},
    {kClassesAttr, Place::Argument},  {kLossOnlyAttr, Place::Argument},
    {kFrozenAttr, Place::Argument},   {kLossAttr, Place::Result},
    {kOutputAttr, Place::Result},     {kGradientAttr, Place::Result},
    {kUpdatesAttr, Place::Result},    {kFoundInfAttr, Place::Result},
    {kOfAttr, Place::Result},         {kTrainingAttr, Place::Function},
    {kEntryAttr, Place::Function},    {kTrainingAttr, Place::Module},
    {kAutocastAttr, Place::Function}, {kSeedAttr, Place::Constant},
    {kTargetAttr, Place::Module},     {kSingleRankAttr, Place::Function},
    {kRegionAttr, Place::Op}};

/// The marks of which an argument has one: they name it.
constexpr StringRef kArgumentNames[] = {kInputAttr, kParameterAttr, kStateAttr};

StringRef describe(Place place) {
  switch (place) {
  case Place::Argument:
    return "an argument of a function";
  case Place::Result:
    return "a result of a function";
  case Place::Function:
    return "a function";
  case Place::Module:
    return "a module";
  case Place::Constant:
    return "a graph.constant";
  case Place::Op:
    return "an op of a function";
  }
  llvm_unreachable("all places are listed");
}

using Error = function_ref<InFlightDiagnostic()>;

/// `name` is a mark, and one that may stand at `place`.
LogicalResult verifyPlace(Error error, StringRef name, Place place) {
  if (llvm::any_of(kMarks, [&](const Mark &mark) {
        return mark.name == name && mark.place == place;
      }))
    return success();
  const Mark *nearest = kMarks;
  for (const Mark &mark : kMarks) {
    if (mark.name == name)
      return error() << "expected '" << name << "' on " << describe(mark.place)
                     << ", but found it on " << describe(place);
    if (name.edit_distance(mark.name) < name.edit_distance(nearest->name))
      nearest = &mark;
  }
  return error() << "unknown attribute '" << name << "', did you mean '"
                 << nearest->name << "'?";
}

std::string quoted(NamedAttribute attr) {
  return ("'" + attr.getName().strref() + "'").str();
}

LogicalResult verifyName(Error error, NamedAttribute attr) {
  auto string = dyn_cast<StringAttr>(attr.getValue());
  if (string)
    return graph::verifyName(string, quoted(attr), error);
  return error() << "expected " << quoted(attr)
                 << " to be a non-empty string, but got " << attr.getValue();
}

LogicalResult verifyEntry(Error error, NamedAttribute attr) {
  auto string = dyn_cast<StringAttr>(attr.getValue());
  if (string && llvm::is_contained(program::kEntries,
                                   std::string_view(string.getValue())))
    return success();
  return error() << "expected " << quoted(attr) << " to be one of "
                 << llvm::join(ArrayRef(program::kEntries), ", ")
                 << ", but got " << attr.getValue();
}

/// A mark that is enough alone, but has a name where there are several.
LogicalResult verifyUnitOrName(Error error, NamedAttribute attr) {
  auto string = dyn_cast<StringAttr>(attr.getValue());
  if (isa<mlir::UnitAttr>(attr.getValue()))
    return success();
  if (string && !string.empty())
    return verifyName(error, attr);
  return error() << "expected " << quoted(attr)
                 << " without a value or with a name, but got "
                 << attr.getValue();
}

LogicalResult verifyUnit(Error error, NamedAttribute attr) {
  if (isa<mlir::UnitAttr>(attr.getValue()))
    return success();
  return error() << "expected " << quoted(attr) << " without a value, but got "
                 << attr.getValue();
}

/// A static, non-empty tensor of an element type of the dialect.
LogicalResult verifyTensor(Error error, Type type, StringRef mark) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool fits = tensor && tensor.hasStaticShape() &&
              !llvm::is_contained(tensor.getShape(), 0);
  if (fits) {
    Type e = tensor.getElementType();
    fits = e.isF64() || e.isF32() || e.isF16() || e.isBF16() ||
           e.isInteger(64) || e.isInteger(32) || e.isInteger(1);
  }
  if (fits)
    return verifyTensorBytes(type, error);
  return error() << "expected '" << mark
                 << "' on a static, non-empty tensor of f64, f32, f16, bf16, "
                    "i64, i32 or i1 elements, but got "
                 << type;
}

/// Whether numbers of `format` hold `value`, rounded: as neither infinity nor
/// 0, unless it is 0.
bool isInRange(Real value, const llvm::fltSemantics &format) {
  llvm::APFloat rounded(value.value);
  bool losesInfo;
  rounded.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.isFinite() && (rounded.isNonZero() || value.value == 0);
}

/// The numbers of an initialiser, as its type would hold them.
LogicalResult verifyNumbers(Error error, Attribute init, FloatType element) {
  SmallVector<Real, 2> numbers;
  if (auto fill = dyn_cast<FillAttr>(init))
    numbers = {fill.getValue()};
  else if (auto normal = dyn_cast<NormalAttr>(init))
    numbers = {normal.getMean(), normal.getStddev()};
  else if (auto uniform = dyn_cast<UniformAttr>(init))
    numbers = {uniform.getLow(), uniform.getHigh()};
  for (Real number : numbers)
    if (!isInRange(number, element.getFloatSemantics()))
      return error() << "expected an initialiser in the range of " << element
                     << ", but " << number << " is "
                     << (std::abs(number.value) < 1 ? "0" : "infinite")
                     << " there";
  return success();
}

/// Integers start at zero or a whole number; floats at any initialiser that
/// their type holds.
LogicalResult verifyInitialiser(Error error, Attribute init, Type type) {
  if (!isInitialiser(init))
    return error() << "expected '" << kInitAttr
                   << "' to be #graph.zeros, #graph.fill, #graph.normal or "
                      "#graph.uniform, but got "
                   << init;
  if (auto element = dyn_cast<FloatType>(mlir::getElementTypeOrSelf(type)))
    return verifyNumbers(error, init, element);
  if (isa<ZerosAttr>(init))
    return success();
  auto fill = dyn_cast<FillAttr>(init);
  if (fill && fill.getValue().value == std::trunc(fill.getValue().value))
    return success();
  return error() << "expected the initialiser of " << type
                 << " to be #graph.zeros or a #graph.fill of a whole number, "
                    "but got "
                 << init;
}

LogicalResult verifyState(Error error, Attribute attr, Type type) {
  auto state = dyn_cast<StateAttr>(attr);
  if (!state)
    return error() << "expected '" << kStateAttr
                   << "' to be a #graph.state, but got " << attr;
  if (state.getRole() == Role::Parameter)
    return error() << "expected a parameter to be marked '" << kParameterAttr
                   << "', but got " << attr;
  if (failed(verifyTensor(error, type, kStateAttr)))
    return failure();
  if (failed(verifyStateType(
          {state.getName(), state.getRole(), state.getOf(), state.getInit()},
          cast<RankedTensorType>(type), error)))
    return failure();
  return state.getInit() ? verifyInitialiser(error, state.getInit(), type)
                         : success();
}

/// Labels are integers, and the one that is ignored fits them.
LogicalResult verifyClasses(Error error, Attribute attr, Type type) {
  auto classes = dyn_cast<ClassesAttr>(attr);
  if (!classes)
    return error() << "expected '" << kClassesAttr
                   << "' to be a #graph.classes, but got " << attr;
  Type element = mlir::getElementTypeOrSelf(type);
  if (!element.isInteger(32) && !element.isInteger(64))
    return error() << "expected '" << kClassesAttr
                   << "' on an input of i32 or i64, but got " << type;
  unsigned width = element.getIntOrFloatBitWidth();
  for (int64_t label :
       {classes.getCount() - 1, classes.getIgnored().value_or(0)})
    if (!llvm::isIntN(width, label))
      return error() << "expected label " << label << " of '" << kClassesAttr
                     << "' to fit " << element;
  return success();
}

/// Where the argument stands; signatures of models have many lines.
Location getArgumentLoc(FunctionOpInterface func, unsigned index) {
  Region &body = func.getFunctionBody();
  bool isThere = !body.empty() && index < body.front().getNumArguments();
  return isThere ? body.front().getArgument(index).getLoc() : func->getLoc();
}

LogicalResult verifyArgumentMark(FunctionOpInterface func, unsigned index,
                                 NamedAttribute attr) {
  auto error = [&] {
    return mlir::emitError(getArgumentLoc(func, index))
           << "argument " << index << ": ";
  };
  StringRef name = attr.getName();
  Type type = func.getArgumentTypes()[index];
  auto has = [&](StringRef mark) { return !!func.getArgAttr(index, mark); };
  if (failed(verifyPlace(error, name, Place::Argument)))
    return failure();
  if (name == kStateAttr)
    return verifyState(error, attr.getValue(), type);
  if ((name == kClassesAttr || name == kLossOnlyAttr) && !has(kInputAttr))
    return error() << "expected '" << name << "' on an input";
  if ((name == kFrozenAttr || name == kInitAttr) && !has(kParameterAttr))
    return error() << "expected '" << name << "' on a parameter";
  if (name == kInitAttr)
    return verifyInitialiser(error, attr.getValue(), type);
  if (name == kClassesAttr)
    return verifyClasses(error, attr.getValue(), type);
  if (name == kLossOnlyAttr || name == kFrozenAttr)
    return verifyUnit(error, attr);
  if (failed(verifyName(error, attr)) ||
      failed(verifyTensor(error, type, name)))
    return failure();
  if (name == kParameterAttr &&
      !isa<FloatType>(mlir::getElementTypeOrSelf(type)))
    return error() << "expected a parameter of floats, but got " << type;
  return success();
}

/// Each argument has at most one name, and no two have the same.
LogicalResult verifyArgumentNames(FunctionOpInterface func) {
  DenseMap<Attribute, unsigned> seen;
  for (unsigned index = 0; index < func.getNumArguments(); ++index) {
    StringRef first;
    for (StringRef mark : kArgumentNames) {
      StringAttr name = getName(func.getArgAttr(index, mark));
      if (!name)
        continue;
      if (!first.empty())
        return func->emitOpError("argument ")
               << index
               << ": expected one of input, parameter and state, but "
                  "got '"
               << first << "' and '" << mark << "'";
      first = mark;
      auto [other, isNew] = seen.try_emplace(name, index);
      if (!isNew)
        return func->emitOpError("expected arguments of different names, but ")
               << other->second << " and " << index << " are both " << name;
    }
  }
  return success();
}

LogicalResult verifyResultMark(FunctionOpInterface func, unsigned index,
                               NamedAttribute attr) {
  auto error = [&] { return func->emitOpError("result ") << index << ": "; };
  StringRef name = attr.getName();
  Type type = func.getResultTypes()[index];
  if (failed(verifyPlace(error, name, Place::Result)))
    return failure();
  if (name == kOfAttr && !func.getResultAttr(index, kGradientAttr))
    return error() << "expected '" << kOfAttr << "' on a gradient";
  if (name != kLossAttr)
    return failure(failed(verifyName(error, attr)) ||
                   failed(verifyTensor(error, type, name)));
  if (failed(verifyUnitOrName(error, attr)))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = mlir::getElementTypeOrSelf(type);
  if (!tensor || tensor.getRank() != 0 || !(element.isF32() || element.isF64()))
    return error() << "expected a loss of type tensor<f32> or tensor<f64>, but "
                      "got "
                   << type;
  return success();
}

/// One loss without a name at most, and then no other; no two losses or outputs
/// of the same name. (Gradients and next values are paired with their arguments
/// by the gates.)
LogicalResult verifyResultNames(FunctionOpInterface func) {
  DenseMap<std::pair<StringRef, Attribute>, unsigned> seen;
  std::optional<unsigned> firstLoss;
  for (unsigned index = 0; index < func.getNumResults(); ++index)
    for (StringRef mark : {kLossAttr, kOutputAttr}) {
      Attribute name = func.getResultAttr(index, mark);
      if (!name)
        continue;
      bool isLoss = mark == kLossAttr;
      if (isLoss && firstLoss &&
          (isa<mlir::UnitAttr>(name) ||
           isa<mlir::UnitAttr>(func.getResultAttr(*firstLoss, kLossAttr))))
        return func->emitOpError("result ")
               << index << ": expected a name for each of several losses, as "
               << "in '" << kLossAttr << " = \"aux\"', but this one or that of "
               << "result " << *firstLoss << " has none";
      auto [other, isNew] = seen.try_emplace({mark, name}, index);
      if (!isNew)
        return func->emitOpError("result ")
               << index << ": expected one '" << mark
               << "' of each name, but result " << other->second
               << " is the same";
      if (isLoss)
        firstLoss = index;
    }
  return success();
}

/// Whether `attr` at `index` is the first mark of the list that `attrsOf`
/// gives access to.
bool isFirstMark(unsigned index, NamedAttribute attr,
                 function_ref<ArrayRef<NamedAttribute>(unsigned)> attrsOf) {
  auto isMark = [](NamedAttribute attr) {
    return attr.getName().strref().starts_with("graph.");
  };
  for (unsigned i = 0; i < index; ++i)
    if (llvm::any_of(attrsOf(i), isMark))
      return false;
  return *llvm::find_if(attrsOf(index), isMark) == attr;
}
} // namespace

LogicalResult GraphDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attr) {
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    return op->emitOpError("expected '")
           << attr.getName().strref() << "' on " << describe(Place::Argument);
  if (failed(verifyArgumentMark(func, index, attr)))
    return failure();
  bool first = isFirstMark(index, attr, [&](unsigned i) {
    return mlir::function_interface_impl::getArgAttrs(func, i);
  });
  return first ? verifyArgumentNames(func) : success();
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                        unsigned index,
                                                        NamedAttribute attr) {
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    return op->emitOpError("expected '")
           << attr.getName().strref() << "' on " << describe(Place::Result);
  if (failed(verifyResultMark(func, index, attr)))
    return failure();
  bool first = isFirstMark(index, attr, [&](unsigned i) {
    return mlir::function_interface_impl::getResultAttrs(func, i);
  });
  return first ? verifyResultNames(func) : success();
}

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
  auto error = [&] { return op->emitOpError(); };
  bool isFunction = isa<FunctionOpInterface>(op), isModule = isa<ModuleOp>(op);
  StringRef name = attr.getName();
  if (name == kRegionAttr && !isFunction && !isModule)
    return isa<AutocastRegionAttr>(attr.getValue())
               ? success()
               : error() << "expected '" << name
                         << "' to be a #graph.autocast_region, but got "
                         << attr.getValue();
  if (!isFunction && !isModule && !isa<ConstantOp>(op))
    return error() << "expected no attribute of the graph dialect here, but "
                      "got '"
                   << name << "'";
  Place place = isFunction ? Place::Function
                : isModule ? Place::Module
                           : Place::Constant;
  if (failed(verifyPlace(error, name, place)))
    return failure();
  if (name == kEntryAttr)
    return verifyEntry(error, attr);
  if (name == kTrainingAttr && !isa<TrainingAttr>(attr.getValue()))
    return error() << "expected '" << kTrainingAttr
                   << "' to be a #graph.training, but got " << attr.getValue();
  if (name == kTargetAttr) {
    auto target = dyn_cast<StringAttr>(attr.getValue());
    if (!target || !findTarget(target))
      return error() << "expected '" << kTargetAttr << "' to be one of "
                     << targetNames() << ", but got " << attr.getValue();
  }
  if (name == kAutocastAttr && !isa<DictionaryAttr>(attr.getValue()))
    return error() << "expected '" << kAutocastAttr
                   << "' to be a dictionary, but got " << attr.getValue();
  if (name == kSeedAttr)
    return verifyUnitOrName(error, attr);
  if (name == kSingleRankAttr)
    return verifyUnit(error, attr);
  return success();
}

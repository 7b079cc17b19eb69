// The marks that make a function a model or a step: where each may stand, and
// which names are one of a kind. What each may say stands in the table
// (Marks.h). Whether a model is complete (every argument marked, every
// parameter reached) is asked by the gates, since passes build functions bit by
// bit.
//
// MLIR calls the dialect once per attribute. What concerns a signature as a
// whole, names that must be unique, is checked once, at its first mark.
#include "Marks.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::FunctionOpInterface;

namespace {
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

/// A mark that stands where none of its name may.
LogicalResult refusePlace(const MarkUse &use, Place place) {
  const Mark *nearest = getMarks().begin();
  for (const Mark &mark : getMarks()) {
    if (mark.name == use.name)
      return use.error() << "expected '" << use.name << "' on "
                         << describe(mark.place) << ", but found it on "
                         << describe(place);
    if (use.name.edit_distance(mark.name) <
        use.name.edit_distance(nearest->name))
      nearest = &mark;
  }
  return use.error() << "unknown attribute '" << use.name << "', did you mean '"
                     << nearest->name << "'?";
}

bool isMark(NamedAttribute attr) {
  return attr.getName().strref().starts_with("graph.");
}

/// `all` are the attributes of the place, among them this mark. One that nobody
/// knows is blamed before another that misses it: it is misspelled.
LogicalResult verifyMark(const MarkUse &use, Place place,
                         ArrayRef<NamedAttribute> all) {
  auto isKnown = [](NamedAttribute attr) {
    return !isMark(attr) || llvm::any_of(getMarks(), [&](const Mark &mark) {
      return mark.name == attr.getName();
    });
  };
  for (const Mark &mark : getMarks()) {
    if (mark.name != use.name || mark.place != place)
      continue;
    bool isAlone = llvm::none_of(all, [&](NamedAttribute attr) {
      return attr.getName() == mark.beside;
    });
    if (mark.beside.empty() || !isAlone)
      return mark.verify(use);
    if (const auto *unknown = llvm::find_if_not(all, isKnown);
        unknown != all.end())
      return refusePlace(
          {unknown->getName(), unknown->getValue(), use.type, use.error},
          place);
    return use.error() << "expected '" << use.name << "' on " << mark.owner;
  }
  return refusePlace(use, place);
}

/// Where the argument stands; signatures of models have many lines.
Location getArgumentLoc(FunctionOpInterface func, unsigned index) {
  Region &body = func.getFunctionBody();
  bool isThere = !body.empty() && index < body.front().getNumArguments();
  return isThere ? body.front().getArgument(index).getLoc() : func->getLoc();
}

/// The message for `name`, which has no dialect in front of it.
InFlightDiagnostic refuseName(InFlightDiagnostic error, StringRef name) {
  std::string whole = ("graph." + name).str();
  bool isKnown = llvm::any_of(
      getMarks(), [&](const Mark &mark) { return mark.name == whole; });
  error << "expected an attribute of a dialect, but got '" << name << "'";
  if (isKnown)
    error << ", did you mean '" << whole << "'?";
  return error;
}

/// MLIR refuses attributes of arguments and results that have no dialect, too,
/// but in most cases asks for the marks of this one before it does.
LogicalResult verifyNamesHaveDialect(FunctionOpInterface func) {
  auto findOther = [](ArrayRef<NamedAttribute> attrs) {
    return llvm::find_if(attrs, [](NamedAttribute attr) {
      return !attr.getName().strref().contains('.');
    });
  };
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto attrs = mlir::function_interface_impl::getArgAttrs(func, i);
    if (const auto *other = findOther(attrs); other != attrs.end())
      return refuseName(mlir::emitError(getArgumentLoc(func, i))
                            << "argument " << i << ": ",
                        other->getName());
  }
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto attrs = mlir::function_interface_impl::getResultAttrs(func, i);
    if (const auto *other = findOther(attrs); other != attrs.end())
      return refuseName(func->emitOpError("result ") << i << ": ",
                        other->getName());
  }
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
        return mlir::emitError(getArgumentLoc(func, index))
               << "argument " << index
               << ": expected one of input, parameter and state, but "
                  "got '"
               << first << "' and '" << mark << "'";
      first = mark;
      auto [other, isNew] = seen.try_emplace(name, index);
      if (!isNew)
        return mlir::emitError(getArgumentLoc(func, index))
               << "expected arguments of different names, but " << other->second
               << " and " << index << " are both " << name;
    }
  }
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
  auto error = [&] {
    return mlir::emitError(getArgumentLoc(func, index))
           << "argument " << index << ": ";
  };
  MarkUse use{attr.getName(), attr.getValue(), func.getArgumentTypes()[index],
              error};
  auto attrsOf = [&](unsigned i) {
    return mlir::function_interface_impl::getArgAttrs(func, i);
  };
  if (failed(verifyMark(use, Place::Argument, attrsOf(index))))
    return failure();
  if (!isFirstMark(index, attr, attrsOf))
    return success();
  return failure(failed(verifyNamesHaveDialect(func)) ||
                 failed(verifyArgumentNames(func)));
}

LogicalResult GraphDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                        unsigned index,
                                                        NamedAttribute attr) {
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    return op->emitOpError("expected '")
           << attr.getName().strref() << "' on " << describe(Place::Result);
  auto error = [&] { return func->emitOpError("result ") << index << ": "; };
  MarkUse use{attr.getName(), attr.getValue(), func.getResultTypes()[index],
              error};
  auto attrsOf = [&](unsigned i) {
    return mlir::function_interface_impl::getResultAttrs(func, i);
  };
  if (failed(verifyMark(use, Place::Result, attrsOf(index))))
    return failure();
  bool first = isFirstMark(index, attr, attrsOf);
  return first ? verifyResultNames(func) : success();
}

LogicalResult GraphDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attr) {
  StringRef name = attr.getName();
  bool isOfOps = llvm::any_of(getMarks(), [&](const Mark &mark) {
    return mark.place == Place::Op && mark.name == name;
  });
  Place place = isa<FunctionOpInterface>(op)      ? Place::Function
                : isa<ModuleOp>(op)               ? Place::Module
                : isa<ConstantOp>(op) && !isOfOps ? Place::Constant
                                                  : Place::Op;
  auto error = [&] { return op->emitOpError(); };
  if (auto func = dyn_cast<FunctionOpInterface>(op);
      func && failed(verifyNamesHaveDialect(func)))
    return failure();
  if (place == Place::Op && !isOfOps)
    return error() << "expected no attribute of the graph dialect here, but "
                      "got '"
                   << name << "'";
  return verifyMark({name, attr.getValue(), Type(), error}, place,
                    op->getAttrs());
}

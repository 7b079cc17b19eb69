// In two steps: what every value would be called if it were alone, from the
// inside of regions to the outside; then the names, made unique from the
// outside to the inside.
#include "Naming.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mpc;
using namespace mpc::dump;

std::pair<std::string, std::string> dump::printedName(Value value,
                                                      mlir::AsmState &printed) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.printAsOperand(stream, printed);
  size_t number = std::min(text.find('#'), text.size());
  return {text.substr(1, number - 1), text.substr(number)};
}

static bool isNumber(StringRef name) {
  return !name.empty() && llvm::all_of(name, llvm::isDigit);
}

/// "cst_3" is "cst", made unique.
static StringRef withoutCount(StringRef name) {
  auto [front, back] = name.rsplit('_');
  return isNumber(back) && !front.empty() ? front : name;
}

/// `text` as an SSA name.
static std::string spellName(StringRef text) {
  std::string name = text.str();
  for (char &c : name)
    if (!llvm::isAlnum(c) && !StringRef("$._-").contains(c))
      c = '_';
  return !name.empty() && llvm::isDigit(name.front()) ? "_" + name : name;
}

static bool haveOneShape(Type a, Type b) {
  auto left = dyn_cast<mlir::ShapedType>(a),
       right = dyn_cast<mlir::ShapedType>(b);
  return left && right ? left.getShape() == right.getShape() : a == b;
}

namespace {

/// What the values below one op of the module would be called alone; "" for
/// those that are numbered.
class Bases {
public:
  Bases(const LocationNames &names, mlir::AsmState &printed)
      : names(names), printed(printed) {}

  DenseMap<Value, std::string> find(Operation &top) {
    top.walk([&](Operation *op) { findHeirs(*op); });
    visit(top);
    return std::move(bases);
  }

private:
  /// Operands, then what is inside, then the results, which it may yield.
  void visit(Operation &op) {
    for (Region &region : op.getRegions()) {
      nameArguments(region);
      for (Operation &inner : region.getOps())
        visit(inner);
    }
    nameResults(op);
  }

  /// Notes who is the op of the text: the one of its name, else the last one
  /// of its shape.
  void findHeirs(Operation &op) {
    Origin origin = names.originOf(op.getLoc());
    if (origin.definitions.empty() || origin.isGradient)
      return;
    const Definition *first = origin.definitions.begin();
    if (findDefinition(op, origin))
      survivors.insert(first);
    if (origin.definitions.size() == 1 && op.getNumRegions() == 0 &&
        op.getNumResults() == first->names.size() && op.getNumResults() > 0 &&
        haveOneShape(op.getResult(0).getType(), first->type))
      heirs[first] = &op;
  }

  /// The definition of `op`; with several at its location the one of as many
  /// ops of its name, in their order.
  const Definition *findDefinition(Operation &op, const Origin &origin,
                                   unsigned skipped = 0) const {
    const Definition *found = nullptr;
    for (const Definition &definition : origin.definitions)
      if (definition.opName == op.getName().getStringRef() &&
          definition.names.size() == op.getNumResults()) {
        found = &definition;
        if (skipped-- == 0)
          break;
      }
    return found;
  }

  void nameResults(Operation &op) {
    Origin origin = names.originOf(op.getLoc());
    if (const Definition *own = findOwn(op, origin))
      for (auto [result, name] : llvm::zip_equal(op.getResults(), own->names))
        bases[result] = name;
    else if (Operation *end = findYield(op))
      for (auto [result, yielded] :
           llvm::zip_equal(op.getResults(), end->getOperands()))
        bases[result] = bases.lookup(yielded);
    else
      for (mlir::OpResult result : op.getResults())
        bases[result] = describe(result, origin);
  }

  /// What ends the region of `op` and yields its results, or null.
  static Operation *findYield(Operation &op) {
    if (op.getNumRegions() != 1 || !op.getRegion(0).hasOneBlock() ||
        op.getRegion(0).front().empty())
      return nullptr;
    Operation &end = op.getRegion(0).front().back();
    return end.hasTrait<mlir::OpTrait::IsTerminator>() &&
                   end.getNumOperands() == op.getNumResults()
               ? &end
               : nullptr;
  }

  /// The op of the text that `op` is.
  const Definition *findOwn(Operation &op, const Origin &origin) {
    if (origin.definitions.empty() || origin.isGradient)
      return nullptr;
    const Definition *first = origin.definitions.begin();
    if (survivors.contains(first))
      return findDefinition(
          op, origin,
          origin.definitions.size() == 1 ? 0 : counts[{first, op.getName()}]++);
    return heirs.lookup(first) == &op ? first : nullptr;
  }

  /// The name of a result that a pass has made.
  std::string describe(mlir::OpResult result, const Origin &origin) const {
    auto [own, number] = printedName(result, printed);
    bool isNamed = !isNumber(own);
    if (origin.definitions.empty())
      return isNamed ? withoutCount(own).str() : "";
    StringRef name =
        StringRef(origin.definitions.front().names.front()).split('#').first;
    StringRef word = isNamed ? withoutCount(own)
                             : result.getOwner()->getName().stripDialect();
    return (name + (origin.isGradient ? ".grad." : ".") + spellName(word))
        .str();
  }

  void nameArguments(Region &region) {
    if (region.empty())
      return;
    Operation *op = region.getParentOp();
    bool takesOperands =
        op->getNumOperands() == region.front().getNumArguments();
    for (mlir::BlockArgument argument : region.getArguments())
      bases[argument] =
          takesOperands ? bases.lookup(op->getOperand(argument.getArgNumber()))
                        : describe(argument);
    for (Block &block : llvm::drop_begin(region))
      for (mlir::BlockArgument argument : block.getArguments())
        bases[argument] = "";
  }

  /// As in the text, unless that only counts or another argument was it; else
  /// by its mark.
  std::string describe(mlir::BlockArgument argument) {
    std::string mark = spellName(markOf(argument));
    Origin origin = names.originOf(argument.getLoc());
    if (origin.definitions.empty() ||
        !origin.definitions.front().opName.empty())
      return mark;
    StringRef name = origin.definitions.front().names.front();
    bool counts = name.starts_with("arg") && isNumber(name.drop_front(3));
    if (mark.empty())
      return counts ? "" : name.str();
    return counts || !named.insert(&origin.definitions.front()).second
               ? mark
               : name.str();
  }

  static StringRef markOf(mlir::BlockArgument argument) {
    auto func =
        dyn_cast<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (func)
      for (StringRef attr :
           {graph::kInputAttr, graph::kParameterAttr, graph::kStateAttr})
        if (auto mark = func.getArgAttrOfType<StringAttr>(
                argument.getArgNumber(), attr))
          return mark.getValue();
    return "";
  }

  const LocationNames &names;
  mlir::AsmState &printed;
  DenseMap<Value, std::string> bases;
  /// Definitions whose op is still there, by the first one at their location.
  DenseSet<const Definition *> survivors;
  DenseMap<const Definition *, Operation *> heirs;
  DenseMap<std::pair<const Definition *, mlir::OperationName>, unsigned> counts;
  DenseSet<const Definition *> named; ///< Arguments.
};

/// Makes names unique, as far as they see each other: regions side by side use
/// the same again, so that a change of one leaves the others alone.
class Uniquer {
public:
  Uniquer(const DenseMap<Value, std::string> &bases, mlir::AsmState &printed,
          DenseMap<Value, std::string> &names)
      : bases(bases), printed(printed), names(names) {}

  void visit(Region &region) {
    size_t firstTaken = taken.size(), firstCounted = counted.size();
    unsigned arguments = nextArgument, number = nextNumber;
    for (Block &block : region) {
      for (mlir::BlockArgument argument : block.getArguments())
        name(argument, "arg", nextArgument);
      for (Operation &op : block)
        nameResults(op);
    }
    for (Operation &op : region.getOps())
      for (Region &inner : op.getRegions())
        visit(inner);
    while (taken.size() > firstTaken)
      used.erase(taken.pop_back_val());
    while (counted.size() > firstCounted)
      --counts[counted.pop_back_val()];
    nextArgument = arguments;
    nextNumber = number;
  }

private:
  void nameResults(Operation &op) {
    std::optional<std::string> base = findGroup(op);
    if (!base) {
      for (mlir::OpResult result : op.getResults())
        name(result, "", nextNumber);
      return;
    }
    std::string group =
        claim(base->empty() ? std::to_string(nextNumber++) : *base);
    for (mlir::OpResult result : op.getResults())
      names[result] = group + "#" + std::to_string(result.getResultNumber());
  }

  /// "y" of `%y:2 = ...`, if the results have one name together, and print so.
  std::optional<std::string> findGroup(Operation &op) const {
    if (op.getNumResults() < 2 ||
        printedName(op.getResults().front(), printed).first !=
            printedName(op.getResults().back(), printed).first)
      return std::nullopt;
    StringRef first = bases.find(op.getResult(0))->second;
    StringRef group = first.split('#').first;
    for (mlir::OpResult result : op.getResults()) {
      StringRef base = bases.find(result)->second;
      std::string number = "#" + std::to_string(result.getResultNumber());
      if (base != (group.empty() ? "" : group.str() + number))
        return std::nullopt;
    }
    return group.str();
  }

  void name(Value value, StringRef word, unsigned &next) {
    std::string base = bases.lookup(value);
    llvm::replace(base, '#', '.');
    names[value] = claim(base.empty() ? (word + Twine(next++)).str() : base);
  }

  std::string claim(const std::string &base) {
    std::string name = base;
    while (!used.insert(name).second) {
      name = base + "_" + std::to_string(counts[base]++);
      counted.push_back(base);
    }
    taken.push_back(name);
    return name;
  }

  const DenseMap<Value, std::string> &bases;
  mlir::AsmState &printed;
  DenseMap<Value, std::string> &names;
  llvm::StringSet<> used;
  llvm::StringMap<unsigned> counts; ///< How often a base was made unique.
  SmallVector<std::string> taken, counted;
  unsigned nextArgument = 0, nextNumber = 0;
};

} // namespace

DenseMap<Value, std::string> dump::nameValues(Operation *module,
                                              const LocationNames &names,
                                              mlir::AsmState &printed) {
  DenseMap<Value, std::string> all;
  for (Region &region : module->getRegions())
    for (Operation &op : region.getOps()) {
      DenseMap<Value, std::string> bases = Bases(names, printed).find(op);
      Uniquer uniquer(bases, printed, all);
      for (Region &body : op.getRegions())
        uniquer.visit(body);
    }
  return all;
}

// In two walks over the ops of a function: forward for what the text and the
// marks say, where a region comes before the results that it yields; then
// backward, users before what they use, for what only its users explain.
#include "Bases.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::dump;

bool dump::isNumber(StringRef name) {
  return !name.empty() && llvm::all_of(name, llvm::isDigit);
}

std::string dump::spellName(StringRef text) {
  std::string name = text.str();
  for (char &c : name)
    if (!llvm::isAlnum(c) && !StringRef("$._-").contains(c))
      c = '_';
  return !name.empty() && llvm::isDigit(name.front()) ? "_" + name : name;
}

/// "cst_3" is "cst", made unique.
static StringRef withoutCount(StringRef name) {
  auto [front, back] = name.rsplit('_');
  return isNumber(back) && !front.empty() ? front : name;
}

/// "layer.0" of "layer.0.w" and "layer.0.b.exp_avg".
static StringRef commonStem(StringRef a, StringRef b) {
  size_t end = 0;
  for (size_t at = 0;; ++at) {
    bool ends = at == a.size() || at == b.size();
    bool areParts =
        (at == a.size() || a[at] == '.') && (at == b.size() || b[at] == '.');
    if (areParts)
      end = at;
    if (ends || a[at] != b[at])
      return a.take_front(end);
  }
}

static bool haveOneShape(Type a, Type b) {
  auto left = dyn_cast<mlir::ShapedType>(a),
       right = dyn_cast<mlir::ShapedType>(b);
  return left && right ? left.getShape() == right.getShape() : a == b;
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

static bool takesOperands(Region &region) {
  return !region.empty() && region.getParentOp()->getNumOperands() ==
                                region.front().getNumArguments();
}

namespace {

/// The first source of names: the text.
class TextNames {
public:
  TextNames(Operation &top, const LocationNames &names) : names(names) {
    top.walk([&](Operation *op) { findHeirs(*op); });
  }

  /// The op of the text that `op` is, or null.
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

private:
  /// Notes who is the op of the text: the one of its name, else the last one
  /// of its shape.
  void findHeirs(Operation &op) {
    Origin origin = names.originOf(op.getLoc());
    if (origin.definitions.empty() || origin.isGradient)
      return;
    const Definition *first = origin.definitions.begin();
    if (findDefinition(op, origin, 0))
      survivors.insert(first);
    if (origin.definitions.size() == 1 && op.getNumRegions() == 0 &&
        op.getNumResults() == first->names.size() && op.getNumResults() > 0 &&
        haveOneShape(op.getResult(0).getType(), first->type))
      heirs[first] = &op;
  }

  /// The definition of `op`; with several at its location the one of as many
  /// ops of its name, in their order.
  static const Definition *findDefinition(Operation &op, const Origin &origin,
                                          unsigned skipped) {
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

  const LocationNames &names;
  /// Definitions whose op is still there, by the first one at their location.
  DenseSet<const Definition *> survivors;
  DenseMap<const Definition *, Operation *> heirs;
  DenseMap<std::pair<const Definition *, mlir::OperationName>, unsigned> counts;
};

class Bases {
public:
  Bases(Operation &top, const LocationNames &names, const PrintedNames &printed,
        llvm::StringSaver &strings, DenseMap<Value, Base> &bases)
      : text(top, names), names(names), printed(printed), strings(strings),
        bases(bases) {
    readMarks(top);
    visitForward(top);
    visitBackward(top);
  }

private:
  using Source = Base::Source;

  // The marks of results.

  void readMarks(Operation &top) {
    auto func = dyn_cast<mlir::FunctionOpInterface>(top);
    if (!func || func.getFunctionBody().empty() ||
        func.getFunctionBody().back().empty())
      return;
    DenseSet<StringRef> states;
    for (unsigned index = 0; index < func.getNumArguments(); ++index)
      states.insert(markOf(func, index));
    Operation *end = &func.getFunctionBody().back().back();
    if (end->getNumOperands() != func.getNumResults())
      return;
    auto mark = [&](unsigned index, StringRef attr) {
      auto string = func.getResultAttrOfType<StringAttr>(index, attr);
      return string ? string.getValue() : StringRef();
    };
    for (auto [index, value] : llvm::enumerate(end->getOperands())) {
      Base base{"", "", Source::Mark};
      if (StringRef state = mark(index, graph::kUpdatesAttr); !state.empty())
        base = {state, states.contains(state) ? "next" : "", Source::Mark};
      else if (StringRef of = mark(index, graph::kGradientAttr); !of.empty())
        base = {of, "grad", Source::Mark};
      else
        base.word = mark(index, graph::kOutputAttr);
      base.stem = spell(base.stem);
      base.word = spell(base.word);
      if (!base.stem.empty() || !base.word.empty())
        marked.try_emplace(value, base);
    }
  }

  static StringRef markOf(mlir::FunctionOpInterface func, unsigned index) {
    for (StringRef attr :
         {graph::kInputAttr, graph::kParameterAttr, graph::kStateAttr})
      if (StringAttr name = graph::getName(func.getArgAttr(index, attr)))
        return name.getValue();
    return "";
  }

  // Forward.

  void visitForward(Operation &op) {
    for (Region &region : op.getRegions()) {
      if (!region.empty() && !takesOperands(region))
        for (mlir::BlockArgument argument : region.getArguments())
          bases[argument] = describe(argument);
      for (Operation &inner : region.getOps())
        visitForward(inner);
    }
    nameResults(op);
  }

  void nameResults(Operation &op) {
    if (op.getNumResults() == 0)
      return;
    Origin origin = names.originOf(op.getLoc());
    if (const Definition *own = text.findOwn(op, origin)) {
      for (auto [result, name] : llvm::zip_equal(op.getResults(), own->names))
        bases[result] = {name, "", Source::Text};
      return;
    }
    Operation *end = findYield(op);
    for (mlir::OpResult result : op.getResults()) {
      Base &base = bases[result];
      Value yielded = end ? end->getOperand(result.getResultNumber()) : Value();
      if (yielded)
        base = bases.lookup(yielded);
      else if (!origin.definitions.empty())
        base = describe(result, origin);
      if (auto mark = marked.find(result);
          mark != marked.end() && base.source < Source::Mark)
        base = mark->second;
    }
  }

  /// The base of a result that a pass has made for a value of the text.
  Base describe(mlir::OpResult result, const Origin &origin) {
    StringRef name =
        StringRef(origin.definitions.front().names.front()).split('#').first;
    StringRef stem = isNumber(name) ? spell(name) : name;
    return {origin.isGradient ? strings.save(stem + ".grad") : stem,
            wordOf(result), Source::Text};
  }

  /// What the op calls its result, or what it does.
  StringRef wordOf(mlir::OpResult result) {
    StringRef own = printed.of(result).name;
    return spell(isNumber(own) ? result.getOwner()->getName().stripDialect()
                               : withoutCount(own));
  }

  /// As in the text, unless that only counts, else by its mark. Arguments at
  /// one location have their names in the order of the text.
  Base describe(mlir::BlockArgument argument) {
    auto func =
        dyn_cast<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp());
    Base mark{func ? spell(markOf(func, argument.getArgNumber())) : "", "",
              Source::Mark};
    Origin origin = names.originOf(argument.getLoc());
    unsigned index = arguments[argument.getLoc()]++;
    if (index >= origin.definitions.size() ||
        !origin.definitions[index].opName.empty())
      return mark;
    StringRef name = origin.definitions[index].names.front();
    StringRef digits = name;
    (void)digits.consume_front("arg");
    return isNumber(digits) ? mark : Base{name, "", Source::Text};
  }

  // Backward.

  void visitBackward(Operation &op) {
    Operation *end = findYield(op);
    for (mlir::OpResult result : op.getResults()) {
      Value yielded = end ? end->getOperand(result.getResultNumber()) : Value();
      Base &base = bases[result];
      if (base.source <= Source::Op)
        base = {purposes.lookup(result).value_or(""), wordOf(result, yielded),
                Source::Op};
      if (!isa_and_present<mlir::OpResult>(yielded))
        continue;
      Base own = base;
      if (Base &inner = bases[yielded]; inner.source < own.source)
        inner = own;
      if (auto stem = stemOf(own))
        addUse(yielded, *stem);
    }
    for (Region &region : op.getRegions())
      for (Block &block : llvm::reverse(region))
        for (Operation &inner : llvm::reverse(block))
          visitBackward(inner);
    addUses(op);
  }

  StringRef wordOf(mlir::OpResult result, Value yielded) {
    auto inner = dyn_cast_if_present<mlir::OpResult>(yielded);
    return wordOf(inner ? inner : result);
  }

  /// Says to the operands what they are used for: what the arguments are that
  /// stand for them, else what all results are.
  void addUses(Operation &op) {
    if (op.getNumRegions() == 1 && takesOperands(op.getRegion(0))) {
      for (auto [operand, argument] :
           llvm::zip_equal(op.getOperands(), op.getRegion(0).getArguments()))
        if (auto purpose = purposes.lookup(argument))
          addUse(operand, *purpose);
      return;
    }
    std::optional<StringRef> all;
    for (Value result : op.getResults())
      if (auto purpose = stemOf(bases.lookup(result)))
        all = all ? commonStem(*all, *purpose) : *purpose;
    if (all)
      for (Value operand : op.getOperands())
        addUse(operand, *all);
  }

  /// What a value of `base` is for, where a mark says so: the users that a
  /// value of the text has change with the stages, and a name should not.
  static std::optional<StringRef> stemOf(const Base &base) {
    if (base.stem.empty() || base.source == Source::Text)
      return std::nullopt;
    return base.stem;
  }

  void addUse(Value value, StringRef stem) {
    std::optional<StringRef> &purpose = purposes[value];
    purpose = purpose ? commonStem(*purpose, stem) : stem;
  }

  StringRef spell(StringRef name) { return strings.save(spellName(name)); }

  TextNames text;
  const LocationNames &names;
  const PrintedNames &printed;
  llvm::StringSaver &strings;
  DenseMap<Value, Base> &bases;
  DenseMap<Value, Base> marked; ///< By the results of the function.
  /// The stem of what all users are for; "" when they do not agree.
  DenseMap<Value, std::optional<StringRef>> purposes;
  DenseMap<Location, unsigned> arguments; ///< How many have been found.
};

} // namespace

void dump::findBases(Operation &top, const LocationNames &names,
                     const PrintedNames &printed, llvm::StringSaver &strings,
                     DenseMap<Value, Base> &bases) {
  Bases(top, names, printed, strings, bases);
}

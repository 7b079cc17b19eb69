#include "Naming.h"
#include "Bases.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::dump;

namespace {

/// Makes names unique, as far as they see each other: regions side by side use
/// the same again, so that a change of one leaves the others alone.
class Uniquer {
public:
  Uniquer(const DenseMap<Value, Base> &bases, const PrintedNames &printed,
          llvm::StringSaver &strings, DenseMap<Value, StringRef> &names)
      : bases(bases), printed(printed), strings(strings), names(names) {}

  /// All names of the region before those of regions in it: a name inside must
  /// not be that of a value that is defined further down. Names of the text
  /// first: what a pass has made must not take one away.
  void visit(Region &region) {
    size_t firstTaken = taken.size(), firstCounted = counted.size();
    unsigned arguments = nextArgument;
    for (bool ofText : {true, false})
      for (Block &block : region) {
        for (mlir::BlockArgument argument : block.getArguments())
          nameArgument(argument, ofText);
        for (Operation &op : block)
          nameResults(op, ofText);
      }
    for (Operation &op : region.getOps())
      for (Region &inner : op.getRegions())
        visit(inner);
    while (taken.size() > firstTaken)
      used.erase(taken.pop_back_val());
    while (counted.size() > firstCounted)
      --counts[counted.pop_back_val()];
    nextArgument = arguments;
  }

private:
  static bool isOfText(const Base &base) {
    return base.source == Base::Source::Text && base.word.empty();
  }

  void nameArgument(mlir::BlockArgument argument, bool ofText) {
    Block *block = argument.getOwner();
    Operation *op = block->getParentOp();
    Base base = bases.lookup(argument);
    if (base.source == Base::Source::Nothing && block->isEntryBlock() &&
        op->getNumOperands() == block->getNumArguments())
      base = bases.lookup(op->getOperand(argument.getArgNumber()));
    if (isOfText(base) != ofText)
      return;
    std::string name = spell(base);
    names[argument] =
        claim(name.empty() ? "arg" + std::to_string(nextArgument++) : name);
  }

  void nameResults(Operation &op, bool ofText) {
    if (StringRef group = findGroup(op); !group.empty()) {
      if (!ofText)
        return;
      group = claim(group.str());
      for (mlir::OpResult result : op.getResults())
        names[result] =
            strings.save(group + "#" + Twine(result.getResultNumber()));
      return;
    }
    for (Value result : op.getResults())
      if (Base base = bases.lookup(result); isOfText(base) == ofText)
        names[result] = claim(spell(base));
  }

  /// "y" of `%y:2 = ...`, if the results have one name together, and print so.
  StringRef findGroup(Operation &op) const {
    if (op.getNumResults() < 2 || printed.of(op.getResults().front()).name !=
                                      printed.of(op.getResults().back()).name)
      return "";
    StringRef group = bases.lookup(op.getResult(0)).stem.split('#').first;
    for (mlir::OpResult result : op.getResults()) {
      Base base = bases.lookup(result);
      auto [stem, number] = base.stem.split('#');
      if (!base.word.empty() || stem != group ||
          number != std::to_string(result.getResultNumber()))
        return "";
    }
    return group;
  }

  /// The name; "y.1" for the second of `%y:2`, where it stands alone.
  static std::string spell(const Base &base) {
    std::string name = base.stem.str();
    if (llvm::is_contained(name, '#') && llvm::isDigit(name.front()))
      name = "_" + name;
    llvm::replace(name, '#', '.');
    if (!name.empty() && !base.word.empty())
      name += ".";
    return name + base.word.str();
  }

  StringRef claim(std::string base) {
    // Digits end a number: "%0_0" would be "%0" and more.
    if (isNumber(base) && used.contains(base))
      base = "_" + base;
    StringRef name = base;
    std::string numbered;
    if (used.contains(base)) {
      StringRef key = strings.save(base);
      do {
        numbered = base + "_" + std::to_string(counts[key]++);
        counted.push_back(key);
      } while (used.contains(numbered));
      name = numbered;
    }
    name = strings.save(name);
    used.insert(name);
    taken.push_back(name);
    return name;
  }

  const DenseMap<Value, Base> &bases;
  const PrintedNames &printed;
  llvm::StringSaver &strings;
  DenseMap<Value, StringRef> &names;
  DenseSet<StringRef> used;
  DenseMap<StringRef, unsigned> counts; ///< How often a base was made unique.
  SmallVector<StringRef> taken, counted;
  unsigned nextArgument = 0;
};

} // namespace

DenseMap<Value, StringRef> dump::nameValues(Operation *module,
                                            const LocationNames &names,
                                            const PrintedNames &printed,
                                            llvm::StringSaver &strings) {
  DenseMap<Value, Base> bases;
  for (Region &region : module->getRegions())
    for (Operation &op : region.getOps())
      findBases(op, names, printed, strings, bases);
  DenseMap<Value, StringRef> all;
  Uniquer uniquer(bases, printed, strings, all);
  for (Region &region : module->getRegions())
    uniquer.visit(region);
  return all;
}

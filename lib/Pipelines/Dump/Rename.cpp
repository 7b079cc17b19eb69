#include "Rename.h"
#include "Layout.h"
#include "Naming.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mpc;
using namespace mpc::dump;

namespace {

class Renamer {
public:
  Renamer(const mlir::AsmState::LocationMap &lines,
          const DenseMap<Value, std::string> &names, mlir::AsmState &printed)
      : names(names), printed(printed) {
    for (auto [op, place] : lines)
      ops.push_back({place.first, op});
    llvm::sort(ops);
  }

  std::optional<std::string> rename(StringRef text) {
    renamed.reserve(text.size());
    for (unsigned number = 1; !text.empty(); ++number) {
      auto [line, rest] = text.split('\n');
      enter(number, line.ltrim(' ').starts_with("^"));
      if (!renameLine(line))
        return std::nullopt;
      if (line.size() < text.size())
        renamed += '\n';
      text = rest;
    }
    return std::move(renamed);
  }

private:
  /// Makes `known` the values that line `number` is about: those of the op that
  /// begins there or above, or the arguments of the block that begins there.
  void enter(unsigned number, bool isLabel) {
    bool begins = next < ops.size() && ops[next].first == number;
    if (!begins && !isLabel)
      return;
    known.clear();
    if (isLabel) {
      if (next < ops.size())
        addAll(ops[next].second->getBlock()->getArguments());
      return;
    }
    for (; next < ops.size() && ops[next].first == number; ++next) {
      Operation *op = ops[next].second;
      addAll(op->getOperands());
      addAll(op->getResults());
      for (Region &region : op->getRegions())
        addAll(region.getArguments());
    }
  }

  template <typename Values> void addAll(Values values) {
    for (Value value : values) {
      auto [name, number] = printedName(value, printed);
      unsigned index = 0;
      if (!number.empty())
        (void)StringRef(number).drop_front().getAsInteger(10, index);
      SmallVector<Value> &group = known[name];
      if (group.size() <= index)
        group.resize(index + 1);
      group[index] = value;
    }
  }

  bool renameLine(StringRef line) {
    for (size_t at = 0; at < line.size();) {
      size_t end = at + 1;
      if (line[at] == '"') {
        end = endOfString(line, at);
      } else if (line[at] == '%') {
        end = renameUse(line, at);
        if (end == at)
          return false;
        at = end;
        continue;
      }
      renamed += line.slice(at, end);
      at = end;
    }
    return true;
  }

  /// Renames the value at `at` and returns its end; `at` if it is unknown.
  size_t renameUse(StringRef line, size_t at) {
    StringRef name = line.substr(at + 1).take_while([](char c) {
      return llvm::isAlnum(c) || StringRef("$._-").contains(c);
    });
    auto group = known.find(name);
    if (group == known.end())
      return at;
    size_t end = at + 1 + name.size();
    StringRef mark = line.substr(end, 1);
    StringRef digits = line.substr(end + 1).take_while(llvm::isDigit);
    bool isMarked = (mark == ":" || mark == "#") && !digits.empty();
    unsigned number = 0;
    if (isMarked && digits.getAsInteger(10, number))
      return at;
    if (isMarked && mark == ":")
      return define(group->second, number) ? end + 1 + digits.size() : at;
    if (number >= group->second.size() || !group->second[number])
      return at;
    renamed += "%" + names.lookup(group->second[number]);
    return isMarked ? end + 1 + digits.size() : end;
  }

  /// Writes the names of the `count` results that were one group.
  bool define(ArrayRef<Value> group, unsigned count) {
    if (group.size() != count || !llvm::all_of(group, [](Value value) {
          return static_cast<bool>(value);
        }))
      return false;
    auto [name, number] = StringRef(names.find(group[0])->second).split('#');
    if (!number.empty()) {
      renamed += ("%" + name + ":" + Twine(count)).str();
      return true;
    }
    renamed += llvm::join(
        llvm::map_range(group,
                        [&](Value value) { return "%" + names.lookup(value); }),
        ", ");
    return true;
  }

  const DenseMap<Value, std::string> &names;
  mlir::AsmState &printed;
  SmallVector<std::pair<unsigned, Operation *>> ops; ///< By line.
  size_t next = 0;
  /// By what MLIR calls them.
  llvm::StringMap<SmallVector<Value>> known;
  std::string renamed;
};

} // namespace

std::string dump::renameValues(StringRef text,
                               const mlir::AsmState::LocationMap &lines,
                               const DenseMap<Value, std::string> &names,
                               mlir::AsmState &printed) {
  std::optional<std::string> renamed =
      Renamer(lines, names, printed).rename(text);
  return renamed ? *renamed : text.str();
}

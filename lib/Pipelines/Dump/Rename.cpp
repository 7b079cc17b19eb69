#include "Rename.h"
#include "Layout.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

using namespace mpc;
using namespace mpc::dump;

namespace {

class Renamer {
public:
  Renamer(const mlir::AsmState::LocationMap &lines,
          const DenseMap<Value, StringRef> &names, const PrintedNames &printed)
      : names(names), printed(printed) {
    for (auto [op, place] : lines)
      ops.push_back({place.first, op});
    llvm::sort(ops);
  }

  std::optional<std::string> rename(StringRef text) {
    renamed.reserve(text.size() + text.size() / 4);
    for (unsigned number = 1; !text.empty(); ++number) {
      StringRef line = text.take_front(text.find('\n'));
      enter(number, line.ltrim(' ').starts_with("^"));
      if (!renameLine(line))
        return std::nullopt;
      if (line.size() < text.size())
        renamed += '\n';
      text = text.drop_front(std::min(line.size() + 1, text.size()));
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
      const PrintedName &name = printed.of(value);
      known[{name.name, name.number.value_or(0)}] = value;
    }
  }

  bool renameLine(StringRef line) {
    size_t kept = 0; ///< What is before has been written.
    for (size_t at = 0; at < line.size();) {
      if (line[at] == '"') {
        at = endOfString(line, at);
      } else if (line[at] == '%') {
        renamed += line.slice(kept, at);
        kept = renameUse(line, at);
        if (kept == at)
          return false;
        at = kept;
      } else {
        ++at;
      }
    }
    renamed += line.substr(kept);
    return true;
  }

  /// Renames the value at `at` and returns its end; `at` if it is unknown.
  size_t renameUse(StringRef line, size_t at) {
    StringRef name = line.substr(at + 1).take_while([](char c) {
      return llvm::isAlnum(c) || StringRef("$._-").contains(c);
    });
    size_t end = at + 1 + name.size();
    StringRef mark = line.substr(end, 1);
    StringRef digits;
    if (mark == ":" || mark == "#")
      digits = line.substr(end + 1).take_while(llvm::isDigit);
    unsigned number = 0;
    if (!digits.empty() && digits.getAsInteger(10, number))
      return at;
    bool isKnown = true;
    if (!digits.empty() && mark == ":")
      isKnown = define(name, number);
    else if (auto value = known.find({name, number}); value != known.end())
      (renamed += '%') += names.find(value->second)->second;
    else
      isKnown = false;
    if (!isKnown)
      return at;
    return digits.empty() ? end : end + 1 + digits.size();
  }

  /// Writes the names of the `count` results that were one group.
  bool define(StringRef name, unsigned count) {
    SmallVector<StringRef> group;
    for (unsigned number = 0; number < count; ++number) {
      auto value = known.find({name, number});
      if (value == known.end())
        return false;
      group.push_back(names.find(value->second)->second);
    }
    if (group.empty() || known.contains({name, count}))
      return false;
    auto [own, number] = group.front().split('#');
    if (number.empty())
      renamed += "%" + llvm::join(group, ", %");
    else
      renamed += ("%" + own + ":" + Twine(count)).str();
    return true;
  }

  const DenseMap<Value, StringRef> &names;
  const PrintedNames &printed;
  SmallVector<std::pair<unsigned, Operation *>> ops; ///< By line.
  size_t next = 0;
  /// By what MLIR calls them, and their number.
  DenseMap<std::pair<StringRef, unsigned>, Value> known;
  std::string renamed;
};

} // namespace

std::string dump::renameValues(StringRef text,
                               const mlir::AsmState::LocationMap &lines,
                               const DenseMap<Value, StringRef> &names,
                               const PrintedNames &printed) {
  std::optional<std::string> renamed =
      Renamer(lines, names, printed).rename(text);
  return renamed ? *renamed : text.str();
}

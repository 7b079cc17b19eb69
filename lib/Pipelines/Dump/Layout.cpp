#include "Layout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::dump;

size_t dump::endOfString(StringRef text, size_t begin) {
  // MLIR spells a quote inside as "\22".
  size_t end = text.find('"', begin + 1);
  return end == StringRef::npos ? text.size() : end + 1;
}

namespace {

/// A list in parentheses.
struct List {
  size_t begin, end; ///< From the '(' to after its ')'.
  SmallVector<StringRef> items;
};

} // namespace

/// Two characters that are one token, in which '>' closes nothing.
static bool isOperator(StringRef text) {
  return text.starts_with("->") || text.starts_with(">=") ||
         text.starts_with("<=");
}

/// The list that begins at `begin`; nothing if its brackets do not match.
static std::optional<List> readList(StringRef line, size_t begin) {
  List list{begin, begin, {}};
  SmallVector<char> closers;
  size_t item = begin + 1;
  for (size_t at = begin; at < line.size();) {
    StringRef rest = line.substr(at);
    if (rest.front() == '"' || isOperator(rest)) {
      at = rest.front() == '"' ? endOfString(line, at) : at + 2;
      continue;
    }
    size_t opened = StringRef("([{<").find(rest.front());
    if (opened != StringRef::npos)
      closers.push_back(")]}>"[opened]);
    bool closes = StringRef(")]}>").contains(rest.front());
    if (closes && closers.pop_back_val() != rest.front())
      return std::nullopt;
    bool isEnd = closes && closers.empty();
    if (isEnd || (rest.front() == ',' && closers.size() == 1)) {
      list.items.push_back(line.slice(item, at).trim());
      item = at + 1;
    }
    ++at;
    if (isEnd) {
      list.end = at;
      return list;
    }
  }
  return std::nullopt;
}

/// "(", each item one step further in than `indent`, and ")" at `indent`.
static std::string spell(const List &list, StringRef indent) {
  if (list.items.size() == 1 && list.items.front().empty())
    return "()";
  std::string separator = (",\n" + indent + "    ").str();
  return ("(\n" + indent + "    " + llvm::join(list.items, separator) + "\n" +
          indent + ")")
      .str();
}

/// Where the arguments of the function begin that `line` declares, after its
/// symbol, which may be quoted.
static size_t findArguments(StringRef line) {
  size_t symbol = line.find('@');
  if (symbol == StringRef::npos)
    return StringRef::npos;
  bool isQuoted = line.substr(symbol + 1).starts_with("\"");
  return line.find('(', isQuoted ? endOfString(line, symbol + 1) : symbol);
}

static std::string breakSignature(StringRef line) {
  StringRef indent = line.take_while([](char c) { return c == ' '; });
  size_t begin = findArguments(line);
  if (begin == StringRef::npos)
    return line.str();
  std::optional<List> arguments = readList(line, begin);
  if (!arguments)
    return line.str();
  std::string text = line.take_front(begin).str() + spell(*arguments, indent);
  StringRef rest = line.substr(arguments->end);
  if (!rest.starts_with(" -> ("))
    return text + rest.str();
  std::optional<List> results = readList(rest, rest.find('('));
  if (!results)
    return line.str();
  return text + " -> " + spell(*results, indent) +
         rest.substr(results->end).str();
}

std::string dump::breakSignatures(StringRef text) {
  std::string opName = (mlir::func::FuncOp::getOperationName() + " ").str();
  std::string broken;
  broken.reserve(text.size());
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    broken +=
        line.ltrim(' ').starts_with(opName) ? breakSignature(line) : line.str();
    if (line.size() < text.size())
      broken += '\n';
    text = rest;
  }
  return broken;
}

/// The end of the option that begins at `begin`: a value with spaces in it
/// stands in quotes or braces.
static size_t endOfOption(StringRef text, size_t begin) {
  unsigned depth = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    char c = text[at];
    if (c == ' ' && depth == 0)
      return at;
    if (size_t close = text.find(c, at + 1);
        (c == '\'' || c == '"') && close != StringRef::npos)
      at = close;
    else if (c == '{')
      ++depth;
    else if (c == '}' && depth != 0)
      --depth;
  }
  return text.size();
}

std::string dump::dropEmptyOptions(StringRef pass) {
  auto [name, options] = pass.split('{');
  if (!options.consume_back("}"))
    return pass.str();
  SmallVector<StringRef> kept;
  for (size_t begin = 0; begin < options.size();) {
    size_t end = endOfOption(options, begin);
    StringRef option = options.slice(begin, end);
    if (!option.empty() && !option.ends_with("="))
      kept.push_back(option);
    begin = end + 1;
  }
  return kept.empty() ? name.str()
                      : (name + "{" + llvm::join(kept, " ") + "}").str();
}

#include "Signature.h"
#include "mpc/Onnx/UnknownFields.h"

#include <algorithm>
#include <cctype>
#include <span>

using namespace mpc::onnx;

static constexpr std::string_view kSignature =
    "pkg.torch.export.ExportedProgram.graph_signature";
static constexpr std::string_view kCall = "pkg.torch.onnx.fx_node";
static constexpr std::string_view kScopes = "pkg.torch.onnx.name_scopes";

/// The innermost modules of a call, those around one of them, and last names of
/// parameters that one call reads: of more no tie is known.
static constexpr size_t kInnermost = 4, kDeepest = 16, kMostOperands = 32;

/// Removes what `end` ends from the front of `text`.
static std::string_view takeUntil(std::string_view &text, char end) {
  std::string_view part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

/// Removes what `begin` begins from the back of `text`.
static std::string_view takeBehind(std::string_view &text, char begin) {
  std::string_view part = text.substr(text.rfind(begin) + 1); // none: all
  text.remove_suffix(std::min(part.size() + 1, text.size()));
  return part;
}

/// Of "wte.weight' persistent=True" behind " target='" the name.
static std::string_view targetOf(std::string_view line) {
  constexpr std::string_view mark = " target='";
  size_t at = line.find(mark);
  if (at == line.npos)
    return {};
  std::string_view name = line.substr(at + mark.size());
  size_t end = name.find('\'');
  return end == name.npos ? std::string_view() : name.substr(0, end);
}

/// A line like "p_wte_weight: PARAMETER target='wte.weight'".
static void readLine(std::string_view line, Signature &signature) {
  size_t colon = line.find(": ");
  if (colon == line.npos)
    return;
  std::string_view called = line.substr(0, colon);
  line.remove_prefix(colon + 2);
  called.remove_prefix(called.find_last_of(' ') + 1); // none: 0
  std::string_view kind = line.substr(0, line.find(' '));
  if (kind == "USER_OUTPUT" || kind == "LOSS_OUTPUT") {
    if (!called.empty()) // a constant has no name
      signature.results.emplace(called);
    return;
  }
  signature.given.emplace(called);
  std::string_view target = targetOf(line);
  if (target.empty())
    return;
  if (kind == "PARAMETER")
    signature.parameters.emplace(target, called);
  else if (kind == "BUFFER" || kind == "CONSTANT_TENSOR")
    signature.others.emplace(target, called);
}

Signature mpc::onnx::readSignature(const ::onnx::GraphProto &graph) {
  Signature signature;
  for (const auto &[key, value] : readMetadata(graph))
    if (key == kSignature)
      for (std::string_view text = value; !text.empty();)
        readLine(takeUntil(text, '\n'), signature);
  return signature;
}

/// Of "%embedding : ... (args = (%p_wte_weight, %x), ...)" the names behind %.
static std::vector<std::string_view> readNames(std::string_view call) {
  std::vector<std::string_view> names;
  for (size_t at = 0; (at = call.find('%', at)) != call.npos;) {
    std::string_view name = call.substr(++at);
    auto end = std::ranges::find_if_not(name, [](unsigned char letter) {
      return std::isalnum(letter) || letter == '_';
    });
    names.push_back(name.substr(0, size_t(end - name.begin())));
  }
  return names;
}

static std::string_view lastOf(std::string_view name) {
  return name.substr(name.rfind('.') + 1); // none: all
}

namespace {
/// Finds lost parameters in whose modules calls read kept ones of their last
/// names.
class TieSearch {
public:
  TieSearch(const NamesByName &kept, const NamesByName &lost, bool isWrapped,
            Names &tied)
      : isWrapped(isWrapped), tied(tied) {
    for (const auto &[name, called] : kept)
      lastNames.emplace(called, lastOf(name));
    for (const auto &[name, called] : lost)
      if (size_t dot = name.rfind('.'); dot != name.npos)
        within[name.substr(0, dot)].emplace(name.substr(dot + 1));
  }

  /// `scopes` is like "['', 'wte', 'embedding']".
  void look(std::string_view scopes, std::span<const std::string_view> read) {
    std::set<std::string_view> names;
    for (std::string_view called : read)
      if (auto row = lastNames.find(called);
          row != lastNames.end() && names.size() < kMostOperands)
        names.insert(row->second);
    for (size_t i = 0; !scopes.empty() && i < kInnermost; ++i) {
      takeBehind(scopes, '\'');
      std::string_view module = takeBehind(scopes, '\'');
      if (isWrapped)
        takeUntil(module, '.');
      note(module, names);
    }
  }

private:
  /// Of a call in `module`, and in those around it, which may have no call.
  void note(std::string_view module, const std::set<std::string_view> &names) {
    for (size_t depth = 0; !module.empty() && depth < kDeepest; ++depth) {
      if (auto row = within.find(module); row != within.end())
        for (std::string_view name : names)
          if (row->second.contains(name))
            tied.emplace(row->first + "." + std::string(name));
      takeBehind(module, '.');
    }
  }

  bool isWrapped;
  std::map<std::string, Names, std::less<>> within; ///< Lost ones, by modules.
  NamesByName lastNames; ///< Of kept ones, by what the program calls them.
  Names &tied;
};
} // namespace

Calls::Calls(const Nodes &nodes, const NamesByName &kept,
             const NamesByName &lost, bool isWrapped) {
  TieSearch ties(kept, lost, isWrapped, tied);
  for (const auto *node : nodes) {
    std::string call, scopes;
    for (auto &[key, text] : readMetadata(*node))
      if (key == kCall)
        call = std::move(text);
      else if (key == kScopes)
        scopes = std::move(text);
    std::vector<std::string_view> names = readNames(call);
    if (names.empty())
      continue;
    made.emplace(names.front());
    auto read = std::span(names).subspan(1);
    for (std::string_view name : read)
      operands.emplace(name);
    ties.look(scopes, read);
  }
}

bool Calls::areWhole(const Signature &signature) const {
  auto isKnown = [&](std::string_view name) {
    return made.contains(name) || signature.given.contains(name) ||
           name == "getitem" || name.starts_with("getitem_");
  };
  return !signature.results.empty() &&
         std::ranges::all_of(signature.results, isKnown) &&
         std::ranges::all_of(operands, isKnown);
}

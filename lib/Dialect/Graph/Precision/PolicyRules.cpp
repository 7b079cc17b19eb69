// Rules as text, and which of them match an op. Files: PolicyFile.cpp.
#include "mpc/Dialect/Graph/Precision/PolicyRules.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"
#include "mpc/Dialect/Graph/Settings/Patterns.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mpc;
using namespace mpc::graph;

void mpc::graph::collectLocationNames(Location loc,
                                      SmallVectorImpl<std::string> &names) {
  mlir::LocationAttr(loc).walk([&](mlir::LocationAttr inner) {
    if (auto named = dyn_cast<mlir::NameLoc>(inner))
      names.push_back(named.getName().str());
    if (auto file = dyn_cast<mlir::FileLineColLoc>(inner))
      names.push_back((file.getFilename().strref() + ":" +
                       Twine(file.getLine()) + ":" + Twine(file.getColumn()))
                          .str());
    return mlir::WalkResult::advance();
  });
}

const PolicyRule *RuleMatch::findOperand(unsigned index) const {
  for (auto [operand, rule] : operands)
    if (operand == index)
      return rule;
  return nullptr;
}

//===-- Adding rules -----------------------------------------------------===//

/// The spelling that addRule reads.
static std::string spell(const PolicyRule &rule) {
  std::string text = rule.op;
  if (!rule.op.empty() && !rule.loc.empty())
    text += "@" + rule.loc;
  auto part = [&](StringRef key, const std::string &value) {
    text += (text.empty() ? "" : ";") + key.str() + ":" + value;
  };
  if (rule.op.empty() && !rule.loc.empty())
    part("loc", rule.loc);
  if (!rule.region.empty())
    part("region", rule.region);
  if (rule.operand)
    part("operand", std::to_string(*rule.operand));
  return text + "=" + stringifyAutocastPolicy(rule.policy).str();
}

static LogicalResult checkRule(const PolicyRule &rule,
                               PolicyRules::EmitError emitError) {
  if (rule.op.empty() && rule.loc.empty() && rule.region.empty())
    return emitError() << "expected an op, a location or a region in policy "
                          "rule, but got '"
                       << rule.text << "'";
  if (!rule.op.empty() && !StringRef(rule.op).contains('.'))
    return emitError() << "expected the full name of an op, such as "
                          "'graph.matmul', in policy rule '"
                       << rule.text << "', but got '" << rule.op << "'";
  if (rule.operand && rule.policy != AutocastPolicy::Allow &&
      rule.policy != AutocastPolicy::Deny)
    return emitError() << "expected Allow or Deny for an operand in policy "
                          "rule '"
                       << rule.text << "', but got "
                       << stringifyAutocastPolicy(rule.policy);
  return success();
}

static FailureOr<llvm::Regex> compile(StringRef pattern, StringRef text,
                                      PolicyRules::EmitError emitError) {
  auto mistake = pattern.empty() ? std::nullopt : findPatternMistake(pattern);
  if (mistake)
    return emitError() << "expected a regular expression in policy rule '"
                       << text << "', but " << *mistake;
  return wholeNames(pattern);
}

LogicalResult PolicyRules::add(PolicyRule rule, EmitError emitError) {
  rule.text = spell(rule);
  if (failed(checkRule(rule, emitError)))
    return failure();
  auto loc = compile(rule.loc, rule.text, emitError);
  if (failed(loc))
    return failure();
  auto region = compile(rule.region, rule.text, emitError);
  if (failed(region))
    return failure();
  entries.push_back({std::move(rule), std::move(*loc), std::move(*region)});
  return success();
}

/// Cuts `target` at each ';' after which a key stands, so that patterns may
/// contain ';' otherwise.
static SmallVector<StringRef> splitParts(StringRef target) {
  SmallVector<StringRef> parts;
  size_t begin = 0;
  for (size_t at = 0; at < target.size(); ++at) {
    StringRef rest = target.substr(at);
    if (!rest.starts_with(";loc:") && !rest.starts_with(";region:") &&
        !rest.starts_with(";operand:"))
      continue;
    parts.push_back(target.slice(begin, at));
    begin = at + 1;
  }
  parts.push_back(target.substr(begin));
  return parts;
}

/// Reads one part of a rule: "region:tail", "operand:1", "graph.add@.*head.*".
static LogicalResult readPart(StringRef part, PolicyRule &rule, StringRef text,
                              PolicyRules::EmitError emitError) {
  if (part.consume_front("loc:")) {
    rule.loc = part.str();
  } else if (part.consume_front("region:")) {
    rule.region = part.str();
  } else if (part.consume_front("operand:")) {
    unsigned index;
    if (part.getAsInteger(10, index))
      return emitError() << "expected the index of an operand after "
                            "'operand:' in policy rule '"
                         << text << "', but got '" << part << "'";
    rule.operand = index;
  } else {
    auto [op, loc] = part.split('@');
    rule.op = op.str();
    rule.loc = loc.str();
  }
  return success();
}

LogicalResult PolicyRules::addRule(StringRef text, EmitError emitError) {
  auto [target, word] = text.rsplit('=');
  std::optional<AutocastPolicy> policy = symbolizeAutocastPolicy(word);
  if (!policy)
    return emitError()
           << "expected policy rule to end in '=Allow', '=Deny', '=DenyIO', "
              "'=Promote', '=Infer' or '=Clear', but got '"
           << text << "'";
  PolicyRule rule;
  rule.policy = *policy;
  for (StringRef part : splitParts(target))
    if (failed(readPart(part, rule, text, emitError)))
      return failure();
  return add(std::move(rule), emitError);
}

LogicalResult PolicyRules::addList(StringRef text, EmitError emitError) {
  for (StringRef rule : llvm::split(text, ','))
    if (!rule.trim().empty() && failed(addRule(rule.trim(), emitError)))
      return failure();
  return success();
}

//===-- Matching ---------------------------------------------------------===//

struct PolicyRules::Subject {
  Operation *op;
  AutocastRegionAttr region; ///< Null: the outermost.
  SmallVector<std::string> locations;

  explicit Subject(Operation *op)
      : op(op), region(op->getAttrOfType<AutocastRegionAttr>(kRegionAttr)) {}

  ArrayRef<std::string> locationNames() {
    if (locations.empty())
      collectLocationNames(op->getLoc(), locations);
    return locations;
  }
};

static bool matchesRegion(const llvm::Regex &pattern,
                          AutocastRegionAttr region) {
  if (!region)
    return false;
  StringRef path = region.getName();
  return pattern.match(path) ||
         llvm::any_of(llvm::split(path, '/'), [&](StringRef name) {
           return !name.empty() && pattern.match(name);
         });
}

bool PolicyRules::matches(const Entry &entry, Subject &subject) {
  const PolicyRule &rule = entry.rule;
  if (!rule.op.empty() && rule.op != subject.op->getName().getStringRef())
    return false;
  bool isOff = subject.region && !subject.region.getEnabled();
  if (rule.region.empty() ? isOff
                          : !matchesRegion(entry.region, subject.region))
    return false;
  if (!rule.loc.empty() &&
      llvm::none_of(subject.locationNames(),
                    [&](StringRef name) { return entry.loc.match(name); }))
    return false;
  return !rule.operand ||
         (*rule.operand < subject.op->getNumOperands() &&
          getCastableType(subject.op->getOperand(*rule.operand)));
}

RuleMatch PolicyRules::match(Operation *op) {
  RuleMatch found;
  if (entries.empty())
    return found;
  Subject subject(op);
  for (Entry &entry : entries) {
    if (!matches(entry, subject))
      continue;
    entry.matched = true;
    if (!entry.rule.operand) {
      found = {&entry.rule, {}};
      continue;
    }
    llvm::erase_if(found.operands, [&](const auto &known) {
      return known.first == *entry.rule.operand;
    });
    found.operands.push_back({*entry.rule.operand, &entry.rule});
  }
  return found;
}

SmallVector<const PolicyRule *> PolicyRules::unmatched() const {
  SmallVector<const PolicyRule *> rules;
  for (const Entry &entry : entries)
    if (!entry.matched)
      rules.push_back(&entry.rule);
  return rules;
}

SmallVector<StringRef> PolicyRules::texts() const {
  SmallVector<StringRef> texts;
  for (const Entry &entry : entries)
    texts.push_back(entry.rule.text);
  return texts;
}

std::optional<std::pair<const PolicyRule *, const PolicyRule *>>
PolicyRules::findConflict() const {
  llvm::StringMap<const PolicyRule *> ruleOf;
  for (const Entry &entry : entries) {
    StringRef selector = StringRef(entry.rule.text).rsplit('=').first;
    const PolicyRule *&first = ruleOf[selector];
    if (first && first->policy != entry.rule.policy)
      return std::pair(first, &entry.rule);
    first = &entry.rule;
  }
  return std::nullopt;
}

#include "mpc/Dialect/Graph/Analysis/PolicyRules.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

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

LogicalResult PolicyRules::add(PolicyRule rule, EmitError emitError) {
  std::string location = rule.loc.empty() ? "" : "@" + rule.loc;
  rule.text =
      rule.op + location + "=" + stringifyAutocastPolicy(rule.policy).str();
  llvm::Regex pattern("^(" + rule.loc + ")$");
  std::string problem;
  if (!rule.loc.empty() && !pattern.isValid(problem))
    return emitError() << "expected a regular expression in policy rule '"
                       << rule.text << "', but " << problem;
  entries.push_back({std::move(rule), std::move(pattern)});
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
  PolicyRule rule{"", "", *policy, ""};
  if (target.consume_front("loc:")) {
    rule.loc = target.str();
  } else {
    auto [op, loc] = target.split('@');
    rule.op = op.str();
    rule.loc = loc.str();
  }
  if (rule.op.empty() && rule.loc.empty())
    return emitError() << "expected an op name or 'loc:' and a pattern in "
                          "policy rule, but got '"
                       << text << "'";
  return add(std::move(rule), emitError);
}

LogicalResult PolicyRules::addList(StringRef text, EmitError emitError) {
  for (StringRef rule : llvm::split(text, ','))
    if (!rule.trim().empty() && failed(addRule(rule.trim(), emitError)))
      return failure();
  return success();
}

/// Reads the string member `key` into `out`; a missing one leaves it.
static LogicalResult readString(const llvm::json::Object &object, StringRef key,
                                std::string &out,
                                PolicyRules::EmitError emitError) {
  const llvm::json::Value *value = object.get(key);
  if (!value)
    return success();
  std::optional<StringRef> text = value->getAsString();
  if (!text || text->empty())
    return emitError() << "expected '" << key << "' to be a non-empty string";
  out = text->str();
  return success();
}

static LogicalResult checkKeys(const llvm::json::Object &object,
                               ArrayRef<StringRef> known,
                               PolicyRules::EmitError emitError) {
  for (const auto &member : object)
    if (!llvm::is_contained(known, StringRef(member.first)))
      return emitError() << "expected the keys '" << llvm::join(known, "', '")
                         << "', but got '" << StringRef(member.first) << "'";
  return success();
}

static FailureOr<PolicyRule> readRule(const llvm::json::Value &value,
                                      PolicyRules::EmitError emitError) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return emitError() << "expected each rule to be an object";
  PolicyRule rule{"", "", AutocastPolicy::Deny, ""};
  std::string word;
  if (failed(checkKeys(*object, {"op", "loc", "policy"}, emitError)) ||
      failed(readString(*object, "op", rule.op, emitError)) ||
      failed(readString(*object, "loc", rule.loc, emitError)) ||
      failed(readString(*object, "policy", word, emitError)))
    return failure();
  std::optional<AutocastPolicy> policy = symbolizeAutocastPolicy(word);
  if (!policy)
    return emitError() << "expected 'policy' to be Allow, Deny, DenyIO, "
                          "Promote, Infer or Clear, but got '"
                       << word << "'";
  if (rule.op.empty() && rule.loc.empty())
    return emitError() << "expected 'op' or 'loc' in each rule";
  rule.policy = *policy;
  return rule;
}

LogicalResult PolicyRules::addFile(StringRef path, EmitError emitError) {
  auto inFile = [&] {
    InFlightDiagnostic diagnostic = emitError();
    diagnostic << "policy file '" << path << "': ";
    return diagnostic;
  };
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return inFile() << "cannot be read: " << buffer.getError().message();
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse((*buffer)->getBuffer());
  if (!json)
    return inFile() << "is not JSON: " << llvm::toString(json.takeError());
  const llvm::json::Object *root = json->getAsObject();
  if (!root)
    return inFile() << "expected an object with 'version' and 'rules'";
  if (failed(checkKeys(*root, {"version", "rules"}, inFile)))
    return failure();
  if (root->getInteger("version") != 1)
    return inFile() << "expected 'version' to be 1";
  const llvm::json::Array *rules = root->getArray("rules");
  if (!rules)
    return inFile() << "expected 'rules' to be an array";
  for (const llvm::json::Value &value : *rules) {
    FailureOr<PolicyRule> rule = readRule(value, inFile);
    if (failed(rule) || failed(add(std::move(*rule), inFile)))
      return failure();
  }
  return success();
}

const PolicyRule *PolicyRules::find(Operation *op) {
  SmallVector<std::string> names;
  const PolicyRule *found = nullptr;
  for (Entry &entry : entries) {
    const PolicyRule &rule = entry.rule;
    if (!rule.op.empty() && rule.op != op->getName().getStringRef())
      continue;
    if (!rule.loc.empty()) {
      if (names.empty())
        collectLocationNames(op->getLoc(), names);
      if (llvm::none_of(
              names, [&](StringRef name) { return entry.pattern.match(name); }))
        continue;
    }
    entry.matched = true;
    found = &rule;
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

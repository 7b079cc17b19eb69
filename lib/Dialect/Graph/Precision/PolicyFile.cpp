// Policy files: JSON, read key by key against docs/policy.schema.json. Errors
// name the file and the path of the value, "rules[2].policy".
#include "JsonFile.h"
#include "mlir/IR/Diagnostics.h"
#include "mpc/Dialect/Graph/Precision/PolicyRules.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::graph;

using EmitError = PolicyRules::EmitError;

static LogicalResult checkKeys(const llvm::json::Object &object,
                               ArrayRef<StringRef> known, EmitError emitError) {
  for (const auto &member : object)
    if (!llvm::is_contained(known, StringRef(member.first)))
      return emitError() << "expected the keys '" << llvm::join(known, "', '")
                         << "', but got '" << StringRef(member.first) << "'";
  return success();
}

/// Reads the string member `key` into `out`; a missing one leaves it.
static LogicalResult readString(const llvm::json::Object &object, StringRef key,
                                std::string &out, EmitError emitError) {
  const llvm::json::Value *value = object.get(key);
  if (!value)
    return success();
  std::optional<StringRef> text = value->getAsString();
  if (!text || text->empty())
    return emitError() << "expected '" << key << "' to be a non-empty string";
  out = text->str();
  return success();
}

static LogicalResult readOperand(const llvm::json::Object &object,
                                 std::optional<unsigned> &out,
                                 EmitError emitError) {
  const llvm::json::Value *value = object.get("operand");
  if (!value)
    return success();
  std::optional<int64_t> index = value->getAsInteger();
  if (!index || *index < 0 || *index > std::numeric_limits<int>::max())
    return emitError() << "expected 'operand' to be the index of an operand, "
                          "from 0";
  out = static_cast<unsigned>(*index);
  return success();
}

static FailureOr<PolicyRule> readRule(const llvm::json::Value &value,
                                      EmitError emitError) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return emitError() << "expected each rule to be an object";
  PolicyRule rule;
  std::string word;
  if (failed(checkKeys(*object, {"op", "loc", "region", "operand", "policy"},
                       emitError)) ||
      failed(readString(*object, "op", rule.op, emitError)) ||
      failed(readString(*object, "loc", rule.loc, emitError)) ||
      failed(readString(*object, "region", rule.region, emitError)) ||
      failed(readOperand(*object, rule.operand, emitError)) ||
      failed(readString(*object, "policy", word, emitError)))
    return failure();
  std::optional<AutocastPolicy> policy = symbolizeAutocastPolicy(word);
  if (!policy)
    return emitError() << "expected 'policy' to be Allow, Deny, DenyIO, "
                          "Promote, Infer or Clear, but got '"
                       << word << "'";
  rule.policy = *policy;
  return rule;
}

LogicalResult PolicyRules::addFile(StringRef path, EmitError emitError) {
  auto inFile = [&] {
    InFlightDiagnostic diagnostic = emitError();
    diagnostic << "policy file '" << path << "': ";
    return diagnostic;
  };
  llvm::Expected<llvm::json::Value> json = readJson(path);
  if (!json)
    return inFile() << llvm::toString(json.takeError());
  const llvm::json::Object *root = json->getAsObject();
  if (!root)
    return inFile() << "expected an object with 'version' and 'rules'";
  // "$schema" is for editors, which look the schema up by it.
  if (failed(checkKeys(*root, {"$schema", "version", "rules"}, inFile)))
    return failure();
  if (root->getInteger("version") != 1)
    return inFile() << "expected 'version' to be 1";
  const llvm::json::Array *rules = root->getArray("rules");
  if (!rules)
    return inFile() << "expected 'rules' to be an array";
  for (auto [index, value] : llvm::enumerate(*rules)) {
    auto inRule = [&, at = index] {
      InFlightDiagnostic diagnostic = inFile();
      diagnostic << "rules[" << at << "]: ";
      return diagnostic;
    };
    FailureOr<PolicyRule> rule = readRule(value, inRule);
    if (failed(rule) || failed(add(std::move(*rule), inRule)))
      return failure();
  }
  return success();
}

#include "mpc/Dialect/Graph/Precision/OpPolicy.h"
#include "OpTypes.h"
#include "mpc/Dialect/Graph/Settings/Words.h"

using namespace mpc;
using namespace mpc::graph;

/// The word that `lists` give an op with the word `own`: what they leave to
/// type promotion keeps its own, unless that fixes a type.
static AutocastPolicy wordOfLists(TorchPolicy place, AutocastPolicy own) {
  if (std::optional<AutocastPolicy> word = toAutocastPolicy(place))
    return *word;
  bool fixes = own == AutocastPolicy::Allow || own == AutocastPolicy::Deny;
  return fixes ? AutocastPolicy::Promote : own;
}

static TorchLists listsOf(AutocastRegionAttr region, TorchLists outer) {
  if (!region)
    return outer;
  return symbolizeEnum<TorchLists>(region.getLists()).value_or(outer);
}

/// The rule that decides for an op whose operands have one type: f32 if one of
/// them is to be f32.
static const PolicyRule *joinOperands(const RuleMatch &match) {
  const PolicyRule *found = match.rule;
  for (auto [index, rule] : match.operands)
    if (found == match.rule || rule->policy == AutocastPolicy::Deny)
      found = rule;
  return found;
}

OpPolicy OpPolicy::of(Operation *op, const PrecisionOptions &options) {
  auto words = cast<AutocastOpInterface>(op);
  OpPolicy answer;
  answer.region = op->getAttrOfType<AutocastRegionAttr>(kRegionAttr);
  answer.enabled = !answer.region || answer.region.getEnabled();
  answer.lowp = answer.region && answer.region.getDtype()
                    ? answer.region.getDtype()
                    : options.lowp;
  answer.lists = listsOf(answer.region, options.lists);
  RuleMatch match = options.rules ? options.rules->match(op) : RuleMatch();
  answer.rule = words.takesMixedTypes() ? match.rule : joinOperands(match);
  if (words.takesMixedTypes())
    answer.operandRules = std::move(match);
  if (answer.rule) {
    answer.enabled = true; // Where it is off, the rule names the region.
    answer.policy = answer.rule->policy;
    answer.torch = toTorchPolicy(answer.policy);
    return answer;
  }
  answer.policy = words.getOwnPolicy();
  answer.torch = words.getOwnTorchPolicy(answer.lists);
  answer.forced = words.getForcedType();
  if (answer.forced && !answer.forced.isF32())
    answer.lowp = answer.forced;
  if (answer.isGiven())
    answer.policy = wordOfLists(answer.torch, answer.policy);
  return answer;
}

FloatType OpPolicy::operandType(unsigned index, FloatType narrow) const {
  const PolicyRule *own = operandRules.findOperand(index);
  if (!own || !narrow)
    return {};
  return own->policy == AutocastPolicy::Deny
             ? FloatType(mlir::Float32Type::get(narrow.getContext()))
             : narrow;
}

bool OpPolicy::isGiven() const {
  return rule || (region && !region.getLists().empty());
}

std::string OpPolicy::origin() const {
  return rule ? describe(rule) : describe(region);
}

bool mpc::graph::isImplementation(AutocastRegionAttr region) {
  if (!region)
    return false;
  SmallVector<StringRef> path;
  region.getName().split(path, '/');
  return path.back().starts_with(kImplementationMark);
}

std::string mpc::graph::describe(AutocastRegionAttr region) {
  if (!region)
    return "";
  return region.getName().empty()
             ? " (region)"
             : " (region '" + region.getName().str() + "')";
}

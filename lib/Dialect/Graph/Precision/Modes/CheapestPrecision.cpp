#include "CheapestPrecision.h"
#include "../OpTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Text/TypeText.h"

using namespace mpc;
using namespace mpc::graph;
using Fixed = CastCutProblem::Fixed;

static FloatType getF32(Operation *op) {
  return mlir::Float32Type::get(op->getContext());
}

/// Types of the results when all retypeable operands are `in`, with `dtype`.
static FailureOr<SmallVector<Type>>
resultsAt(Operation *op, ArrayRef<unsigned> operands,
          ArrayRef<std::pair<unsigned, FloatType>> ruled, Type in,
          FloatType dtype) {
  SmallVector<Type> types(op->getNumOperands());
  if (isa<mlir::InferTypeOpInterface>(op))
    for (auto [index, type] : ruled)
      types[index] = type;
  for (unsigned index : operands)
    types[index] = in;
  return inferResultTypes(op, types, dtype);
}

//===-- Building the problem ---------------------------------------------===//

/// The 16-bit type in which `value` may come from its maker, or null.
FloatType CheapestPrecision::narrowOfMaker(Value value) const {
  auto it = candidates.find(value.getDefiningOp());
  if (it == candidates.end() ||
      problem.sites[it->second.out].fixed == Fixed::Wide)
    return {};
  return placeOfMaker(value).narrow;
}

/// The 16-bit type at which the op may run, or null if two meet on it. An op
/// that has no type of its own follows its operands, those that an inner region
/// makes as well.
FloatType CheapestPrecision::chooseNarrow(Operation *op, const OpPolicy &words,
                                          ArrayRef<unsigned> operands) const {
  if (words.forced && !words.forced.isF32())
    return words.forced;
  FloatType narrow;
  for (unsigned index : operands) {
    Value operand = op->getOperand(index);
    FloatType type = getCastableType(operand);
    if (type.isF32())
      type = words.policy == AutocastPolicy::Allow ? FloatType()
                                                   : narrowOfMaker(operand);
    if (type && narrow && type != narrow)
      return {};
    narrow = type ? type : narrow;
  }
  return narrow ? narrow : words.lowp;
}

LogicalResult CheapestPrecision::addCandidate(Operation *op,
                                              ArrayRef<unsigned> operands) {
  Candidate candidate{op, OpPolicy::of(op, analysis.options)};
  OpDecision &decision = analysis.decisions[op];
  if (!candidate.words.enabled) {
    decision = leaveAlone(op, candidate.words);
    return success();
  }
  candidate.narrow = chooseNarrow(op, candidate.words, operands);
  for (unsigned index : operands) {
    FloatType own = candidate.words.operandType(index, candidate.narrow);
    if (own)
      candidate.ruled.push_back({index, own});
    else
      candidate.operands.push_back(index);
    decision.operandTypes[index] = own ? own : decision.operandTypes[index];
  }
  chooseSites(candidate);
  if (failed(inferResults(candidate)))
    return failure();
  priceSites(candidate);
  candidates.insert({op, std::move(candidate)});
  return success();
}

void CheapestPrecision::chooseSites(Candidate &candidate) {
  candidate.in = candidate.out = problem.addSite({});
  AutocastPolicy policy = candidate.words.policy;
  if (policy == AutocastPolicy::DenyIO && hasUnsetDtype(candidate.op))
    candidate.out = problem.addSite({});
  Fixed &fixed = problem.sites[candidate.in].fixed;
  if (policy == AutocastPolicy::Allow)
    fixed = Fixed::Narrow;
  if (policy == AutocastPolicy::Deny)
    fixed = Fixed::Wide;
  if (!candidate.narrow)
    pin(candidate, candidate.in,
        "mixed: " + shortName(candidate.op).str() +
            " meets two 16-bit types in f32");
}

LogicalResult CheapestPrecision::inferResults(Candidate &candidate) {
  FloatType wide = getF32(candidate.op);
  FloatType narrow = candidate.narrow ? candidate.narrow : wide;
  auto wideResults = resultsAt(candidate.op, candidate.operands,
                               candidate.ruled, wide, /*dtype=*/{});
  auto narrowResults = resultsAt(candidate.op, candidate.operands,
                                 candidate.ruled, narrow, /*dtype=*/{});
  if (failed(wideResults) || failed(narrowResults))
    return failure();
  candidate.wideResults = std::move(*wideResults);
  candidate.narrowResults = std::move(*narrowResults);
  return success();
}

void CheapestPrecision::priceSites(const Candidate &candidate) {
  FloatType wide = getF32(candidate.op);
  Type narrow = candidate.narrow ? candidate.narrow : wide;
  auto &in = problem.sites[candidate.in];
  for (unsigned index : candidate.operands) {
    Type type = candidate.op->getOperand(index).getType();
    in.wideCost += getBytes(type, wide);
    in.narrowCost += getBytes(type, narrow);
  }
  auto &out = problem.sites[candidate.out];
  for (auto [wideType, narrowType] :
       llvm::zip(candidate.wideResults, candidate.narrowResults)) {
    if (wideType == narrowType)
      continue;
    out.wideCost += getBytes(wideType, wide);
    out.narrowCost += getBytes(narrowType, narrow);
  }
}

void CheapestPrecision::pin(Candidate &candidate, unsigned site,
                            std::string reason) {
  problem.sites[site].fixed = Fixed::Wide;
  if (candidate.pinned.empty() &&
      candidate.words.policy != AutocastPolicy::Deny)
    candidate.pinned = std::move(reason);
}

//===-- Constants out of range -------------------------------------------===//

/// The constant out of range that `operand` is or carries, for this user.
std::optional<CheapestPrecision::Taint>
CheapestPrecision::findTaint(const Candidate &candidate, Value operand) {
  mlir::ElementsAttr constant;
  if (getCastableType(operand).isF32() &&
      matchPattern(operand, mlir::m_Constant(&constant)))
    if (RangeFinding range = findRangeLoss(constant, candidate.narrow))
      return Taint{operand.getDefiningOp(), range};
  auto it = taints.find(operand);
  return it == taints.end() ? std::nullopt : std::optional(it->second);
}

/// A number in an attribute of the op itself.
std::optional<CheapestPrecision::Taint>
CheapestPrecision::findOwnTaint(Operation *op, const Candidate &candidate) {
  auto numbers = cast<AutocastOpInterface>(op).getRoundedNumbers();
  RangeFinding range = findRangeLoss(numbers, candidate.narrow);
  if (!range)
    return std::nullopt;
  analysis.findings.push_back(
      {op, op, range, candidate.narrow, /*keptWide=*/true});
  return Taint{op, range};
}

/// Results that may be out of range because of the constant: those of ops that
/// move it (Clear on nothing else), and, if it is too large, of ops that
/// combine it. A too small constant is harmless once combined, and DenyIO,
/// Allow and Deny ops are taken to bring values back into range.
void CheapestPrecision::spreadTaint(const Candidate &candidate,
                                    const Taint &taint, bool allTainted) {
  AutocastPolicy policy = candidate.words.policy;
  bool moves = policy == AutocastPolicy::Clear && allTainted;
  bool combines = policy == AutocastPolicy::Clear ||
                  policy == AutocastPolicy::Promote ||
                  policy == AutocastPolicy::Infer;
  if (!moves && !(combines && taint.range.loss == RangeLoss::Overflow))
    return;
  for (Value result : candidate.op->getResults())
    if (getCastableType(result))
      taints.insert({result, taint});
}

/// Ops that read a constant which does not fit their 16-bit type, directly or
/// through ops that keep it out of range, run wide, whatever their policy.
void CheapestPrecision::pinRanges() {
  for (auto &[op, candidate] : candidates) {
    if (!candidate.narrow || candidate.words.policy == AutocastPolicy::Deny)
      continue;
    std::optional<Taint> first = findOwnTaint(op, candidate);
    bool allTainted = true;
    for (unsigned index : candidate.operands) {
      auto taint = findTaint(candidate, op->getOperand(index));
      allTainted &= taint.has_value();
      if (!taint)
        continue;
      if (!first || taint->range.loss == RangeLoss::Overflow)
        first = taint;
      if (op->getOperand(index).getDefiningOp() == taint->constant)
        analysis.findings.push_back({taint->constant, op, taint->range,
                                     candidate.narrow, /*keptWide=*/true});
    }
    if (!first)
      continue;
    pin(candidate, candidate.in,
        "range: " + shortName(op).str() + " stays f32, " +
            describe(first->range, candidate.narrow));
    spreadTaint(candidate, *first, allTainted);
  }
}

//===-- The loss ---------------------------------------------------------===//

/// The op that makes the loss runs wide, and so does the rank-0 arithmetic that
/// leads to it. Allow ops end the search.
void CheapestPrecision::pinLoss(mlir::func::FuncOp func) {
  auto ends = [&](Operation *op) {
    auto it = candidates.find(op);
    return it == candidates.end() ||
           it->second.words.policy == AutocastPolicy::Allow;
  };
  for (Operation *op : collectLossOps(func, ends)) {
    Candidate &candidate = candidates.find(op)->second;
    pin(candidate, candidate.out,
        "loss: " + shortName(op).str() + " stays f32");
  }
}

//===-- Values and their users -------------------------------------------===//

CheapestPrecision::Place CheapestPrecision::placeOfType(FloatType type) const {
  return type.isF32() ? Place{wideSite, {}} : Place{narrowSite, type};
}

/// Where a use takes its value; nothing if it takes it as it comes.
std::optional<CheapestPrecision::Place>
CheapestPrecision::placeOfUse(OpOperand &use) const {
  auto it = candidates.find(use.getOwner());
  if (it != candidates.end() &&
      llvm::is_contained(it->second.operands, use.getOperandNumber()))
    return Place{it->second.in, it->second.narrow};
  Type wanted =
      analysis.lookup(use.getOwner()).operandTypes[use.getOperandNumber()];
  if (!wanted)
    return std::nullopt;
  return placeOfType(cast<FloatType>(wanted));
}

CheapestPrecision::Place CheapestPrecision::placeOfMaker(Value value) const {
  auto result = dyn_cast<OpResult>(value);
  auto it = result ? candidates.find(result.getOwner()) : candidates.end();
  if (it == candidates.end())
    return placeOfType(getCastableType(value));
  const Candidate &maker = it->second;
  Type wide = maker.wideResults[result.getResultNumber()];
  Type narrow = maker.narrowResults[result.getResultNumber()];
  if (wide != narrow || maker.in != maker.out)
    return {maker.out, maker.narrow};
  return placeOfType(cast<FloatType>(mlir::getElementTypeOrSelf(wide)));
}

void CheapestPrecision::addValue(Value value) {
  if (!getCastableType(value))
    return;
  Place maker = placeOfMaker(value);
  CastCutProblem::Cast node{maker.site, getCastBytes(value), {}};
  llvm::MapVector<FloatType, CastCutProblem::Crossing> crossings;
  // From 16 bits to 16 bits; a constant is folded.
  int64_t between =
      node.castCost ? 2 * getBytes(value.getType(), analysis.options.lowp) : 0;
  FloatType own = maker.narrow;
  for (OpOperand &use : value.getUses()) {
    std::optional<Place> place = placeOfUse(use);
    if (!place)
      continue;
    if (!own)
      own = place->narrow; // A wide maker: any type may be the first.
    if (!place->narrow || place->narrow == own) {
      node.users.push_back(place->site);
      continue;
    }
    auto &crossing = crossings[place->narrow];
    crossing.castCost = std::min(between, node.castCost);
    crossing.wideCost = node.castCost;
    crossing.users.push_back(place->site);
  }
  for (auto &[type, crossing] : crossings)
    node.crossings.push_back(std::move(crossing));
  if (!node.users.empty() || !node.crossings.empty())
    problem.values.push_back(std::move(node));
}

void CheapestPrecision::addValues(Block &body) {
  for (Value argument : body.getArguments())
    addValue(argument);
  for (Operation &op : body)
    for (Value result : op.getResults())
      addValue(result);
}

//===-- Reading the answer -----------------------------------------------===//

std::string CheapestPrecision::explain(const Candidate &candidate, FloatType in,
                                       FloatType out) const {
  if (!candidate.pinned.empty())
    return candidate.pinned + candidate.words.origin();
  StringRef why;
  switch (candidate.words.policy) {
  case AutocastPolicy::Allow:
  case AutocastPolicy::Deny:
    break;
  case AutocastPolicy::DenyIO:
    why = in.isF32() && out.isF32() ? " (fewest bytes)"
                                    : ", f32 inside (fewest bytes)";
    break;
  case AutocastPolicy::Promote:
  case AutocastPolicy::Infer:
  case AutocastPolicy::Clear:
    why = " (fewest bytes)";
  }
  std::string types =
      in == out ? " runs in " + toString(in)
                : " reads " + toString(in) + " and writes " + toString(out);
  return StringRef(stringifyAutocastPolicy(candidate.words.policy)).lower() +
         ": " + shortName(candidate.op).str() + types + why.str() +
         candidate.words.origin();
}

LogicalResult
CheapestPrecision::writeDecision(const Candidate &candidate,
                                 const std::vector<bool> &narrow) {
  auto typeOf = [&](unsigned site) {
    return narrow[site] ? candidate.narrow : getF32(candidate.op);
  };
  FloatType in = typeOf(candidate.in), out = typeOf(candidate.out);
  OpDecision decision = keepDeclared(candidate.op);
  decision.word = stringifyAutocastPolicy(candidate.words.policy);
  decision.type = in;
  decision.reason = explain(candidate, in, out);
  for (unsigned index : candidate.operands)
    decision.operandTypes[index] = in;
  for (auto [index, type] : candidate.ruled)
    decision.operandTypes[index] = type;
  if (in != out)
    decision.dtype = out;
  auto results = resultsAt(candidate.op, candidate.operands, candidate.ruled,
                           in, decision.dtype);
  if (failed(results))
    return failure();
  decision.resultTypes = std::move(*results);
  analysis.decisions[candidate.op] = std::move(decision);
  return success();
}

LogicalResult CheapestPrecision::run(mlir::func::FuncOp func) {
  Block &body = func.getBody().front();
  wideSite = problem.addSite({0, 0, Fixed::Wide});
  narrowSite = problem.addSite({0, 0, Fixed::Narrow});
  for (Operation &op : body) {
    SmallVector<unsigned> operands = getRetypeableOperands(&op);
    analysis.decisions[&op] = keepDeclared(&op);
    if (!operands.empty() && failed(addCandidate(&op, operands)))
      return failure();
  }
  pinRanges();
  pinLoss(func);
  addValues(body);
  CastCutSolution solution = solve(problem);
  analysis.cost = solution.cost;
  for (auto &[op, candidate] : candidates)
    if (failed(writeDecision(candidate, solution.narrow)))
      return failure();
  return success();
}

#include "TfPrecision.h"
#include "../OpTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Text/TypeText.h"

using namespace mpc;
using namespace mpc::graph;

//===-- The graph --------------------------------------------------------===//

/// TensorFlow refuses an op that stands in two of its lists.
LogicalResult TfPrecision::checkRules(mlir::func::FuncOp func) const {
  if (!analysis.options.rules)
    return success();
  if (auto conflict = analysis.options.rules->findConflict())
    return func.emitError("expected each op in one list in mode tf, but policy "
                          "rules '")
           << conflict->first->text << "' and '" << conflict->second->text
           << "' put the same ops in two: remove one";
  return success();
}

bool TfPrecision::isPaintable(Operation *op,
                              ArrayRef<unsigned> operands) const {
  return !operands.empty() && llvm::all_of(operands, [&](unsigned index) {
    return getCastableType(op->getOperand(index)).isF32();
  });
}

void TfPrecision::addVertices(Block &body) {
  bool isBf16 = analysis.options.lowp.isBF16();
  auto lists = isBf16 ? TensorFlowLists::Bf16 : TensorFlowLists::Fp16;
  Operation *terminator = body.getTerminator();
  for (Operation &op : body) {
    SmallVector<unsigned> operands = getRetypeableOperands(&op);
    auto autocast = dyn_cast<AutocastOpInterface>(op);
    OpPolicy words;
    if (autocast)
      words = OpPolicy::of(&op, analysis.options);
    TensorFlowPolicy place =
        !autocast || !words.enabled ? TensorFlowPolicy::Unlisted
        : words.isGiven()           ? toTensorFlowPolicy(words.policy)
                                    : autocast.getOwnTensorFlowPolicy(lists);
    bool isFetched = llvm::is_contained(op.getUsers(), terminator);
    indexOf[&op] = vertices.size();
    vertices.push_back(
        {&op, words, place, operands, !isFetched, isPaintable(&op, operands)});
  }
  for (unsigned index = 0; index < vertices.size(); ++index)
    for (unsigned operand : vertices[index].operands)
      if (Operation *maker =
              vertices[index].op->getOperand(operand).getDefiningOp()) {
        vertices[index].fanins.push_back(indexOf[maker]);
        vertices[indexOf[maker]].fanouts.push_back(index);
      }
}

//===-- Painting ---------------------------------------------------------===//

/// Adds to `reached` what is reached from `root` along `edges` through vertices
/// that `enters` lets pass; `root` itself is reached.
template <typename Edges, typename Enters>
static void search(unsigned root, std::vector<bool> &reached, Edges edges,
                   Enters enters) {
  SmallVector<unsigned> worklist{root};
  reached[root] = true;
  while (!worklist.empty())
    for (unsigned next : edges(worklist.pop_back_val()))
      if (!reached[next] && enters(next)) {
        reached[next] = true;
        worklist.push_back(next);
      }
}

void TfPrecision::paintAllow() {
  for (Vertex &vertex : vertices)
    if (vertex.processable && vertex.paintable &&
        vertex.place == TensorFlowPolicy::Allow)
      vertex.color = Color::Allow;
}

void TfPrecision::paintDeny() {
  auto fanins = [&](unsigned i) -> ArrayRef<unsigned> {
    return vertices[i].fanins;
  };
  auto fanouts = [&](unsigned i) -> ArrayRef<unsigned> {
    return vertices[i].fanouts;
  };
  Set upstream(vertices.size()), denied(vertices.size());
  for (unsigned i = 0; i < vertices.size(); ++i)
    if (has(TensorFlowPolicy::Deny, i) || has(TensorFlowPolicy::Infer, i))
      search(i, upstream, fanins,
             [&](unsigned next) { return has(TensorFlowPolicy::Clear, next); });
  for (unsigned i = 0; i < vertices.size(); ++i)
    if (has(TensorFlowPolicy::Deny, i))
      search(i, denied, fanouts, [&](unsigned next) { return upstream[next]; });
  for (unsigned i = 0; i < vertices.size(); ++i)
    if (denied[i])
      vertices[i].color = Color::Deny;
}

void TfPrecision::paintBetweenAllow() {
  auto fanins = [&](unsigned i) -> ArrayRef<unsigned> {
    return vertices[i].fanins;
  };
  auto fanouts = [&](unsigned i) -> ArrayRef<unsigned> {
    return vertices[i].fanouts;
  };
  auto follows = [&](unsigned i) {
    const Vertex &vertex = vertices[i];
    return vertex.color != Color::Deny && vertex.processable &&
           vertex.paintable &&
           (vertex.place == TensorFlowPolicy::Clear ||
            vertex.place == TensorFlowPolicy::Infer);
  };
  Set downstream(vertices.size()), upstream(vertices.size());
  for (unsigned i = 0; i < vertices.size(); ++i)
    if (vertices[i].color == Color::Allow)
      search(i, downstream, fanouts, follows);
  for (unsigned i = 0; i < vertices.size(); ++i)
    if (vertices[i].color == Color::Allow)
      search(i, upstream, fanins,
             [&](unsigned next) { return downstream[next]; });
  for (unsigned i = 0; i < vertices.size(); ++i)
    if (upstream[i])
      vertices[i].color = Color::Allow;
}

void TfPrecision::paintInferBehindAllow() {
  auto anyFanin = [&](const Vertex &vertex, Color color) {
    return llvm::any_of(vertex.fanins, [&](unsigned fanin) {
      return vertices[fanin].color == color;
    });
  };
  for (Vertex &vertex : vertices)
    if (vertex.processable && vertex.paintable && vertex.color == Color::None &&
        vertex.place == TensorFlowPolicy::Infer &&
        anyFanin(vertex, Color::Allow) && !anyFanin(vertex, Color::Deny))
      vertex.color = Color::Allow;
}

void TfPrecision::paintClearNextToAllow() {
  auto neighbours = [&](unsigned i) {
    SmallVector<unsigned> both(vertices[i].fanins);
    llvm::append_range(both, vertices[i].fanouts);
    return both;
  };
  auto spreads = [&](unsigned i) {
    const Vertex &vertex = vertices[i];
    return vertex.color == Color::None && vertex.processable &&
           vertex.paintable && vertex.place == TensorFlowPolicy::Clear;
  };
  Set reached(vertices.size());
  for (unsigned i = 0; i < vertices.size(); ++i)
    if (vertices[i].color == Color::Allow)
      search(i, reached, neighbours, spreads);
  for (unsigned i = 0; i < vertices.size(); ++i)
    if (reached[i])
      vertices[i].color = Color::Allow;
}

//===-- Writing the decisions --------------------------------------------===//

bool TfPrecision::isAllowOfModel(const Vertex &vertex) const {
  return vertex.color == Color::Allow &&
         vertex.words.lowp == analysis.options.lowp &&
         vertex.words.operandRules.operands.empty();
}

void TfPrecision::retargetCasts() {
  for (const Vertex &vertex : vertices) {
    auto cast = dyn_cast<CastOp>(vertex.op);
    if (!cast || !mlir::getElementTypeOrSelf(cast.getType()).isF32() ||
        vertex.fanouts.empty())
      continue;
    bool allAllow = llvm::all_of(cast->getUses(), [&](OpOperand &use) {
      const Vertex &user = vertices[indexOf[use.getOwner()]];
      return isAllowOfModel(user) &&
             llvm::is_contained(user.operands, use.getOperandNumber());
    });
    if (!allAllow)
      continue;
    OpDecision &decision = analysis.decisions[cast];
    decision.word = stringifyTensorFlowPolicy(TensorFlowPolicy::Allow);
    decision.reason = "allow: cast gives " + toString(analysis.options.lowp) +
                      ", as all its readers run in it";
    decision.resultTypes = {cast.getType().clone(analysis.options.lowp)};
  }
}

/// Why an op that could be painted is wide.
static StringRef whyWide(TensorFlowPolicy place, bool processable,
                         bool denied) {
  if (!processable && place != TensorFlowPolicy::Deny &&
      place != TensorFlowPolicy::Unlisted)
    return " (fetched: its result is returned)";
  if (place == TensorFlowPolicy::Clear)
    return denied ? " (downstream of deny)" : " (not next to 16 bits)";
  if (place == TensorFlowPolicy::Infer)
    return denied ? " (downstream of deny)" : " (not between allow ops)";
  return "";
}

std::string TfPrecision::explain(const Vertex &vertex) const {
  bool narrow = vertex.color == Color::Allow;
  FloatType type =
      narrow ? vertex.words.lowp
             : getCastableType(vertex.op->getOperand(vertex.operands.front()));
  StringRef why = narrow || !vertex.paintable
                      ? ""
                      : whyWide(vertex.place, vertex.processable,
                                vertex.color == Color::Deny);
  return stringifyTensorFlowPolicy(vertex.place).str() + ": " +
         shortName(vertex.op).str() + " runs in " + toString(type) + why.str() +
         vertex.words.origin();
}

LogicalResult TfPrecision::writeDecision(const Vertex &vertex) {
  OpDecision decision = keepDeclared(vertex.op);
  if (!vertex.operands.empty() && !vertex.words.enabled) {
    decision = leaveAlone(vertex.op, vertex.words);
  } else if (!vertex.operands.empty()) {
    decision.word = stringifyTensorFlowPolicy(vertex.place);
    decision.reason = explain(vertex);
    decision.type =
        getCastableType(vertex.op->getOperand(vertex.operands.front()));
  }
  if (vertex.color == Color::Allow) {
    decision.type = vertex.words.lowp;
    for (unsigned index : vertex.operands) {
      FloatType ruled = vertex.words.operandType(index, decision.type);
      decision.operandTypes[index] = ruled ? ruled : decision.type;
    }
    auto results =
        inferResultTypes(vertex.op, decision.operandTypes, /*dtype=*/{});
    if (failed(results))
      return failure();
    decision.resultTypes = std::move(*results);
    analysis.noteLostConstants(vertex.op, decision);
  }
  analysis.decisions[vertex.op] = std::move(decision);
  return success();
}

LogicalResult TfPrecision::run(mlir::func::FuncOp func) {
  if (failed(checkRules(func)))
    return failure();
  addVertices(func.getBody().front());
  paintAllow();
  if (llvm::any_of(vertices, [](const Vertex &vertex) {
        return vertex.color == Color::Allow;
      })) {
    paintDeny();
    paintBetweenAllow();
    if (analysis.options.lowp.isBF16())
      paintInferBehindAllow();
    paintClearNextToAllow();
  }
  for (const Vertex &vertex : vertices)
    if (failed(writeDecision(vertex)))
      return failure();
  retargetCasts();
  return success();
}

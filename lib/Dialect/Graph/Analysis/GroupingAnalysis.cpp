// Algorithm: one node per op in a graph that merges stay acyclic in; visit ops
// in program order and try to merge each with the groups of its producers,
// largest tensor first, then with the group that read the same tensor or the
// same producer last. Every attempt looks at the two groups' spaces and at a
// bounded piece of the graph, so the whole is linear in the ops.
#include "mpc/Dialect/Graph/Analysis/GroupingAnalysis.h"
#include "ContractionGraph.h"
#include "Deadlines.h"
#include "GroupSpaces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Analysis/ColumnOperands.h"
#include "mpc/Dialect/Graph/Analysis/LibraryCalls.h"
#include <map>

using namespace mpc;
using namespace mpc::graph;

namespace {
// What is computed again per row or column must be little.
constexpr unsigned kMaxInnerOps = 8;
// Groups that read one tensor and could not be merged so far.
constexpr unsigned kMaxReaders = 4;

bool isKernelForm(OpForm form) {
  return form == OpForm::Pointwise || form == OpForm::Reduction ||
         form == OpForm::Slice;
}

/// What no kernel can join, and what every value in flight is stored across.
bool isFence(Operation *op) {
  OpForm form = getOpForm(op);
  return form == OpForm::Library || form == OpForm::Outside;
}

int64_t getLargestTensor(Operation *op) {
  int64_t largest = 0;
  for (Value operand : op->getOperands())
    largest = std::max(largest, getStoredBytes(operand));
  for (Value result : op->getResults())
    largest = std::max(largest, getStoredBytes(result));
  return largest;
}

int64_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

class Grouper {
public:
  Grouper(Block &block, GroupingOptions options)
      : options(options), deadlines(block, isFence) {
    addOps(block);
    addUpdateOrder(block);
  }
  void run(Block &block);
  SmallVector<OpSet> takeSets();
  SmallVector<FusionRefusal> refusals;

private:
  void addOps(Block &block);
  void addUpdateOrder(Block &block);
  void takeTail(int node, const LibraryCalls &calls);
  void mergeColumns(Block &block);
  void mergeWithProducers(int node);
  void mergeWithReaders(int node);
  void mergeWithSiblings(int node);
  StringRef tryMerge(int a, int b, bool align = false);
  bool isTooEarly(int a, int b) const;
  bool sliceReads(int reader, int other) const;
  bool isInner(int group, int consumer) const;
  GroupKind getKind(ArrayRef<Operation *> members) const;
  /// The node of the op that produces `value`, or -1.
  int getProducer(Value value) const {
    auto known = nodeOf.find(value.getDefiningOp());
    return known == nodeOf.end() ? -1 : known->second;
  }

  /// When a group is needed, what it carries until a later deadline, and its
  /// largest tensor; in bytes.
  struct Due {
    int deadline;
    int64_t carried, largest;
  };

  GroupingOptions options;
  Deadlines deadlines;
  DenseMap<int, Due> dues; ///< Of a group.
  ContractionGraph graph;
  GroupSpaces spaces;
  SmallVector<Operation *> ops; ///< By node.
  SmallVector<OpForm> forms;    ///< By node.
  DenseMap<Operation *, int> nodeOf;
  DenseMap<int, SmallVector<int>> slices;  ///< Slice ops of a group.
  DenseMap<int, SmallVector<int>> members; ///< Ops of a group.
  DenseSet<int> isLibrary;
  DenseMap<Value, SmallVector<int>> readers; ///< Of a tensor, one per group.
  DenseMap<int, int> lastReaderOfGroup;      ///< Of any of its results.
  int lastScalar = -1;
};
} // namespace

void Grouper::addOps(Block &block) {
  for (Operation &op : block.without_terminator()) {
    OpForm form = getOpForm(&op);
    if (op.getNumOperands() == 0)
      continue;
    int node = graph.addNode();
    ops.push_back(&op);
    forms.push_back(form);
    nodeOf[&op] = node;
    members[node] = {node};
    dues[node] = {deadlines.of(&op), deadlines.carriedBytes(&op),
                  getLargestTensor(&op)};
    DenseSet<int> producers;
    for (Value operand : op.getOperands())
      if (int from = getProducer(operand); from >= 0)
        if (producers.insert(from).second)
          graph.addEdge(from, node);
    if (isKernelForm(form))
      spaces.add(node, &op);
    if (form == OpForm::Slice)
      slices[node].push_back(node);
  }
}

/// The parameters and states of `function` by name.
static DenseMap<StringAttr, Value> getStates(mlir::func::FuncOp function) {
  DenseMap<StringAttr, Value> states;
  for (mlir::BlockArgument argument : function.getArguments())
    for (StringRef mark : {kParameterAttr, kStateAttr})
      if (auto name = function.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), mark))
        states[name] = argument;
  return states;
}

/// The next value of a state is written over the old one, so whoever reads the
/// old one runs before. As edges, so that no merge turns this around.
void Grouper::addUpdateOrder(Block &block) {
  auto function = dyn_cast<mlir::func::FuncOp>(block.getParentOp());
  if (!function)
    return;
  DenseMap<StringAttr, Value> states = getStates(function);
  for (OpOperand &next : block.getTerminator()->getOpOperands()) {
    auto name = function.getResultAttrOfType<StringAttr>(
        next.getOperandNumber(), kUpdatesAttr);
    int writer = name ? getProducer(next.get()) : -1;
    Value state = writer >= 0 ? states.lookup(name) : Value();
    if (!state)
      continue;
    for (Operation *user : state.getUsers()) {
      auto reader = nodeOf.find(user);
      if (reader != nodeOf.end() && reader->second < writer)
        graph.addEdge(reader->second, writer);
    }
  }
}

/// Whether a slice of group `reader` reads a tensor that `other` computes.
bool Grouper::sliceReads(int reader, int other) const {
  auto known = slices.find(reader);
  if (known == slices.end())
    return false;
  return llvm::any_of(known->second, [&](int slice) {
    int from = getProducer(ops[slice]->getOperand(0));
    return from >= 0 && graph.find(from) == other;
  });
}

/// Whether merging the two would compute one of them long before it is needed
/// and store something large until then. Reading the operands again is cheaper.
bool Grouper::isTooEarly(int a, int b) const {
  Due first = dues.lookup(a), second = dues.lookup(b);
  if (first.deadline > second.deadline)
    std::swap(first, second);
  return first.deadline < second.deadline &&
         second.deadline != Deadlines::kNever &&
         second.carried * 4 > std::max(first.largest, second.largest);
}

/// Whether `group` is cheap and nothing but `consumer` reads it: then it may be
/// computed at each row or column of the consumer, and is never stored.
bool Grouper::isInner(int group, int consumer) const {
  const SmallVector<int> &own = members.find(group)->second;
  return own.size() <= kMaxInnerOps && llvm::all_of(own, [&](int node) {
           return !ops[node]->hasTrait<CostlyBody>() &&
                  llvm::all_of(ops[node]->getUsers(), [&](Operation *user) {
                    auto known = nodeOf.find(user);
                    if (known == nodeOf.end())
                      return false;
                    int reader = graph.find(known->second);
                    return reader == group || reader == consumer;
                  });
         });
}

/// Merges two groups, or says why not. Empty: they are one now.
StringRef Grouper::tryMerge(int a, int b, bool align) {
  a = graph.find(a);
  b = graph.find(b);
  if (a == b)
    return "";
  if (members[a].size() + members[b].size() > GroupingAnalysis::kMaxOps)
    return "the group would have too many ops";
  if (isTooEarly(a, b))
    return "it is needed much later, and would be stored until then";
  if (sliceReads(a, b) || sliceReads(b, a))
    return "a slice reads what is not stored";
  if (!spaces.canMerge(a, b, align) &&
      !(isInner(a, b) && spaces.canAbsorb(a, b)))
    return "other iteration space";
  std::optional<int> merged = graph.merge(a, b);
  if (!merged) {
    spaces.cancel();
    return "another path connects them";
  }
  spaces.merge(a, b, *merged);
  int gone = *merged == a ? b : a;
  SmallVector<int> moved = std::move(members[gone]);
  members[*merged].append(moved);
  Due &due = dues[*merged];
  due.deadline = std::min(due.deadline, dues[gone].deadline);
  due.carried = std::max(due.carried, dues[gone].carried);
  due.largest = std::max(due.largest, dues[gone].largest);
  if (slices.contains(gone)) {
    SmallVector<int> movedSlices = slices[gone];
    slices[*merged].append(movedSlices);
  }
  return "";
}

/// A library call with what the library executes together with it.
void Grouper::takeTail(int node, const LibraryCalls &calls) {
  isLibrary.insert(graph.find(node));
  for (Operation *op : calls.getTail(ops[node])) {
    if (!graph.merge(node, nodeOf[op]))
      return;
    isLibrary.insert(graph.find(node));
    forms[nodeOf[op]] = OpForm::Library;
  }
}

/// What a column reduction had better compute itself must not be taken by the
/// rows that compute a part of it.
void Grouper::mergeColumns(Block &block) {
  ColumnOperands columns(block);
  for (auto [node, op] : llvm::enumerate(ops)) {
    if (forms[node] != OpForm::Reduction)
      continue;
    SmallVector<Operation *> chain = columns.get(op);
    for (Operation *own : llvm::reverse(chain)) {
      bool isOnlyRead = llvm::all_of(own->getUsers(), [&](Operation *user) {
        auto known = nodeOf.find(user);
        return known != nodeOf.end() &&
               graph.find(known->second) == graph.find(int(node));
      });
      if (isOnlyRead)
        tryMerge(nodeOf[own], int(node));
    }
  }
}

void Grouper::mergeWithProducers(int node) {
  SmallVector<std::pair<int64_t, unsigned>> operands;
  for (auto [number, operand] : llvm::enumerate(ops[node]->getOperands()))
    operands.push_back({-elementsOf(operand), unsigned(number)});
  llvm::sort(operands);
  if (forms[node] == OpForm::Slice)
    return;
  for (auto [_, number] : operands) {
    int producer = getProducer(ops[node]->getOperand(number));
    if (producer < 0 || !isKernelForm(forms[producer]))
      continue;
    StringRef reason = tryMerge(producer, node);
    if (!reason.empty())
      refusals.push_back({ops[producer], ops[node], reason.str()});
  }
}

/// Ops that no edge connects but that read the same tensor: one pass instead of
/// two. Scalars gather in few kernels, whatever they read.
void Grouper::mergeWithReaders(int node) {
  if (spaces.isScalar(graph.find(node))) {
    if (lastScalar >= 0)
      tryMerge(lastScalar, node);
    lastScalar = node;
  }
  if (forms[node] == OpForm::Slice)
    return;
  for (Value operand : ops[node]->getOperands()) {
    if (elementsOf(operand) <= 1)
      continue;
    SmallVector<int> &known = readers[operand];
    bool merged = llvm::any_of(llvm::reverse(known), [&](int reader) {
      return tryMerge(reader, node).empty();
    });
    if (merged)
      continue;
    if (known.size() == kMaxReaders)
      known.erase(known.begin());
    known.push_back(node);
  }
}

/// Ops that read different results of one group, as the second stages of two
/// reductions do.
void Grouper::mergeWithSiblings(int node) {
  for (Value operand : ops[node]->getOperands()) {
    int producer = getProducer(operand);
    if (producer < 0 || elementsOf(operand) <= 1 ||
        graph.find(producer) == graph.find(node))
      continue;
    auto [known, isNew] =
        lastReaderOfGroup.try_emplace(graph.find(producer), node);
    if (!isNew)
      tryMerge(known->second, node, /*align=*/true);
    known->second = node;
  }
}

void Grouper::run(Block &block) {
  LibraryCalls calls(block, options.target, options.fusedRounding);
  for (const LibraryCalls::Refusal &refusal : calls.getRefusals())
    refusals.push_back({refusal.call, refusal.op, refusal.reason});
  for (int node = 0; node < int(ops.size()); ++node)
    if (isa<LibraryCallOpInterface>(ops[node]))
      takeTail(node, calls);
  mergeColumns(block);
  for (int node = 0; node < int(ops.size()); ++node) {
    if (!isKernelForm(forms[node]))
      continue;
    mergeWithProducers(node);
  }
  // Only now: a cheap copy belongs to its consumer, not to its neighbour.
  for (int node = 0; node < int(ops.size()); ++node)
    if (isKernelForm(forms[node]))
      mergeWithReaders(node);
  for (int node = 0; node < int(ops.size()); ++node)
    if (isKernelForm(forms[node]) && forms[node] != OpForm::Slice)
      mergeWithSiblings(node);
}

GroupKind Grouper::getKind(ArrayRef<Operation *> members) const {
  bool computes = false, isColumn = false;
  for (Operation *op : members) {
    computes |= isa<KernelBodyOpInterface, ReductionOpInterface>(op);
    if (getOpForm(op) != OpForm::Reduction)
      continue;
    SmallVector<bool> reduced = getOpIndexing(op).reduced;
    isColumn |= llvm::is_contained(reduced, true) && !reduced.back();
  }
  if (!computes)
    return GroupKind::Move;
  return isColumn ? GroupKind::Column : GroupKind::Row;
}

SmallVector<OpSet> Grouper::takeSets() {
  std::map<int, OpSet> byRank;
  for (auto [node, op] : llvm::enumerate(ops))
    byRank[graph.getRank(node)].ops.push_back(op);
  SmallVector<OpSet> sets;
  for (auto &[rank, set] : byRank) {
    int node = nodeOf[set.ops.front()];
    if (isLibrary.contains(graph.find(node)))
      set.kind = GroupKind::Library;
    else if (forms[node] != OpForm::Outside && forms[node] != OpForm::View)
      set.kind = getKind(set.ops);
    sets.push_back(std::move(set));
  }
  return sets;
}

GroupingAnalysis::GroupingAnalysis(Block &block, GroupingOptions options) {
  Grouper grouper(block, options);
  grouper.run(block);
  sets = grouper.takeSets();
  refusals = std::move(grouper.refusals);
}

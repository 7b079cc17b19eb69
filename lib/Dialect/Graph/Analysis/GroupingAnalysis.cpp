// Algorithm: one node per op in a graph that merges stay acyclic in; visit ops
// in program order and try to merge each with the groups of its producers,
// largest tensor first, then with the group that read the same tensor or the
// same producer last. Every attempt lays the ops of the two groups into one
// iteration space and looks at a bounded piece of the graph; groups are
// bounded, so the whole is linear in the ops.
#include "mpc/Dialect/Graph/Analysis/GroupingAnalysis.h"
#include "ContractionGraph.h"
#include "Deadlines.h"
#include "IterationSpace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Analysis/ColumnOperands.h"
#include "mpc/Dialect/Graph/Analysis/FoldsInParts.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include <map>

using namespace mpc;
using namespace mpc::graph;

namespace {
// What is computed again per row or column must be little.
constexpr unsigned kMaxInnerOps = 8;
constexpr StringRef kOtherSpace = "other iteration space";
// Groups that read one tensor and could not be merged so far.
constexpr unsigned kMaxReaders = 4;
// Ops of two groups from which on it pays to ask whether they have a dim in
// common before they are laid out.
constexpr size_t kManyOps = 32;

bool isKernelForm(OpForm form) {
  return form == OpForm::Pointwise || form == OpForm::Reduction ||
         form == OpForm::Slice || form == OpForm::Gather;
}

/// In bytes; of a table that is read in places, no more than what is read.
int64_t getLargestTensor(Operation *op, OpForm form) {
  int64_t largest = 0;
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (!isAddressedApart(form, number))
      largest = std::max(largest, getStoredBytes(operand));
  for (Value result : op->getResults())
    largest = std::max(largest, getStoredBytes(result));
  return largest;
}

int64_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

struct Group {
  SmallVector<int> nodes; ///< In program order.
  int deadline;           ///< When it is needed.
  int64_t largest;        ///< Bytes of its largest tensor.
  bool isScalar = false;  ///< Its space has no dims.
  bool hasItems = false;  ///< Its space has dims that nothing folds.
  bool foldsFloats = false;
  int64_t partBytes = 0;   ///< Of one part of what it folds in parts.
  unsigned numAligned = 0; ///< Of its space.
};

class Grouper {
public:
  Grouper(Block &block, GroupingOptions options)
      : options(options), deadlines(block, isFence) {
    addOps(block);
    addUpdateOrder(block);
  }
  void run(Block &block);
  SmallVector<OpSet> takeSets();
  DenseMap<Value, SmallVector<int>> getOperandDims(ArrayRef<Operation *> set);
  SmallVector<FusionRefusal> refusals;
  SmallVector<LibraryCalls::Addend> addends;

private:
  void addOps(Block &block);
  void addUpdateOrder(Block &block);
  void takeAlong(int node, const LibraryCalls &calls);
  void mergeColumns(Block &block, const LibraryCalls &calls);
  void mergeWithProducers(int node);
  void mergeWithReaders(int node);
  void mergeWithSiblings(int node);
  StringRef tryMerge(int a, int b, bool align = false);
  bool isTooEarly(const Group &a, const Group &b);
  bool haveNoDimInCommon(int a, int b) const;
  bool isInner(int group, int consumer) const;
  IterationSpace getSpace(ArrayRef<int> nodes) const;
  GroupKind getKind(ArrayRef<Operation *> members) const;
  /// The node of the op that produces `value`, or -1.
  int getProducer(Value value) const {
    auto known = nodeOf.find(value.getDefiningOp());
    return known == nodeOf.end() ? -1 : known->second;
  }

  GroupingOptions options;
  Deadlines deadlines;
  ContractionGraph graph;
  std::vector<Group> groups;    ///< By the node that stands for the group.
  SmallVector<Operation *> ops; ///< By node.
  SmallVector<OpForm> forms;    ///< By node.
  SmallVector<bool> widens;     ///< By node.
  /// By node; of what kernels compute.
  std::vector<std::optional<SpaceOp>> spaceOps;
  DenseMap<Operation *, int> nodeOf;
  DenseSet<int> isLibrary;
  DenseMap<Value, SmallVector<int>> readers; ///< Of a tensor, one per group.
  DenseMap<int, int> lastReaderOfGroup;      ///< Of any of its results.
  int lastScalar = -1;
};
} // namespace

void Grouper::addOps(Block &block) {
  spaceOps.reserve(block.getOperations().size());
  for (Operation &op : block.without_terminator()) {
    OpForm form = getOpForm(&op);
    if (op.getNumOperands() == 0)
      continue;
    int node = graph.addNode();
    ops.push_back(&op);
    forms.push_back(form);
    widens.push_back(isWidening(&op));
    nodeOf[&op] = node;
    groups.push_back({{node}, deadlines.of(&op), getLargestTensor(&op, form)});
    DenseSet<int> producers;
    for (Value operand : op.getOperands())
      if (int from = getProducer(operand); from >= 0)
        if (producers.insert(from).second)
          graph.addEdge(from, node);
    spaceOps.emplace_back();
    if (isKernelForm(form)) {
      spaceOps.back().emplace(&op);
      const OpIndexing &indexing = spaceOps.back()->indexing;
      groups[node].isScalar = indexing.sizes.empty();
      groups[node].hasItems =
          !indexing.rowsPerPart && llvm::is_contained(indexing.reduced, false);
      groups[node].foldsFloats = foldsFloats(&op);
      if (indexing.rowsPerPart)
        groups[node].partBytes = spaceOps.back()->getPartBytes();
    }
  }
}

/// The parameters and states of `function` by name.
static DenseMap<StringAttr, Value> getStates(mlir::func::FuncOp function) {
  DenseMap<StringAttr, Value> states;
  for (mlir::BlockArgument argument : function.getArguments())
    for (StringRef mark : {kParameterAttr, kStateAttr})
      if (StringAttr name =
              getName(function.getArgAttr(argument.getArgNumber(), mark)))
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

/// Whether merging the two would compute one of them long before it is needed
/// and store something large until then. Reading the operands again is cheaper.
/// Scalars are never large.
bool Grouper::isTooEarly(const Group &a, const Group &b) {
  if (a.isScalar && b.isScalar)
    return false;
  const Group &first = a.deadline <= b.deadline ? a : b;
  const Group &second = &first == &a ? b : a;
  return first.deadline < second.deadline &&
         second.deadline != Deadlines::kNever &&
         llvm::any_of(
             second.nodes,
             [&](int node) {
               return deadlines.carriedBytes(ops[node], first.deadline) * 4 >
                      std::max(first.largest, second.largest);
             });
}

/// Whether no tensor of one group is one of the other's, too, so that both run
/// along dims of their own, and no reductions could be laid over each other. A
/// guess where that takes as long as to lay them out; exact if it is true.
bool Grouper::haveNoDimInCommon(int a, int b) const {
  if (groups[a].nodes.size() > groups[b].nodes.size())
    std::swap(a, b);
  const Group &few = groups[a], &many = groups[b];
  size_t left = many.nodes.size();
  auto isOfMany = [&](Operation *op) {
    auto known = nodeOf.find(op);
    return left-- == 0 ||
           (known != nodeOf.end() && graph.find(known->second) == b);
  };
  auto isShared = [&](Value value) {
    if (cast<RankedTensorType>(value.getType()).getRank() == 0)
      return false;
    Operation *producer = value.getDefiningOp();
    return (producer && isOfMany(producer)) ||
           llvm::any_of(value.getUsers(), isOfMany);
  };
  auto folds = [&](int node) { return spaceOps[node]->folds; };
  auto sharesDim = [&](int node) {
    return llvm::any_of(ops[node]->getOperands(), isShared) ||
           llvm::any_of(ops[node]->getResults(), isShared);
  };
  return !few.isScalar && !many.isScalar &&
         llvm::none_of(few.nodes, sharesDim) &&
         (llvm::none_of(few.nodes, folds) || llvm::none_of(many.nodes, folds));
}

/// Whether `group` is cheap and nothing but `consumer` reads it: then it may be
/// computed at each row or column of the consumer, and is never stored.
bool Grouper::isInner(int group, int consumer) const {
  ArrayRef<int> own = groups[group].nodes;
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

/// The space of what would be one group.
IterationSpace Grouper::getSpace(ArrayRef<int> nodes) const {
  SmallVector<const SpaceOp *> together;
  for (int node : nodes)
    together.push_back(&*spaceOps[node]);
  return IterationSpace(together);
}

/// Dims of `space`, which is that of `nodes`, that those of one group run
/// along.
static uint64_t getLoops(const IterationSpace &space, ArrayRef<int> nodes,
                         ArrayRef<int> group) {
  uint64_t loops = 0;
  const int *own = group.begin();
  for (auto [number, node] : llvm::enumerate(nodes))
    if (own != group.end() && *own == node) {
      loops |= space.getLoops(number);
      ++own;
    }
  return loops;
}

/// Merges two groups, or says why not. Empty: they are one now. With `align`,
/// reductions that share no value may be laid over each other.
///
/// What others read of a group can be stored (IterationSpace::canStore),
/// without a question here: its op was whole in the group that it came in, and
/// stays so, since a group is merged when it is whole in the new space, or when
/// nobody else reads it; and reductions of one space fold the same dims.
StringRef Grouper::tryMerge(int a, int b, bool align) {
  a = graph.find(a);
  b = graph.find(b);
  if (a == b)
    return "";
  Group &first = groups[a], &second = groups[b];
  if (first.nodes.size() + second.nodes.size() > GroupingAnalysis::kMaxOps)
    return "the group would have too many ops";
  if (!options.fusedRounding && (first.foldsFloats || second.foldsFloats))
    return "rounding is strict, and the order of a sum must not change";
  if (first.partBytes + second.partBytes > FoldsInParts::kMaxPartBytes &&
      first.partBytes && second.partBytes)
    return "the columns of a part would take too much room";
  // Each item would compute numbers anew; a space of many takes long.
  if (first.isScalar ? second.hasItems : second.isScalar && first.hasItems)
    return kOtherSpace;
  if (isTooEarly(first, second))
    return "it is needed much later, and would be stored until then";
  if (first.nodes.size() + second.nodes.size() >= kManyOps &&
      haveNoDimInCommon(a, b))
    return kOtherSpace;
  SmallVector<int> nodes;
  std::merge(first.nodes.begin(), first.nodes.end(), second.nodes.begin(),
             second.nodes.end(), std::back_inserter(nodes));
  IterationSpace space = getSpace(nodes);
  if (space.getMisfit())
    return describe(*space.getMisfit());
  bool aligns = space.getNumAligned() > first.numAligned + second.numAligned;
  uint64_t loopsA = getLoops(space, nodes, first.nodes);
  uint64_t loopsB = getLoops(space, nodes, second.nodes);
  bool isOne = space.isWhole(loopsA) && space.isWhole(loopsB);
  // As the cast of a row of weights runs over some dims of what reads it.
  bool isPart = loopsA && !(loopsA & ~loopsB) &&
                llvm::none_of(first.nodes,
                              [&](int node) { return spaceOps[node]->folds; });
  if ((aligns && !align) || (!isOne && !isPart))
    return kOtherSpace;
  if (!isOne && !isInner(a, b))
    return "it would be computed again along other dims, but is read "
           "elsewhere, too, or is costly";
  std::optional<int> merged = graph.merge(a, b);
  if (!merged)
    return "another path connects them";
  Group &group = groups[*merged];
  group.nodes = std::move(nodes);
  group.deadline = std::min(first.deadline, second.deadline);
  group.largest = std::max(first.largest, second.largest);
  group.partBytes = first.partBytes + second.partBytes;
  group.isScalar = space.getNumDims() == 0;
  group.hasItems = space.getItems() != 0;
  group.foldsFloats = first.foldsFloats || second.foldsFloats;
  group.numAligned = space.getNumAligned();
  return "";
}

/// A library call with what the library executes together with it.
void Grouper::takeAlong(int node, const LibraryCalls &calls) {
  isLibrary.insert(graph.find(node));
  auto take = [&](Operation *op) {
    if (!graph.merge(node, nodeOf[op]))
      return false;
    isLibrary.insert(graph.find(node));
    forms[nodeOf[op]] = OpForm::Library;
    return true;
  };
  // The movements of an operand, from the call upwards: what a call reads in
  // place cannot be after what it does not take.
  if (!llvm::all_of(llvm::reverse(calls.getHead(ops[node])), take))
    return;
  (void)llvm::all_of(calls.getTail(ops[node]), take);
}

/// What a column reduction had better compute itself must not be taken by the
/// rows that compute a part of it.
void Grouper::mergeColumns(Block &block, const LibraryCalls &calls) {
  ColumnOperands columns(block, calls);
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
    if (!isAddressedApart(forms[node], number))
      operands.push_back({-elementsOf(operand), unsigned(number)});
  llvm::sort(operands);
  for (auto [_, number] : operands) {
    int producer = getProducer(ops[node]->getOperand(number));
    if (producer < 0 || !isKernelForm(forms[producer]))
      continue;
    StringRef reason = tryMerge(producer, node);
    if (!reason.empty())
      refusals.push_back({ops[producer], ops[node], reason.str()});
    else if (widens[producer])
      mergeWithProducers(producer);
  }
}

/// Ops that no edge connects but that read the same tensor: one pass instead of
/// two. Scalars gather in few kernels, whatever they read.
void Grouper::mergeWithReaders(int node) {
  if (groups[graph.find(node)].isScalar) {
    if (lastScalar >= 0)
      tryMerge(lastScalar, node);
    lastScalar = node;
  }
  for (auto [number, operand] : llvm::enumerate(ops[node]->getOperands())) {
    if (elementsOf(operand) <= 1 || isAddressedApart(forms[node], number))
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
  for (auto [number, operand] : llvm::enumerate(ops[node]->getOperands())) {
    int producer = getProducer(operand);
    if (producer < 0 || elementsOf(operand) <= 1 ||
        isAddressedApart(forms[node], number) ||
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
  for (const LibraryCalls::Addend &addend : calls.getAddends())
    if (!addend.reshape)
      addends.push_back(addend);
  for (int node = 0; node < int(ops.size()); ++node)
    if (isa<LibraryCallOpInterface>(ops[node]))
      takeAlong(node, calls);
  mergeColumns(block, calls);
  // What writes more than it reads belongs to its consumers: beside its
  // producer it would be stored, unless they are there, too.
  for (bool isWide : {false, true})
    for (int node = 0; node < int(ops.size()); ++node)
      if (isKernelForm(forms[node]) && widens[node] == isWide)
        mergeWithProducers(node);
  // Only now: a cheap copy belongs to its consumer, not to its neighbour.
  for (int node = 0; node < int(ops.size()); ++node)
    if (isKernelForm(forms[node]))
      mergeWithReaders(node);
  for (int node = 0; node < int(ops.size()); ++node)
    if (isKernelForm(forms[node]))
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

DenseMap<Value, SmallVector<int>>
Grouper::getOperandDims(ArrayRef<Operation *> set) {
  DenseMap<Value, SmallVector<int>> dims;
  SmallVector<int> nodes;
  for (Operation *op : set) {
    nodes.push_back(nodeOf[op]);
    if (!spaceOps[nodes.back()])
      return dims;
  }
  IterationSpace space = getSpace(nodes);
  for (Operation *op : set)
    for (Value operand : op->getOperands())
      if (auto along = space.getDims(operand);
          along && !llvm::is_contained(nodes, getProducer(operand)))
        dims.try_emplace(operand, *along);
  return dims;
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
    if (set.kind && set.kind != GroupKind::Library)
      set.operandDims = getOperandDims(set.ops);
    sets.push_back(std::move(set));
  }
  return sets;
}

GroupingAnalysis::GroupingAnalysis(Block &block, GroupingOptions options) {
  Grouper grouper(block, options);
  grouper.run(block);
  sets = grouper.takeSets();
  refusals = std::move(grouper.refusals);
  addends = std::move(grouper.addends);
}

#include "mpc/Dialect/Graph/Analysis/LibraryCalls.h"
#include "Addends.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Interfaces/StridedShape.h"
#include "llvm/ADT/MapVector.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::OpOperand;
using mlir::ShapedType;

namespace {

int64_t columnsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}

/// Whether no operand is a splat, which would have to be stored for a library.
bool readsStored(Operation *op) {
  return llvm::none_of(op->getOperands(), [](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer && isMadeInKernel(producer);
  });
}

/// The epilogue that `op` is on its operand `result`, if any.
std::optional<Epilogue> getEpilogueOf(Operation *op, Value result) {
  auto own = dyn_cast<EpilogueOpInterface>(op);
  bool fits = own && llvm::count(op->getOperands(), result) == 1 &&
              op->getResult(0).getType() == result.getType() &&
              op->getBlock() == result.getParentBlock() && readsStored(op);
  std::optional<Epilogue> epilogue = fits ? own.getEpilogue() : std::nullopt;
  bool isOn = op->getOperand(0) == result || epilogue == Epilogue::Addend;
  return isOn ? epilogue : std::nullopt;
}

/// The reader of `result` that is the next epilogue: its only one, or one whose
/// operand can be stored for the others.
EpilogueOpInterface getNext(Value result, const TargetDescription &target) {
  if (result.hasOneUse())
    return dyn_cast<EpilogueOpInterface>(*result.getUsers().begin());
  for (Operation *user : result.getUsers()) {
    std::optional<Epilogue> epilogue = getEpilogueOf(user, result);
    if (epilogue && target.canStoreInputOf(*epilogue, columnsOf(result)))
      return cast<EpilogueOpInterface>(user);
  }
  return nullptr;
}

} // namespace

LibraryCalls::LibraryCalls(Block &block, const TargetDescription &target,
                           bool fusedRounding)
    : block(block), target(target) {
  // Another epilogue may mean another algorithm, which sums in another order.
  if (!fusedRounding)
    return;
  for (Operation &op : block)
    if (auto call = dyn_cast<LibraryCallOpInterface>(op)) {
      takeMovements(call);
      takeEpilogues(call);
      auto strided = dyn_cast<StridedResultsOpInterface>(op);
      if (!strided || !getTail(call).empty())
        continue;
      takeConcats(strided);
      takeTransposes(strided);
    }
  // What one call does not take, another may.
  llvm::erase_if(refusals,
                 [&](const Refusal &refusal) { return isTaken(refusal.op); });
}

LibraryCalls::~LibraryCalls() = default;

ArrayRef<Operation *> LibraryCalls::getTail(Operation *call) const {
  auto known = tails.find(call);
  return known == tails.end() ? ArrayRef<Operation *>() : known->second;
}

ArrayRef<Operation *> LibraryCalls::getHead(Operation *call) const {
  auto known = heads.find(call);
  return known == heads.end() ? ArrayRef<Operation *>() : known->second;
}

void LibraryCalls::take(Operation *call, Operation *op) {
  tails[call].push_back(op);
  taken.insert(op);
}

void LibraryCalls::takeMovements(LibraryCallOpInterface call) {
  for (unsigned index = 0; index < call->getNumOperands(); ++index) {
    SmallVector<Operation *> ops = getMovementsInPlace(call, index, target);
    // Others read them, who cannot read what is inside of a call.
    if (!llvm::all_of(ops, [](Operation *op) { return op->hasOneUse(); }))
      continue;
    // What a call writes where it comes to lie is in that one.
    if (llvm::any_of(ops, [this](Operation *op) { return isTaken(op); }))
      continue;
    llvm::append_range(heads[call], ops);
    taken.insert_range(ops);
  }
}

void LibraryCalls::takeEpilogues(LibraryCallOpInterface call) {
  Value result = call->getResult(0);
  SmallVector<Epilogue, 2> before;
  while (auto next = getNext(result, target)) {
    std::optional<Epilogue> epilogue = getEpilogueOf(next, result);
    // The derivative is of the product alone.
    if (!epilogue || !call.supportsEpilogue(target, *epilogue) ||
        (*epilogue == Epilogue::GeluTanhBackward && !before.empty()))
      return;
    bool isAgain = llvm::is_contained(before, *epilogue);
    if (*epilogue == Epilogue::Addend &&
        (isAgain || !addsOther(call, next, result, nullptr))) {
      if (isAgain)
        refusals.push_back({call, next, "the product has an addend already"});
      return;
    }
    if (isAgain)
      return;
    take(call, next);
    if (*epilogue != Epilogue::Bias && *epilogue != Epilogue::Addend)
      return;
    before.push_back(*epilogue);
    result = next->getResult(0);
  }
  if (!llvm::is_contained(before, Epilogue::Addend))
    findAddendBehindReshape(call, result);
}

/// Whether the call adds what `add` adds to `result`.
bool LibraryCalls::addsOther(Operation *call, Operation *add, Value result,
                             Operation *reshape) {
  if (!decisions)
    decisions = std::make_unique<Addends>(block);
  Addends::Answer answer =
      decisions->decide(call, add, getOther(add, result),
                        [&](Operation *op) { return isTaken(op); });
  if (answer.refusal.empty())
    addends.push_back({call, add, answer.savedBytes, reshape});
  else
    refusals.push_back({call, add, answer.refusal});
  return answer.refusal.empty();
}

/// An addend of the call, if the reshape of `result` came after it.
void LibraryCalls::findAddendBehindReshape(LibraryCallOpInterface call,
                                           Value result) {
  if (!result.hasOneUse() || !call.supportsEpilogue(target, Epilogue::Addend))
    return;
  auto reshape = dyn_cast<MovementOpInterface>(*result.getUsers().begin());
  if (!reshape || reshape.getMovement().kind != Movement::Kind::Reshape ||
      !reshape->getResult(0).hasOneUse())
    return;
  Value reshaped = reshape->getResult(0);
  Operation *add = *reshaped.getUsers().begin();
  if (getEpilogueOf(add, reshaped) == Epilogue::Addend)
    addsOther(call, add, reshaped, reshape);
}

namespace {
/// A result of a call, and the way to where it is put beside others.
struct Piece {
  unsigned result = 0;
  SmallVector<Operation *> moves; ///< From the call downwards.
  OpOperand *use = nullptr;       ///< Of the op that puts it there.

  Operation *getConcat() const { return use->getOwner(); }
};
} // namespace

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Nothing if anybody else reads the result on its way.
static std::optional<Piece> findPiece(Operation *call, unsigned result) {
  Piece piece{result, {}, nullptr};
  Value value = call->getResult(result);
  while (value.hasOneUse()) {
    piece.use = &*value.getUses().begin();
    auto movement = dyn_cast<MovementOpInterface>(piece.getConcat());
    if (!movement || movement->getBlock() != call->getBlock())
      return std::nullopt;
    if (movement.getMovement().kind == Movement::Kind::InsertSlices)
      return piece;
    if (movement->getNumOperands() != 1)
      return std::nullopt;
    piece.moves.push_back(movement);
    value = movement->getResult(0);
  }
  return std::nullopt;
}

/// Where the result lies once it is put beside others.
static std::optional<StridedShape> findPlace(const Piece &piece) {
  auto concat = cast<MovementOpInterface>(piece.getConcat());
  std::optional<StridedShape> lies = moveBack(
      getDenseShape(shapeOf(concat->getResult(0))), concat.getMovement(),
      piece.use->getOperandNumber(), shapeOf(piece.use->get()));
  for (Operation *op : llvm::reverse(piece.moves))
    if (lies)
      lies = moveBack(*lies, cast<MovementOpInterface>(op).getMovement(), 0,
                      shapeOf(op->getOperand(0)));
  return lies;
}

/// Concats of nothing but results of `call`: pieces that lie apart and make up
/// all of the tensor.
void LibraryCalls::takeConcats(StridedResultsOpInterface call) {
  llvm::MapVector<Operation *, SmallVector<Piece>> concats;
  for (unsigned result = 0; result < call->getNumResults(); ++result)
    if (std::optional<Piece> piece = findPiece(call, result))
      concats[piece->getConcat()].push_back(*piece);
  for (auto &[concat, pieces] : concats) {
    int64_t elements = 0;
    for (Value operand : concat->getOperands())
      elements += ShapedType::getNumElements(shapeOf(operand));
    Value whole = concat->getResult(0);
    if (pieces.size() != concat->getNumOperands() ||
        elements != ShapedType::getNumElements(shapeOf(whole)))
      continue;
    bool isWritten = llvm::all_of(pieces, [&](const Piece &piece) {
      std::optional<StridedShape> lies = findPlace(piece);
      return lies && call.writesInPlace(target, piece.result, *lies);
    });
    if (!isWritten) {
      refusals.push_back({call, concat,
                          "the library does not write its results where they "
                          "lie in that"});
      continue;
    }
    for (const Piece &piece : pieces)
      for (Operation *op : piece.moves)
        take(call, op);
    take(call, concat);
  }
}

/// The movements of a result, and nothing else of it, up to the last transpose:
/// behind that, who reads it does not care.
static SmallVector<Operation *> findTransposes(Operation *call,
                                               unsigned result) {
  SmallVector<Operation *> moves;
  size_t upToLast = 0;
  Value value = call->getResult(result);
  while (value.hasOneUse()) {
    auto movement = dyn_cast<MovementOpInterface>(*value.getUsers().begin());
    if (!movement || movement->getBlock() != call->getBlock() ||
        movement->getNumOperands() != 1)
      break;
    moves.push_back(movement);
    value = movement->getResult(0);
    if (getOpForm(movement) == OpForm::Transpose)
      upToLast = moves.size();
  }
  moves.truncate(upToLast);
  return moves;
}

/// A result that is transposed is written where its elements come to lie.
void LibraryCalls::takeTransposes(StridedResultsOpInterface call) {
  for (unsigned result = 0; result < call->getNumResults(); ++result) {
    SmallVector<Operation *> moves = findTransposes(call, result);
    if (moves.empty() || isTaken(moves.front()))
      continue;
    std::optional<StridedShape> lies =
        getDenseShape(shapeOf(moves.back()->getResult(0)));
    for (Operation *op : llvm::reverse(moves))
      if (lies)
        lies = moveBack(*lies, cast<MovementOpInterface>(op).getMovement(), 0,
                        shapeOf(op->getOperand(0)));
    if (!lies || !call.writesInPlace(target, result, *lies))
      continue;
    for (Operation *op : moves)
      take(call, op);
  }
}

/// Whether `value` is in memory whoever reads it: a slice of it then saves all,
/// while of what a kernel computes only the slice would be stored.
static bool isStoredAnyway(Value value) {
  Operation *producer = value.getDefiningOp();
  while (producer && getOpForm(producer) == OpForm::View)
    producer = producer->getOperand(0).getDefiningOp();
  while (isa_and_present<EpilogueOpInterface>(producer)) // bias, function
    producer = producer->getOperand(0).getDefiningOp();
  return !producer || isFence(producer);
}

SmallVector<Operation *>
graph::getMovementsInPlace(LibraryCallOpInterface call, unsigned index,
                           const TargetDescription &target) {
  auto typeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType());
  };
  SmallVector<Operation *> chain; // from the call upwards
  Value value = call->getOperand(index);
  while (auto movement = value.getDefiningOp<MovementOpInterface>()) {
    if (isMadeInKernel(movement) || movement->getNumOperands() != 1 ||
        movement->getBlock() != call->getBlock())
      break;
    chain.push_back(movement);
    value = movement->getOperand(0);
  }
  // As many as can be; a reshape in front is a view of its own.
  for (; !chain.empty(); chain.pop_back()) {
    auto first = cast<MovementOpInterface>(chain.back());
    Value source = first->getOperand(0);
    Operation *producer = source.getDefiningOp();
    if (first.getMovement().kind == Movement::Kind::Reshape ||
        (producer && isMadeInKernel(producer)))
      continue;
    bool isWhole = typeOf(source).getNumElements() <=
                   typeOf(call->getOperand(index)).getNumElements();
    if (!isWhole && !isStoredAnyway(source))
      continue;
    std::optional<StridedShape> lies = getDenseShape(typeOf(source).getShape());
    for (Operation *op : llvm::reverse(chain))
      if (lies)
        lies = moveInPlace(*lies, cast<MovementOpInterface>(op).getMovement(),
                           typeOf(op->getResult(0)).getShape());
    if (lies && call.readsInPlace(target, index, *lies))
      return llvm::to_vector(llvm::reverse(chain));
  }
  return {};
}

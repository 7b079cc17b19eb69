#include "Addends.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"

using namespace mpc;
using namespace mpc::graph;

Value graph::getOther(Operation *add, Value value) {
  return add->getOperand(add->getOperand(0) == value ? 1 : 0);
}

Addends::Addends(Block &block) : deadlines(block, isFence) {
  for (auto [position, op] : llvm::enumerate(block))
    positions[&op] = static_cast<int>(position);
}

static bool isReshape(Operation *op) {
  auto movement = dyn_cast<MovementOpInterface>(op);
  return movement && movement.getMovement().kind == Movement::Kind::Reshape;
}

/// A reshape, or another op that leaves its operand where it lies.
static bool isView(Operation *op) {
  return isReshape(op) || getOpForm(op) == OpForm::View;
}

/// Whether `value` is stored before `call` runs, whoever adds it: what anybody
/// needs until then is, because it is read later.
bool Addends::isInMemory(Value value, Operation *call,
                         function_ref<bool(Operation *)> isOfCall) const {
  Operation *op = value.getDefiningOp();
  while (op && isView(op))
    op = op->getOperand(0).getDefiningOp();
  if (!op || (op->getNumOperands() == 0 && !isMadeInKernel(op)))
    return true;
  switch (getOpForm(op)) {
  case OpForm::Library:
  case OpForm::Outside:
  case OpForm::Transpose:
  case OpForm::InsertSlices:
  case OpForm::SegmentSum:
    return true;
  default:
    return isOfCall(op) || deadlines.of(op) <= deadlines.of(call);
  }
}

/// Whether the sum has to be in memory, whatever kernel makes it: for what is
/// no kernel, or for one that runs later, because it cannot run at once or
/// would leave as much until it is needed.
bool Addends::isStored(Operation *add) const {
  int deadline = deadlines.of(add);
  while (add->hasOneUse() && isReshape(*add->user_begin()))
    add = *add->user_begin();
  return llvm::any_of(add->getUsers(), [&](Operation *user) {
    OpForm form = getOpForm(user);
    bool isInKernel = form == OpForm::Pointwise || form == OpForm::Reduction ||
                      form == OpForm::Slice || form == OpForm::Gather;
    return !isInKernel || !deadlines.canRunBefore(user, deadline) ||
           (deadlines.of(user) > deadline &&
            2 * getStoredBytes(user->getResult(0)) >=
                getStoredBytes(add->getResult(0)));
  });
}

/// Whether nobody reads the memory of `addend` once `call` has run: who else
/// reads it stands before. Memory of the function's arguments stays.
bool Addends::diesAt(Value addend, Operation *call, Operation *add) const {
  while (Operation *view = addend.getDefiningOp()) {
    if (!isView(view))
      break;
    bool isOnlyReader = llvm::all_of(
        addend.getUsers(), [&](Operation *user) { return user == add; });
    if (!isOnlyReader)
      return false;
    add = view;
    addend = view->getOperand(0);
  }
  Operation *producer = addend.getDefiningOp();
  return producer && producer->getNumOperands() > 0 &&
         llvm::all_of(addend.getUsers(), [&](Operation *user) {
           return user == add || (!isView(user) && positions.lookup(user) <
                                                       positions.lookup(call));
         });
}

Addends::Answer Addends::decide(Operation *call, Operation *add, Value addend,
                                function_ref<bool(Operation *)> isOfCall) {
  Operation *producer = addend.getDefiningOp();
  while (producer && isReshape(producer))
    producer = producer->getOperand(0).getDefiningOp();
  if (producer && positions.lookup(producer) > positions.lookup(call))
    return {"the other operand is made after the product"};
  if (!isInMemory(addend, call, isOfCall))
    return {"the other operand would be stored for it"};
  if (isStored(add))
    return {"", getStoredBytes(add->getResult(0))};
  if (diesAt(addend, call, add))
    return {""};
  return {"the kernel that adds need not store the sum, so nothing is saved"};
}

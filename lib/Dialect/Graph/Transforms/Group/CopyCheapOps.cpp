#include "CopyCheapOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Dialect/Graph/Analysis/ComparedValues.h"
#include "mpc/Dialect/Graph/Analysis/LibraryCalls.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Interfaces/TensorBytes.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
constexpr unsigned kMaxCopies = 8;

int64_t bytesOf(Value value) {
  return getStoredBytes(cast<RankedTensorType>(value.getType()));
}

/// Ops of single numbers and indices alone, as those that draw random words:
/// whoever reads their results computes them, and no memory is read or written.
DenseSet<Operation *> findMadeOfNothing(Block &block) {
  DenseSet<Operation *> made;
  for (Operation &op : block)
    if (getOpForm(&op) == OpForm::Pointwise &&
        llvm::all_of(op.getOperands(), [&](Value operand) {
          Operation *maker = operand.getDefiningOp();
          return cast<RankedTensorType>(operand.getType()).getNumElements() <=
                     1 ||
                 (maker && (isMadeInKernel(maker) || made.contains(maker)));
        }))
      made.insert(&op);
  return made;
}

/// Whether more than one op reads what is more than a single number.
bool isReadTwice(Operation *op) {
  DenseSet<Operation *> users(op->user_begin(), op->user_end());
  return users.size() > 1 &&
         cast<RankedTensorType>(op->getResult(0).getType()).getNumElements() >
             1;
}

/// Whether each user that is in a kernel had better compute `op` itself: that
/// reads no more than the result would be, and the result need not be written.
/// Where it reads less, that is so even if the result is written for others.
bool isBetterCopied(Operation *op, function_ref<bool(Operation *)> isFused) {
  if (getOpForm(op) != OpForm::Pointwise || op->hasTrait<CostlyBody>() ||
      op->getNumResults() != 1 || !isReadTwice(op))
    return false;
  Value result = op->getResult(0);
  DenseSet<Operation *> users(result.user_begin(), result.user_end());
  // A cast costs nothing, however often; of rows that are broadcast no more
  // than a few.
  if (isWidening(op))
    return op->getNumOperands() == 1 || users.size() <= kMaxCopies;
  int64_t read = 0;
  for (Value operand : op->getOperands())
    read += bytesOf(operand);
  // Scalars and rows beside the large operand do not count.
  int64_t slack = bytesOf(result) / 8;
  return read <= bytesOf(result) + slack && users.size() <= kMaxCopies &&
         llvm::all_of(users, isFused);
}

/// The first user in a kernel, which had better store the result too where the
/// function returns it; null where it does not.
Operation *getStoring(Operation *op, function_ref<bool(Operation *)> isFused) {
  // Asked first: between copies that were just put in, every comparison of two
  // ops numbers the whole block anew.
  if (llvm::none_of(op->getUsers(), [](Operation *user) {
        return user->hasTrait<mlir::OpTrait::IsTerminator>();
      }))
    return nullptr;
  Operation *first = nullptr;
  for (Operation *user : op->getUsers())
    if (isFused(user) && (!first || user->isBeforeInBlock(first)))
      first = user;
  return first;
}

/// Gives each user in a kernel, but for `storing`, a copy of its own.
void copyToUsers(Operation *op, function_ref<bool(Operation *)> isFused,
                 Operation *storing, bool rounds) {
  DenseMap<Operation *, Operation *> copies;
  for (mlir::OpResult result : op->getResults())
    for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
      Operation *user = use.getOwner();
      if (!isFused(user) || user == storing)
        continue;
      Operation *&copy = copies[user];
      if (!copy)
        copy = OpBuilder(user).clone(*op);
      Value own = copy->getResult(result.getResultNumber());
      use.set(rounds ? roundForAll(own, user) : own);
    }
  if (op->use_empty())
    op->erase();
}

} // namespace

Value graph::roundForAll(Value value, Operation *user) {
  mlir::ImplicitLocOpBuilder builder(value.getLoc(), user);
  return CastOp::create(builder, value.getType(), value,
                        builder.getStringAttr("rounded for all that read it"));
}

void graph::copyCheapOps(Block &block, const GroupingOptions &options) {
  ComparedValues compared(block);
  DenseSet<Operation *> madeOfNothing = findMadeOfNothing(block);
  // What a library call computes is in no kernel.
  LibraryCalls calls(block, options.target, options.fusedRounding);
  auto isFused = [&](Operation *user) {
    return isFusible(user) && !calls.isTaken(user) &&
           (options.fusedRounding || !foldsFloats(user));
  };
  // What it takes along is stored with its product: a copy would add what the
  // call adds for nothing, to a product that is rounded.
  auto isCopied = [&](Operation *op) {
    if (calls.isTaken(op))
      return false;
    return madeOfNothing.contains(op) ? isReadTwice(op)
                                      : isBetterCopied(op, isFused);
  };
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isCopied(&op) &&
        !(options.fusedRounding && compared.isComputedOnce(&op)))
      copyToUsers(&op, isFused, getStoring(&op, isFused),
                  options.fusedRounding && isComputedWider(&op));
}

// Purpose: all-reduces go on beside the backward.
// Algorithm: what needs bucket k waits until bucket k + 1 is on its way. So
// while a bucket travels, the gradients of the next one are computed; and no
// more than two buckets are held at a time, where an update frees its
// gradients. Among the steps that may run, the first of the given order runs
// next. Then each all-reduce becomes two steps: it begins where its last
// gradient is there, and ends in front of the first step that needs it. Not
// hidden: the last bucket, which is the smallest for that (mpc-insert-
// all-reduce), and what the network needs longer than the gradients.
#include "Planning.h"
#include "StepDependencies.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/BitVector.h"
#include <queue>

using namespace mpc;
using namespace mpc::exec;

namespace {

class Overlap {
public:
  explicit Overlap(EntryOp entry)
      : steps(entry.getOps<StepOpInterface>().begin(),
              entry.getOps<StepOpInterface>().end()),
        needing(findFollowers(steps)), followers(needing) {
    for (auto [index, step] : llvm::enumerate(steps))
      if (isa<AllReduceOp>(step))
        reduces.push_back(index);
  }

  bool isEmpty() const { return reduces.empty(); }
  void run();
  /// Steps that run while a bucket travels, of all buckets.
  unsigned countBeside() const { return beside; }

private:
  llvm::BitVector findAncestors(unsigned step) const;
  void holdBack(unsigned bucket);
  SmallVector<unsigned> sort() const;
  void split(ArrayRef<unsigned> order);

  SmallVector<StepOpInterface> steps;
  StepLists needing;   ///< Of each step those that it must run before,
  StepLists followers; ///< and those that are held back until it has run.
  SmallVector<unsigned> reduces;
  unsigned beside = 0;
};

} // namespace

/// Whatever must run before `step`.
llvm::BitVector Overlap::findAncestors(unsigned step) const {
  StepLists leaders(steps.size());
  for (auto [leader, behind] : llvm::enumerate(followers))
    for (unsigned follower : behind)
      leaders[follower].push_back(leader);
  llvm::BitVector found(steps.size());
  SmallVector<unsigned> open{step};
  while (!open.empty())
    for (unsigned leader : leaders[open.pop_back_val()])
      if (!found.test(leader)) {
        found.set(leader);
        open.push_back(leader);
      }
  return found;
}

/// What needs a bucket, behind the next one; but for those that the next
/// one needs itself.
void Overlap::holdBack(unsigned bucket) {
  unsigned next = reduces[bucket + 1];
  llvm::BitVector before = findAncestors(next);
  for (unsigned follower : needing[reduces[bucket]])
    if (follower != next && !before.test(follower))
      followers[next].push_back(follower);
}

SmallVector<unsigned> Overlap::sort() const {
  SmallVector<unsigned> waitsFor(steps.size(), 0);
  for (ArrayRef<unsigned> behind : followers)
    for (unsigned follower : behind)
      ++waitsFor[follower];
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned step = 0; step < steps.size(); ++step)
    if (waitsFor[step] == 0)
      ready.push(step);
  SmallVector<unsigned> order;
  while (!ready.empty()) {
    unsigned next = ready.top();
    ready.pop();
    order.push_back(next);
    for (unsigned follower : followers[next])
      if (--waitsFor[follower] == 0)
        ready.push(follower);
  }
  return order;
}

void Overlap::split(ArrayRef<unsigned> order) {
  SmallVector<unsigned> placeOf(steps.size());
  for (auto [place, step] : llvm::enumerate(order))
    placeOf[step] = place;
  Operation *last = steps[order.back()];
  for (unsigned reduce : reduces) {
    auto whole = cast<AllReduceOp>(*steps[reduce]);
    Operation *first = nullptr; ///< That needs it.
    unsigned at = order.size();
    for (unsigned follower : needing[reduce])
      if (placeOf[follower] < at) {
        at = placeOf[follower];
        first = steps[follower];
      }
    beside += at - placeOf[reduce] - 1;
    OpBuilder builder(whole);
    auto start = AllReduceStartOp::create(
        builder, whole.getLoc(), builder.getType<TicketType>(), whole.getKind(),
        whole.getInputs(), whole.getOutputs(), whole.getGroup());
    if (first)
      builder.setInsertionPoint(first);
    else
      builder.setInsertionPointAfter(last);
    AllReduceDoneOp::create(builder, whole.getLoc(), start);
    whole.erase();
  }
}

void Overlap::run() {
  for (unsigned bucket = 0; bucket + 1 < reduces.size(); ++bucket)
    holdBack(bucket);
  SmallVector<unsigned> order = sort();
  layOutSteps(steps, order);
  split(order);
}

void exec::overlapCollectives(EntryOp entry) {
  Overlap overlap(entry);
  if (overlap.isEmpty())
    return;
  overlap.run();
  mlir::remark::passed(entry.getLoc(), mlir::remark::RemarkOpts::name("overlap")
                                           .category("mpc-plan-buffers")
                                           .function(entry.getSymName()))
      << mlir::remark::metric("steps_beside", overlap.countBeside());
}

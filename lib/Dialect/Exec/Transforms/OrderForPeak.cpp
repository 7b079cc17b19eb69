// A smaller largest live set for nothing: of the steps that could run next, the
// first that frees more than it makes, and if there is none the first of the
// given order. So a gradient that its update alone waits for is gone before the
// next one is made. Where such a step makes something while the most is alive,
// the peak may grow; then the given order stays.
#include "Planning.h"
#include "StepDependencies.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Exec/Analysis/Liveness.h"
#include <functional>
#include <numeric>
#include <set>

using namespace mpc;
using namespace mpc::exec;

namespace {

using Order = SmallVector<unsigned>;

/// The steps of an entry by the buffers that they use.
class Steps {
public:
  explicit Steps(EntryOp entry);

  Order getGiven() const { return llvm::to_vector(llvm::seq(0u, count())); }
  Order findFreeing() const;
  /// The most bytes that are alive at once.
  int64_t findPeak(ArrayRef<unsigned> order) const;
  void layOut(ArrayRef<unsigned> order) { layOutSteps(steps, order); }

private:
  struct Buffer {
    int64_t bytes = 0;
    bool isKept = false;            ///< As an output.
    SmallVector<unsigned, 4> users; ///< Each once, in the given order.
    unsigned maker() const { return users.front(); }
  };
  unsigned count() const { return steps.size(); }
  void addUses(EntryOp entry);

  SmallVector<StepOpInterface> steps;
  std::vector<Buffer> buffers;
  StepLists buffersOf; ///< By step.
  StepLists followersOf;
};

/// What each step frees and makes, as others are run.
class Balance {
public:
  Balance(unsigned steps) : freed(steps, 0), made(steps, 0) {}

  bool frees(unsigned step) const { return freed[step] > made[step]; }

  SmallVector<int64_t> freed, made;
};

} // namespace

Steps::Steps(EntryOp entry) {
  steps.assign(entry.getOps<StepOpInterface>().begin(),
               entry.getOps<StepOpInterface>().end());
  addUses(entry);
  followersOf = findFollowers(steps);
}

void Steps::addUses(EntryOp entry) {
  DenseMap<Value, unsigned> numberOf;
  for (auto alloc : entry.getOps<AllocOp>()) {
    numberOf[alloc] = buffers.size();
    buffers.push_back(
        {alignUp(getBytes(alloc.getBuffer().getType())), false, {}});
  }
  for (auto output : entry.getOps<OutputOp>())
    if (auto found = numberOf.find(getRoot(output.getValue()));
        found != numberOf.end())
      buffers[found->second].isKept = true;
  buffersOf.resize(count());
  for (unsigned i = 0; i < count(); ++i)
    for (Value value :
         llvm::concat<Value>(llvm::to_vector(steps[i].getReads()),
                             llvm::to_vector(steps[i].getWrites())))
      if (auto found = numberOf.find(getRoot(value)); found != numberOf.end())
        if (Buffer &buffer = buffers[found->second];
            buffer.users.empty() || buffer.users.back() != i) {
          buffer.users.push_back(i);
          buffersOf[i].push_back(found->second);
        }
}

Order Steps::findFreeing() const {
  SmallVector<unsigned> waitsFor(count(), 0);
  for (ArrayRef<unsigned> followers : followersOf)
    for (unsigned follower : followers)
      ++waitsFor[follower];
  Balance balance(count());
  SmallVector<unsigned> left;  // Users of each buffer that have not run,
  SmallVector<unsigned> which; // and the exclusive or of their numbers.
  for (const Buffer &buffer : buffers) {
    left.push_back(buffer.users.size());
    which.push_back(std::accumulate(buffer.users.begin(), buffer.users.end(),
                                    0u, std::bit_xor<>()));
    if (!buffer.users.empty())
      balance.made[buffer.maker()] += buffer.bytes;
  }
  std::set<unsigned> ready, freeing;
  auto release = [&](unsigned step) {
    ready.insert(step);
    if (balance.frees(step))
      freeing.insert(step);
  };
  auto use = [&](unsigned number, unsigned step) {
    which[number] ^= step;
    if (--left[number] != 1 || buffers[number].isKept)
      return;
    balance.freed[which[number]] += buffers[number].bytes;
    if (ready.contains(which[number]) && balance.frees(which[number]))
      freeing.insert(which[number]);
  };
  for (unsigned step = 0; step < count(); ++step)
    if (waitsFor[step] == 0)
      release(step);
  Order order;
  while (!ready.empty()) {
    unsigned next = freeing.empty() ? *ready.begin() : *freeing.begin();
    ready.erase(next);
    freeing.erase(next);
    order.push_back(next);
    for (unsigned number : buffersOf[next])
      use(number, next);
    for (unsigned follower : followersOf[next])
      if (--waitsFor[follower] == 0)
        release(follower);
  }
  return order;
}

int64_t Steps::findPeak(ArrayRef<unsigned> order) const {
  SmallVector<unsigned> left;
  for (const Buffer &buffer : buffers)
    left.push_back(buffer.users.size());
  int64_t live = 0, peak = 0;
  for (unsigned step : order) {
    for (unsigned number : buffersOf[step])
      if (left[number] == buffers[number].users.size())
        live += buffers[number].bytes;
    peak = std::max(peak, live);
    for (unsigned number : buffersOf[step])
      if (--left[number] == 0 && !buffers[number].isKept)
        live -= buffers[number].bytes;
  }
  return peak;
}

void exec::orderForPeak(EntryOp entry) {
  Steps steps(entry);
  Order given = steps.getGiven(), freeing = steps.findFreeing();
  int64_t before = steps.findPeak(given), after = steps.findPeak(freeing);
  if (after >= before)
    return;
  steps.layOut(freeing);
  mlir::remark::passed(entry.getLoc(), mlir::remark::RemarkOpts::name("ordered")
                                           .category("mpc-plan-buffers")
                                           .function(entry.getSymName()))
      << mlir::remark::metric("bytes_before", before)
      << mlir::remark::metric("bytes", after);
}

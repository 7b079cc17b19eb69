// The next value of a state is made in the state's own memory.
#include "Planning.h"
#include "llvm/ADT/StringMap.h"

using namespace mpc;
using namespace mpc::exec;

void exec::donateStates(EntryOp entry) {
  Block &body = entry.getBody().front();
  llvm::StringMap<StateOp> states;
  for (auto state : entry.getOps<StateOp>())
    states.try_emplace(state.getName(), state);
  for (auto update : llvm::make_early_inc_range(entry.getOps<UpdateOp>())) {
    auto builder = OpBuilder::atBlockBegin(&body);
    StateOp &state = states[update.getName()];
    if (!state)
      state =
          StateOp::create(builder, update.getLoc(), update.getValue().getType(),
                          update.getNameAttr());
    Operation *alloc = getRoot(update.getValue()).getDefiningOp();
    // The value's users may stand before the state among the buffers.
    state->moveBefore(&body, body.begin());
    builder.setInsertionPointAfter(state);
    Value next = RenewOp::create(builder, alloc->getLoc(),
                                 alloc->getResult(0).getType(), state);
    alloc->getResult(0).replaceAllUsesWith(next);
    alloc->erase();
    update.erase();
  }
}

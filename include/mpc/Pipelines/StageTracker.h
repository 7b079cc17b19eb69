// Which stage a running pass belongs to, for dumps and explanations.
#ifndef MPC_PIPELINES_STAGETRACKER_H
#define MPC_PIPELINES_STAGETRACKER_H

#include "mpc/Pipelines/Stages.h"
#include "llvm/ADT/StringMap.h"

namespace mpc {

/// `canonicalize` and its like stand in several stages; stages only go forward,
/// so the run knows which one is meant. A pass of no stage belongs to the one
/// before it.
class StageTracker {
public:
  StageTracker();

  /// The stage of the pass whose argument is `pass`, which runs now.
  Stage stageOf(StringRef pass);

private:
  llvm::StringMap<SmallVector<Stage, 2>> stagesOf;
  Stage current = Stage::Import;
};

} // namespace mpc

#endif // MPC_PIPELINES_STAGETRACKER_H

// The stages of the compiler. Options, dump files and docs use their names.
#ifndef MPC_PIPELINES_STAGES_H
#define MPC_PIPELINES_STAGES_H

#include "mpc/Interfaces/LLVM.h"
#include <optional>

namespace mpc {

/// In the order in which they run. A module is "at" the last stage it passed.
enum class Stage {
  Import,     ///< one marked model, effective settings written
  Autocast,   ///< precisions decided, casts inserted
  Autodiff,   ///< forward and step entries
  Scale,      ///< seed scaled, gradients unscaled and checked
  Accumulate, ///< gradients of micro-batches added up
  Reduce,     ///< scaled gradients reduced over ranks
  Update,     ///< next parameters, moments, scaler state
  Simplify,   ///< dead code, common code and foldable casts gone
  Group,      ///< every op in the group that one kernel or call executes
  Exec,       ///< straight line of launches on planned buffers
  Program,    ///< kernels compiled, program file written
};

/// All stages, in order.
ArrayRef<Stage> allStages();

/// "import", "autocast", ...
StringRef getName(Stage stage);

/// The stage called `name`, or nothing.
std::optional<Stage> parseStage(StringRef name);

/// The names of all stages, separated by ", ": for messages.
std::string stageNames();

} // namespace mpc

#endif // MPC_PIPELINES_STAGES_H

// Which part of a step an op belongs to: what compilation adds to a model tells
// it by the name of its location, beside the place that it was added for.
#ifndef MPC_TEXT_PHASES_H
#define MPC_TEXT_PHASES_H

#include "mlir/IR/Location.h"
#include "mpc/Interfaces/LLVM.h"
#include <string>

namespace mpc {

/// "gradient of graph.tanh" at `place`.
Location nameGradient(StringRef what, Location place);
/// "update of 'w'" at `place`; "update of the step": of what it has as a whole.
Location nameUpdate(StringRef parameter, Location place);
/// "recomputed value": what the backward makes again of the forward at `place`.
Location nameRecomputed(Location place);

/// Whether `name` of a location is one of these, and no name of the model's
/// own.
bool isPhaseName(StringRef name);
bool isGradientName(StringRef name);
bool isUpdateName(StringRef name);
bool isRecomputedName(StringRef name);

/// "backward", "update of 'w'"; "forward" where the location tells nothing.
std::string describePhase(Location location);

} // namespace mpc

#endif // MPC_TEXT_PHASES_H

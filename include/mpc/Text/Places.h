// Where in a source file something was written, as tables and traces show it.
#ifndef MPC_TEXT_PLACES_H
#define MPC_TEXT_PLACES_H

#include "mlir/IR/Location.h"
#include "mpc/Interfaces/LLVM.h"
#include <string>

namespace mpc {

/// The first place in a file that `location` mentions, if any.
mlir::FileLineColLoc findFileLocation(Location location);

/// "m.mlir:7" of that place, "" if there is none. A path may be any bytes; what
/// shows it writes JSON, so these are UTF-8.
std::string describeLine(Location location);

/// The same with the column, "m.mlir:7:3".
std::string describePlace(Location location);

/// The location of an op whose results were made at `places`, one for each.
Location addResultPlaces(Location location, ArrayRef<Location> places);

/// Where result `index` of an op at `location` was made: one of those places if
/// it has them, else `location`.
Location getResultPlace(Location location, unsigned index);

} // namespace mpc

#endif // MPC_TEXT_PLACES_H

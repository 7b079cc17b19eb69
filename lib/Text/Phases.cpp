#include "mpc/Text/Phases.h"
#include "llvm/Support/JSON.h"

using namespace mpc;

// No names of variables, which importers write into locations.
static constexpr StringRef kGradient = "gradient of ",
                           kUpdate = "update of the step",
                           kUpdateOf = "update of '",
                           kRecomputed = "recomputed value";

static Location addName(const Twine &name, Location place) {
  return mlir::NameLoc::get(mlir::StringAttr::get(place.getContext(), name),
                            place);
}

Location mpc::nameGradient(StringRef what, Location place) {
  return addName(kGradient + what, place);
}

Location mpc::nameUpdate(StringRef parameter, Location place) {
  return parameter.empty() ? addName(kUpdate, place)
                           : addName(kUpdateOf + parameter + "'", place);
}

Location mpc::nameRecomputed(Location place) {
  return addName(kRecomputed, place);
}

bool mpc::isGradientName(StringRef name) { return name.starts_with(kGradient); }

bool mpc::isUpdateName(StringRef name) {
  return name == kUpdate || name.starts_with(kUpdateOf);
}

bool mpc::isRecomputedName(StringRef name) { return name == kRecomputed; }

bool mpc::isPhaseName(StringRef name) {
  return isGradientName(name) || isUpdateName(name) || isRecomputedName(name);
}

std::string mpc::describePhase(Location location) {
  std::string phase = "forward";
  location->walk([&](Location inner) {
    auto named = dyn_cast<mlir::NameLoc>(inner);
    if (!named || !isPhaseName(named.getName()))
      return mlir::WalkResult::advance();
    StringRef name = named.getName();
    phase = name == kUpdate      ? "update"
            : isUpdateName(name) ? llvm::json::fixUTF8(name)
                                 : "backward";
    return mlir::WalkResult::interrupt();
  });
  return phase;
}

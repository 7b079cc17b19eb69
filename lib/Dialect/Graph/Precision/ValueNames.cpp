#include "mpc/Dialect/Graph/Precision/ValueNames.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "mpc/Text/Phases.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mpc;
using namespace mpc::graph;

static std::string placeOf(Location location) {
  std::string place;
  location->walk([&](Location inner) {
    auto named = dyn_cast<mlir::NameLoc>(inner);
    if (named && !isPhaseName(named.getName()))
      place = named.getName().str();
    else if (auto file = dyn_cast<mlir::FileLineColLoc>(inner))
      place = (llvm::sys::path::filename(file.getFilename().getValue()) + ":" +
               Twine(file.getLine()) + ":" + Twine(file.getColumn()))
                  .str();
    return place.empty() ? mlir::WalkResult::advance()
                         : mlir::WalkResult::interrupt();
  });
  // Names of locations may be any bytes, and so may paths; profiles are JSON.
  return place.empty() ? "?" : llvm::json::fixUTF8(place);
}

std::string ValueNames::get(OpResult value, bool backward) {
  Operation *op = value.getOwner();
  std::string name =
      (op->getName().stripDialect() + "@" + placeOf(op->getLoc())).str();
  if (op->getNumResults() > 1)
    name += "#" + std::to_string(value.getResultNumber());
  if (backward)
    name += "'";
  unsigned count = ++counts[name];
  return count == 1 ? name : name + "." + std::to_string(count);
}

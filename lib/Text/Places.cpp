#include "mpc/Text/Places.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mpc;
using mlir::FileLineColLoc;
using mlir::FusedLoc;

FileLineColLoc mpc::findFileLocation(Location location) {
  FileLineColLoc found;
  location->walk([&](Location inner) {
    found = dyn_cast<FileLineColLoc>(inner);
    return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return found;
}

std::string mpc::describeLine(Location location) {
  FileLineColLoc where = findFileLocation(location);
  if (!where)
    return "";
  return llvm::json::fixUTF8(
             llvm::sys::path::filename(where.getFilename().getValue())) +
         ":" + std::to_string(where.getLine());
}

std::string mpc::describePlace(Location location) {
  FileLineColLoc where = findFileLocation(location);
  if (!where)
    return "";
  return describeLine(where) + ":" + std::to_string(where.getColumn());
}

Location mpc::addResultPlaces(Location location, ArrayRef<Location> places) {
  if (llvm::all_of(places, [&](Location place) { return place == location; }))
    return location;
  // Those of a fused location are a set, and lose their order.
  SmallVector<Attribute> ordered(places.begin(), places.end());
  return FusedLoc::get(location.getContext(), {location},
                       mlir::ArrayAttr::get(location.getContext(), ordered));
}

Location mpc::getResultPlace(Location location, unsigned index) {
  auto fused = dyn_cast<FusedLoc>(location);
  auto places = fused ? dyn_cast_or_null<mlir::ArrayAttr>(fused.getMetadata())
                      : mlir::ArrayAttr();
  if (!places || index >= places.size())
    return location;
  auto place = dyn_cast<mlir::LocationAttr>(places[index]);
  return place ? Location(place) : location;
}

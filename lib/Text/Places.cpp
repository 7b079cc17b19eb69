#include "mpc/Text/Places.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mpc;
using mlir::FileLineColLoc;

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

#include "mpc/Interfaces/SSARegion.h"
#include "mlir/IR/RegionKindInterface.h"

using namespace mpc;

LogicalResult mpc::verifySSARegion(Operation *op) {
  mlir::Region *region = op->getParentRegion();
  if (!region || !mlir::mayBeGraphRegion(*region))
    return success();
  return op->emitOpError()
         << "is expected inside of a function, where each value is made before "
            "it is read, but stands in '"
         << region->getParentOp()->getName() << "'";
}

#include "mpc/Interfaces/TrainingOpInterfaces.h"

using namespace mpc;

LogicalResult detail::verifyRandomOp(Operation *op) {
  auto random = cast<RandomOpInterface>(op);
  size_t size = random.getRandomKey().size();
  if (size != 0 && size != 2)
    return op->emitOpError("expected a key of two numbers, of the step and the "
                           "seed, but got ")
           << size;
  if (size != 0 && !random.getStream())
    return op->emitOpError("expected a stream beside the key, but got none");
  return success();
}

#include "mpc/Interfaces/TrainingOpInterfaces.cpp.inc"

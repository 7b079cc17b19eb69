// "Which of your operands are labels?" Of how many classes:
// mpc/Support/Labels.h.
#ifndef MPC_INTERFACES_LABELSOPINTERFACE_H
#define MPC_INTERFACES_LABELSOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"
#include "mpc/Support/Labels.h"

#include "mpc/Interfaces/LabelsOpInterface.h.inc"

#endif // MPC_INTERFACES_LABELSOPINTERFACE_H

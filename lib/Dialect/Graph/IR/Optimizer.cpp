// Family Optimizer: verifiers.
#include "mpc/Dialect/Graph/IR/GraphOps.h"

// The group frame: verifiers.
#include "mpc/Dialect/Graph/IR/GraphOps.h"

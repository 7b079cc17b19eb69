#include "mpc/Interfaces/OptimizerOpInterface.h"

#include "mpc/Interfaces/OptimizerOpInterface.cpp.inc"

#include "mpc/Interfaces/StridedResultsOpInterface.h"

#include "mpc/Interfaces/StridedResultsOpInterface.cpp.inc"

#include "mpc/Interfaces/RandomOpInterface.h"

#include "mpc/Interfaces/RandomOpInterface.cpp.inc"

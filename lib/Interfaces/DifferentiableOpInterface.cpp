#include "mpc/Interfaces/DifferentiableOpInterface.h"

#include "mpc/Interfaces/DifferentiableOpInterface.cpp.inc"

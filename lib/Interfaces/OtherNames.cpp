#include "mpc/Interfaces/OtherNames.h"

#include "mpc/Interfaces/OtherNames.cpp.inc"

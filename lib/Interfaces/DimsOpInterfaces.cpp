#include "mpc/Interfaces/DimsOpInterfaces.h"

#include "mpc/Interfaces/DimsOpInterfaces.cpp.inc"

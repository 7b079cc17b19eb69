#include "mpc/Interfaces/LayoutOpInterfaces.h"

#include "mpc/Interfaces/LayoutOpInterfaces.cpp.inc"

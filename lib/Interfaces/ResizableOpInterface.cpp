#include "mpc/Interfaces/ResizableOpInterface.h"

#include "mpc/Interfaces/ResizableOpInterface.cpp.inc"

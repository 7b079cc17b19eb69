#include "mpc/Interfaces/LabelsOpInterface.h"

#include "mpc/Interfaces/LabelsOpInterface.cpp.inc"

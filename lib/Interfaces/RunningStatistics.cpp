#include "mpc/Interfaces/RunningStatistics.h"

#include "mpc/Interfaces/RunningStatistics.cpp.inc"

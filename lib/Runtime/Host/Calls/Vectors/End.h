// The end of what BeginAvx2.h or BeginAvx512.h begins. GCC's target lasts to
// the end of the source: nothing with code of its own may follow.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_END_H
#define MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_END_H

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif // MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_END_H

// Named ranges of host time that profilers show.
#ifndef MPC_LIB_RUNTIME_CUDA_API_RANGEMARKER_H
#define MPC_LIB_RUNTIME_CUDA_API_RANGEMARKER_H

namespace mpc::runtime {

/// Where ranges go; in tests, a list.
struct RangeMarker {
  void (*push)(const char *name);
  void (*pop)();
};
/// NVTX, domain "mpc".
const RangeMarker &getNvtx();

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_API_RANGEMARKER_H

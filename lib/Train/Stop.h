// The flag by which a caller asks for the end.
#ifndef MPC_LIB_TRAIN_STOP_H
#define MPC_LIB_TRAIN_STOP_H

#include <atomic>

namespace mpc::train {

/// Whether it is set; a caller may have none.
inline bool isSet(const std::atomic<bool> *stop) { return stop && *stop; }

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_STOP_H

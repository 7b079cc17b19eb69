// What the host and the device hand each other: pinned memory with an event per
// slot that says when the device is done with it.
#ifndef MPC_LIB_RUNTIME_CUDA_SLOTS_H
#define MPC_LIB_RUNTIME_CUDA_SLOTS_H

#include "Api/Handles.h"
#include "Layout.h"

namespace mpc::runtime {

/// Blocks until `event` has happened. Counts if it has not by then.
Status waitFor(const CudaApi &api, cudaEvent_t event, uint64_t &waits);

/// Two slots for the inputs of a run: the host fills one while the device still
/// reads the other.
class InputSlots {
public:
  static Result<InputSlots> make(const CudaApi &api, uint8_t *first,
                                 uint8_t *second);
  /// Takes over `inputs` and enqueues their upload to `device`. Waits where the
  /// upload before the last has not been done.
  Status upload(const CudaApi &api, const InputPlan &plan,
                std::span<const Input> inputs, uint8_t *device,
                cudaStream_t stream, uint64_t &waits);

private:
  struct Slot {
    uint8_t *memory = nullptr;
    Event uploaded;
    bool used = false;
  };
  Slot slots[2];
  uint32_t next = 0;
};

/// The small outputs of the last runs of an entry.
class ResultSlots {
public:
  static Result<ResultSlots> make(const CudaApi &api, const ResultPlan &plan,
                                  uint8_t *memory);
  /// Enqueues the download of the results of a run that was just enqueued.
  Status fetch(const CudaApi &api, const uint8_t *device, cudaStream_t stream);
  /// See Executor::result.
  Result<std::span<const uint8_t>> read(const CudaApi &api, uint32_t index,
                                        uint32_t age, uint64_t &waits);

private:
  const ResultPlan *plan = nullptr;
  uint8_t *memory = nullptr;
  std::vector<Event> fetched; ///< by slot
  uint64_t runs = 0;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_SLOTS_H

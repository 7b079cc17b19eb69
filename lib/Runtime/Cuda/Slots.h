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
/// reads the other. Large inputs arrive on a stream of their own, in a place of
/// the slot on the device, while the step before runs; what the step waits for
/// is a copy from there, on the device.
class InputSlots {
public:
  /// Where the inputs of a slot come by.
  struct Memory {
    uint8_t *pinned, *arrival;
  };
  static Result<InputSlots> make(const CudaApi &api, Memory first,
                                 Memory second);
  /// Takes over `inputs` and enqueues their upload to `device`, where what is
  /// enqueued on `stream` reads them. Waits where the upload before the last
  /// has not been done.
  Status upload(const CudaApi &api, const InputPlan &plan,
                std::span<const Input> inputs, uint8_t *device,
                cudaStream_t stream, uint64_t &waits);
  /// The stream on which large inputs arrive; none before `make`.
  cudaStream_t beside() const { return arrivals.get(); }

private:
  struct Slot {
    Memory memory = {};
    Event uploaded; ///< the pinned memory is free
    Event taken;    ///< the arrival is free
    bool used = false;
  };
  static Status uploadInLine(const CudaApi &api, const Slot &slot,
                             uint64_t bytes, uint8_t *device,
                             cudaStream_t stream);
  Status uploadBeside(const CudaApi &api, const Slot &slot, uint64_t bytes,
                      uint8_t *device, cudaStream_t stream) const;

  Stream arrivals;
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

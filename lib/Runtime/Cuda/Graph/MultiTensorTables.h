// The multi-tensor operations of a program, planned: each record has a launch
// of a kernel of kernels/, and a table that lies in device memory.
#ifndef MPC_LIB_RUNTIME_CUDA_GRAPH_MULTITENSORTABLES_H
#define MPC_LIB_RUNTIME_CUDA_GRAPH_MULTITENSORTABLES_H

#include "../Api/CudaApi.h"
#include "kernels/MultiTensor.h"
#include "mpc/Program/Program.h"

#include <memory>

namespace mpc::runtime {

class MultiTensorTables {
public:
  /// Bytes that the tables of all records may take.
  static uint64_t bytes(const program::Program &program,
                        uint32_t multiprocessors);

  /// Tables go to `memory`, of that many bytes, by copies on `stream`.
  MultiTensorTables(const CudaApi &api, uint8_t *memory, uint64_t bytes,
                    uint32_t multiprocessors, cudaStream_t stream)
      : api(api), next(memory), end(memory + bytes),
        multiprocessors(multiprocessors), stream(stream) {}

  /// `arguments`: the pointers in the order of Program.fbs, on the device.
  Result<std::shared_ptr<kernels::Launch>>
  add(const program::MultiTensor &op, std::span<void *const> arguments);

private:
  const CudaApi &api;
  uint8_t *next, *end;
  uint32_t multiprocessors;
  cudaStream_t stream;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_GRAPH_MULTITENSORTABLES_H

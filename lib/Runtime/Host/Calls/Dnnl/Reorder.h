// Elements of a weight from one layout to another, in parts for several
// threads.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_DNNL_REORDER_H
#define MPC_LIB_RUNTIME_HOST_CALLS_DNNL_REORDER_H

#include "Dnnl.h"

#include <vector>

namespace mpc::runtime {

/// Of tensors of one shape and type. How many parts there are depends on the
/// shape and the layouts alone; bits are copied whoever does it.
class Reorder {
public:
  static Result<std::unique_ptr<Reorder>> create(dnnl_engine_t engine,
                                                 const dnnl_memory_desc_t &from,
                                                 const dnnl_memory_desc_t &to);
  uint32_t parts() const { return count; }
  /// Makes the argument objects of each of `buffers`, and what scratch memory
  /// the library wants.
  Status bind(dnnl_engine_t engine, uint32_t buffers);
  /// Addresses are those of the whole tensors.
  dnnl_status_t run(uint32_t buffer, uint32_t part, const void *from, void *to);

private:
  struct Arguments {
    DnnlStream stream;
    DnnlMemory from, to, scratch;
    std::vector<uint8_t> scratchBytes;
  };
  void cut();
  bool cutInto(int parts);
  dnnl_status_t make(dnnl_engine_t engine);
  dnnl_status_t makeArguments(dnnl_engine_t engine, Arguments &own) const;

  dnnl_memory_desc_t from, to; ///< of a part
  uint32_t count = 1;
  uint64_t fromStep = 0, toStep = 0; ///< bytes from one part to the next
  DnnlPrimitiveHandle primitive;
  dnnl_memory_desc_t scratch;
  std::vector<Arguments> arguments;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_DNNL_REORDER_H
